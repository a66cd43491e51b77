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
    @concurrent static func start() async throws -> BrokerProcess {
        let broker = try BrokerProcess()
        let ready = broker.directory.file("ready")
        try await eventually("the broker listens", within: .seconds(20)) {
            FileManager.default.fileExists(atPath: ready)
        }
        let record = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: ready))) as? [String: Any]
        guard let port = record?["port"] as? Int else { throw NotReady(description: "no port in the ready file") }
        broker.port = port
        return broker
    }

    private init() throws {
        directory = try TemporaryDirectory()
        // Executables are built beside the bundle of the tests.
        let products = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(filePath: products).deletingLastPathComponent().appending(path: "broker")
        process.arguments = [
            "--port", "0", "--monitor-port", "0", "--ready-file", directory.file("ready"), "--log-level", "error",
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
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
