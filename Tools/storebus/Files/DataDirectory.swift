import CProcess
import EventLoop
import FoundationEssentials
import Glibc
import StoreModels

/// The data directory of a store, as in `deploy/README.md`, "The data directory".
struct DataDirectory: Hashable, Sendable {
    /// `.storebus` without `--data`.
    static let defaultName = ".storebus"

    /// Absolute.
    let path: String

    /// - Parameter path: Relative paths are resolved from `currentDirectory`.
    init(_ path: String, currentDirectory: String = FileManager.default.currentDirectoryPath) {
        var absolute = path.hasPrefix("/") ? path : "\(currentDirectory)/\(path)"
        while absolute.hasSuffix("/"), absolute.count > 1 { absolute.removeLast() }
        self.path = absolute
    }

    var runDirectory: String { "\(path)/run" }
    var logDirectory: String { "\(path)/logs" }
    /// The directory of the sessions in an isolated store, or in the installation's own store for nil.
    func sessions(of store: String?) -> String { "\(path)/sessions" + (store.map { "/\($0)" } ?? "") }
    /// The lock file, locked while a store runs.
    var lockFile: String { "\(path)/up.lock" }
    /// The file of the ``RunRecord``.
    var runRecord: String { "\(runDirectory)/up.json" }
    /// The file of the bus token of the directory's owner, which may do everything.
    var busToken: String { "\(path)/bus.token" }
    /// The file with the outcome of the imports of ``InitDirectory``, which the gateway reads.
    var importsFile: String { "\(runDirectory)/imports.json" }
    /// The file of the ``ScenarioRecording`` that runs.
    var recording: String { "\(path)/recording.jsonl" }
    /// The directory of the services' own bus tokens.
    var busDirectory: String { "\(path)/bus" }
    /// The file of the ``BusUsers``.
    var busUsers: String { "\(busDirectory)/users.json" }
    /// The file of the bus token of a service, or of the bus's operator.
    func busToken(of service: String) -> String { "\(busDirectory)/\(service).token" }
    /// The files of the root certificate, without their endings: `.pem`, `.cer`.
    var rootCertificate: String { "\(path)/root" }
    /// The file of the admin key that `up` generated.
    var adminKey: String { "\(path)/admin.key" }

    /// Files of one process, by its name: `payment-queue`, `payment-queue#2`.
    func pidFile(_ name: String) -> String { "\(runDirectory)/\(ServiceInstance(name).fileName).pid" }
    func readyFile(_ name: String) -> String { "\(runDirectory)/\(ServiceInstance(name).fileName).ready" }
    /// The file with the number of restarts since the start of the store.
    func restartFile(_ name: String) -> String { "\(runDirectory)/\(ServiceInstance(name).fileName).restarts" }
    func logFile(_ name: String) -> String { "\(logDirectory)/\(ServiceInstance(name).fileName).log" }

    /// Creates the missing directories.
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

/// `DIR/run/up.json`, there while a store runs on DIR:
///
/// ```json
/// {"busURL":"storebus://127.0.0.1:7420","dataDirectory":"/home/me/app/.storebus","monitorPort":7421,"pid":812,
///  "startedAt":"2026-11-21T10:00:00.000Z","url":"http://127.0.0.1:7430","version":"0.1.0"}
/// ```
struct RunRecord: Hashable, Sendable, Codable {
    /// Process identifier of `storebus up`.
    var pid: Int32
    /// Address of the gateway.
    var url: String
    var busURL: String
    /// The broker's monitoring pages. Nil for a store on an external bus.
    var monitorPort: Int?
    /// Absolute.
    var dataDirectory: String
    var startedAt: Timestamp
    var version: String
    /// Number of processes, for services with more than one. Nil without such services.
    var replicas: [String: Int]?
    /// The services' PostgreSQL, without secrets. Nil for SQLite.
    var database: String?

    /// The processes of the services, without the broker's.
    var instances: [ServiceInstance] {
        ServiceName.allCases.flatMap { service in
            (1...max(1, replicas?[service.rawValue] ?? 1)).map {
                ServiceInstance(service: service.rawValue, number: $0)
            }
        }
    }

    func write(to directory: DataDirectory) throws(CLIError) {
        try FileAccess.write(
            Array((JSONText.line(JSONText.value(self)) + "\n").utf8), to: directory.runRecord, mode: 0o600)
    }

    /// - Returns: Nil if it is missing or cannot be read.
    static func read(_ directory: DataDirectory) -> RunRecord? {
        FileAccess.text(directory.runRecord).flatMap { try? StoreJSON.decode(RunRecord.self, from: Array($0.utf8)) }
    }

    /// Whether the process of the record runs. After kill -9 the record remains.
    var isAlive: Bool { kill(pid, 0) == 0 || errno == EPERM }

    /// Finds the running store of the current project: `.storebus` here or in a directory above.
    static func search(from directory: String) -> DataDirectory? {
        var folder = Substring(directory)
        while true {
            let candidate = DataDirectory("\(folder)/\(DataDirectory.defaultName)")
            if FileManager.default.fileExists(atPath: candidate.runRecord) { return candidate }
            guard let slash = folder.lastIndex(of: "/") else { return nil }
            folder = folder[..<slash]
        }
    }
}

/// Locks a data directory for one running store. The kernel releases the lock when the process ends.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    /// Locks the file and writes the process identifier into it.
    /// - Throws: `dataDirectoryInUse` with the holder's id, or `dataDirectoryUnusable`.
    static func take(_ directory: DataDirectory) throws(CLIError) -> DirectoryLock {
        let descriptor = open(directory.lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CLIError(
                .dataDirectoryUnusable, "cannot open \(directory.lockFile): \(FileAccess.systemReason)",
                hints: ["name another: --data DIR"])
        }
        guard lock(descriptor) else {
            let holder = FileAccess.text(directory.lockFile) ?? "?"
            close(descriptor)
            throw inUse(directory, by: holder)
        }
        ftruncate(descriptor, 0)
        _ = FileAccess.writeAll(Array("\(getpid())\n".utf8), to: descriptor)
        return DirectoryLock(descriptor: descriptor)
    }

    /// Retries for a moment, because ``holder(_:)`` takes the lock for its check.
    private static func lock(_ descriptor: Int32) -> Bool {
        for _ in 0..<5 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            usleep(2_000)
        }
        return false
    }

    /// Finds the process that runs a store on the directory.
    /// - Returns: Nil when no process does.
    static func holder(_ directory: DataDirectory) -> Int32? {
        let descriptor = open(directory.lockFile, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // A successful lock shows that no process holds it.
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        return FileAccess.text(directory.lockFile).flatMap { Int32($0) }
    }

    static func inUse(_ directory: DataDirectory, by holder: String) -> CLIError {
        CLIError(
            .dataDirectoryInUse, "the data directory \(directory.path) is held by pid \(holder) (storebus up)",
            hints: ["use that store: storebus status", "stop it: storebus down", "another store: --data DIR"],
            details: ["pid": Int(holder).map { .integer($0) } ?? .null])
    }

    deinit { close(descriptor) }
}
