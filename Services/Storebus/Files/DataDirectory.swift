import EventLoop

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where a store keeps its things: the layout of `deploy/README.md`, "The data directory".
struct DataDirectory: Hashable, Sendable {
    /// `.storebus` unless `--data` says otherwise.
    static let defaultName = ".storebus"

    /// Absolute.
    let path: String

    /// - Parameter path: relative ones count from `currentDirectory`.
    init(_ path: String, currentDirectory: String = FileManager.default.currentDirectoryPath) {
        var absolute = path.hasPrefix("/") ? path : "\(currentDirectory)/\(path)"
        while absolute.hasSuffix("/"), absolute.count > 1 { absolute.removeLast() }
        self.path = absolute
    }

    var runDirectory: String { "\(path)/run" }
    var logDirectory: String { "\(path)/logs" }
    var sessionDirectory: String { "\(path)/sessions" }
    /// Held for as long as a store runs on the directory.
    var lockFile: String { "\(path)/up.lock" }
    /// Says where the running store is: ``RunRecord``.
    var runRecord: String { "\(runDirectory)/up.json" }
    /// The token that lets a service onto the bus.
    var busToken: String { "\(path)/bus.token" }
    /// The admin key `up` made up.
    var adminKey: String { "\(path)/admin.key" }

    /// Files of one process, by its name: `payment-queue`, `payment-queue#2`.
    func pidFile(_ name: String) -> String { "\(runDirectory)/\(ServiceInstance(name).fileName).pid" }
    func readyFile(_ name: String) -> String { "\(runDirectory)/\(ServiceInstance(name).fileName).ready" }
    func logFile(_ name: String) -> String { "\(logDirectory)/\(ServiceInstance(name).fileName).log" }

    /// Makes what is missing.
    /// - Throws: `dataDirectoryUnusable`, also for a directory in which every user may write.
    func prepare() throws(CLIError) {
        try FileAccess.makeDirectory(path)
        do throws(FilePrivacy.Refusal) {
            _ = try FilePrivacy.checkDirectory(path)
        } catch {
            throw CLIError(.dataDirectoryUnusable, error.description, hints: ["or name another: --data DIR"])
        }
        for directory in [runDirectory, logDirectory] { try FileAccess.makeDirectory(directory) }
    }
}
