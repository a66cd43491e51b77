import Foundation

/// A whole store of real processes: `storebus up` on free ports and a directory of its own. ``stop()`` ends it.
public final class StoreProcess: Sendable {
    /// Holds the data, the logs and the output. Removed at the end.
    public let directory: TemporaryDirectory
    /// `http://127.0.0.1:40123`
    public let url: String
    /// The bearer token of paths under `/admin`.
    public let adminKey: String
    private let up: Process

    /// Starts a store and waits until it is ready.
    /// - Parameters:
    ///   - arguments: More arguments for `storebus up`.
    ///   - environment: Variables for it and all processes it starts, in addition to those of the tests.
    ///   - directory: The directory of its data. A temporary one by default.
    public init(
        _ arguments: [String] = [], environment: [String: String] = [:], in directory: TemporaryDirectory? = nil
    ) async throws {
        let directory = try directory ?? TemporaryDirectory(prefix: "storebus-scenario")
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
                guard process.isRunning else {
                    throw StackError("storebus up ended with \(process.terminationStatus): \(Self.text(output))")
                }
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
    }

    private struct UpFile: Decodable {
        let url: String
    }

    /// Everything `storebus up` has printed.
    public var output: String { Self.text(directory.file("up.out")) }

    /// The pid of replica `number` of a service, as `storebus up` last wrote it.
    public func pid(of service: String, number: Int = 1) throws -> Int32 {
        let text = Self.text(directory.file("run/\(service).\(number).pid"))
        guard let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw StackError("no pid of \(service)")
        }
        return pid
    }

    /// Runs the command line against this store and waits for its end.
    /// - Returns: Its standard output.
    /// - Throws: ``StackError`` with all its output if it ends with another status than 0.
    @discardableResult
    public func storebus(_ arguments: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Executables.path(of: "storebus"))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        let name = UUID().uuidString
        let (output, errors) = (directory.file("cli.\(name).out"), directory.file("cli.\(name).err"))
        for path in [output, errors] { try Data().write(to: URL(fileURLWithPath: path)) }
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else {
            throw StackError(
                "storebus \(arguments.joined(separator: " ")) ended with \(status): "
                    + Self.text(output) + Self.text(errors))
        }
        return Self.text(output)
    }

    /// Variables that lead a program to this store as its operator.
    public var variables: [String: String] { ["STOREBUS_URL": url, "STOREBUS_ADMIN_KEY": adminKey] }

    /// Ends every process by its pid.
    public func stop() async {
        let process = up
        if process.isRunning {
            process.interrupt()
            try? await eventually("storebus up stops", within: .seconds(15)) { !process.isRunning }
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        process.waitUntilExit()
    }

    /// Prints the context of a failure: all output of `storebus up`, and the end of each log.
    public func printLogs() {
        print("storebus up said:\n\(output)")
        let logs = (try? FileManager.default.contentsOfDirectory(atPath: directory.file("logs"))) ?? []
        for log in logs.sorted() {
            print("--- \(log)\n\(Self.text(directory.file("logs/\(log)")).suffix(4_000))")
        }
    }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}

/// Something about the processes themselves went wrong.
public struct StackError: Error, CustomStringConvertible {
    /// The error, with the output if it has any.
    public let description: String
    /// Creates an error for the test's report.
    public init(_ description: String) { self.description = description }
}

/// The programs of this build: they are next to the test bundle.
public enum Executables {
    public static func path(of name: String) throws -> String {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw StackError("no program '\(name)' beside the tests; build first: make build")
        }
        return path
    }
}
