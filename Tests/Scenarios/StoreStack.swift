import AsyncHTTPClient
import Foundation
import StorebusTesting
import Synchronization

/// A whole store of real processes: `storebus up` on free ports and a directory of its own.
///
/// ```swift
/// try await StoreStack.run { store in
///     let alice = try await store.session(account: "alice")
///     …
/// }
/// ```
/// Every process is ended by its pid when the body returns or throws; then the logs are printed if it threw.
final class StoreStack: Sendable {
    let directory: TemporaryDirectory
    /// `http://127.0.0.1:40123`
    let url: String
    let adminKey: String
    let http: HTTPClient
    private let up: Process

    /// Starts a store, runs `body` against it and stops it.
    /// - Parameters:
    ///   - arguments: more words for `storebus up`.
    ///   - environment: variables for it and all processes it starts, besides those of the tests.
    static func run(
        _ arguments: [String] = [], environment: [String: String] = [:], _ body: (StoreStack) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory(prefix: "storebus-scenario")
        let store = try await StoreStack(directory: directory, arguments: arguments, environment: environment)
        do {
            try await body(store)
        } catch {
            store.printLogs()
            await store.stop()
            throw error
        }
        await store.stop()
    }

    private init(
        directory: TemporaryDirectory, arguments: [String], environment: [String: String]
    ) async throws {
        self.directory = directory
        up = Process()
        up.executableURL = URL(fileURLWithPath: try Executables.path(of: "storebus"))
        up.arguments =
            ["up", "--data", directory.path, "--port", "auto", "--bus-port", "auto"] + arguments
        up.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        up.standardInput = FileHandle.nullDevice
        let output = directory.file("up.out")
        try Data().write(to: URL(fileURLWithPath: output))
        up.standardOutput = FileHandle(forWritingAtPath: output)
        up.standardError = FileHandle(forWritingAtPath: output)
        try up.run()
        let process = up
        do {
            try await eventually("storebus up is ready", within: .seconds(60)) {
                guard process.isRunning else { throw StackError("storebus up ended: \(Self.text(output))") }
                return Self.text(output).contains("ready in")
            }
        } catch {
            process.interrupt()
            print(Self.text(output))
            throw error
        }
        let facts = try JSONDecoder().decode(
            UpFile.self, from: Data(contentsOf: URL(fileURLWithPath: directory.file("run/up.json"))))
        url = facts.url
        adminKey = try String(contentsOfFile: directory.file("admin.key"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        http = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup)
    }

    private struct UpFile: Decodable {
        let url: String
    }

    /// Everything `storebus up` has printed.
    var output: String { Self.text(directory.file("up.out")) }

    /// The pid of replica `number` of a service, as `storebus up` last wrote it.
    func pid(of service: String, number: Int = 1) throws -> Int32 {
        let text = Self.text(directory.file("run/\(service).\(number).pid"))
        guard let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw StackError("no pid of \(service)")
        }
        return pid
    }

    /// Sends a signal, SIGKILL unless told otherwise, to one process of this store.
    @discardableResult
    func signal(_ service: String, _ number: Int32 = SIGKILL) throws -> Int32 {
        let pid = try pid(of: service)
        guard kill(pid, number) == 0 else { throw StackError("cannot signal \(service), pid \(pid)") }
        return pid
    }

    /// Waits until `storebus up` has replaced a process that was killed.
    func waitForReplacement(of service: String, after old: Int32) async throws {
        try await eventually("\(service) is started again", within: .seconds(20)) {
            guard let pid = try? pid(of: service) else { return false }
            return pid != old && kill(pid, 0) == 0
        }
    }

    private func stop() async {
        try? await http.shutdown()
        let process = up
        if process.isRunning {
            process.interrupt()
            try? await eventually("storebus up stops", within: .seconds(15)) { !process.isRunning }
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        process.waitUntilExit()
    }

    private func printLogs() {
        print("storebus up said:\n\(output)")
        let logs = (try? FileManager.default.contentsOfDirectory(atPath: directory.file("logs"))) ?? []
        for log in logs.sorted() {
            print("--- \(log)\n\(Self.text(directory.file("logs/\(log)")).suffix(4_000))")
        }
    }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}

/// Something about the processes themselves went wrong.
struct StackError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The programs of this build: they lie beside the test bundle.
enum Executables {
    static func path(of name: String) throws -> String {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw StackError("no program '\(name)' beside the tests; build first: make build")
        }
        return path
    }
}
