import Foundation
import StorebusTesting

/// The broker as a process, for what only shows from outside: descriptors and memory.
final class BrokerProcess {
    struct NotReady: Error, CustomStringConvertible {
        let description: String
    }

    private let process = Process()
    private let directory: TemporaryDirectory
    private(set) var port = 0

    /// Starts it and waits until it listens.
    /// - Parameter arguments: Besides those of every test.
    @concurrent static func start(_ arguments: [String] = []) async throws -> BrokerProcess {
        let broker = try BrokerProcess(arguments)
        let ready = broker.directory.file("ready")
        try await eventually("the broker listens", within: .seconds(20)) {
            FileManager.default.fileExists(atPath: ready)
        }
        let record = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: ready))) as? [String: Any]
        guard let port = record?["port"] as? Int else { throw NotReady(description: "no port in the ready file") }
        broker.port = port
        return broker
    }

    private init(_ arguments: [String]) throws {
        directory = try TemporaryDirectory()
        process.executableURL = try Self.executable()
        process.arguments =
            [
                "--port", "0", "--monitor-port", "0", "--ready-file", directory.file("ready"), "--log-level", "error",
            ] + arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    /// Executables are built beside the bundle of the tests.
    private static func executable() throws -> URL {
        let products = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: products).deletingLastPathComponent().appending(path: "broker")
    }

    /// Asks the broker for its health as its container does. Returns the exit status and what was printed, which fits
    /// into a pipe. No thread of the pool waits meanwhile.
    func health(_ variables: [String: String]) async throws -> (Int32, String) {
        let probe = Process()
        let output = Pipe()
        probe.executableURL = try Self.executable()
        probe.arguments = ["--health", "--ready-file", directory.file("ready")]
        probe.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        (probe.standardOutput, probe.standardError) = (output, output)
        let status = try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Int32, any Error>) in
            probe.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
            do { try probe.run() } catch { ended.resume(throwing: error) }
        }
        return (status, String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Stops it and waits for its end.
    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Open descriptors.
    var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd"))?.count ?? 0
    }

    /// Resident memory in bytes.
    var residentBytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8))?
            .split(separator: " ")
        return (fields.flatMap { Int($0[1]) } ?? 0) * 4096
    }
}
