import ArgumentParser
import EventLoop
import Foundation
import Operations
import ServiceLifecycle
import StorebusTesting
import Testing

/// Goal: a process starts, tells that it is ready, shows its pages, ends, and leaves nothing. Method: one run in this
/// process, which ends by itself; processes with signals are the scenarios' affair.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct ServiceMainTests {
    /// Listens in name only, looks at the ready file and the pages, and returns.
    private struct Visitor: ServiceLifecycle.Service {
        let environment: ProcessEnvironment
        let readyPath: String
        let seen: Seen

        func run() async throws {
            try environment.ready.listening(host: environment.host, port: 4711)
            seen.readyFile.withLock { $0 = try? String(contentsOfFile: readyPath, encoding: .utf8) }
            let port = await environment.monitor.port
            let health = try await RawClient.exchange(port: port, "GET /healthz HTTP/1.1\r\n\r\n")
            let metrics = try await RawClient.exchange(port: port, "GET /metrics HTTP/1.1\r\n\r\n")
            seen.pages.withLock { $0 = [health, metrics] }
        }
    }

    private final class Seen: Sendable {
        let readyFile = Locked<String?>(nil)
        let pages = Locked<[String]>([])
    }

    // One test for the whole life, because swift-log and swift-metrics take one backend per process.
    @Test func `a process on no bus is ready when it listens, and is gone without a trace`() async throws {
        let directory = try TemporaryDirectory()
        let seen = Seen()
        let readyPath = directory.file("ready.json")
        let options = try ServiceOptions.parse([
            "--ready-file", readyPath, "--data", directory.file("data"), "--log-level", "critical", "--host",
            "127.0.0.1",
        ])
        try await ServiceMain.runProcess(name: "visitor", options: options, monitorPort: 0, usesData: true) {
            environment in
            #expect(FileManager.default.fileExists(atPath: environment.dataDirectory))
            #expect(environment.port == nil)
            #expect(!FileManager.default.fileExists(atPath: readyPath))
            return [Visitor(environment: environment, readyPath: readyPath, seen: seen)]
        }
        #expect(seen.readyFile.withLock { $0 }?.contains(#""port":4711,"service":"visitor""#) == true)
        let pages = seen.pages.withLock { $0 }
        #expect(pages.first?.hasSuffix(#"{"status":"pass"}"#) == true)
        #expect(pages.last?.contains("process_resident_memory_bytes ") == true)
        #expect(!FileManager.default.fileExists(atPath: readyPath))
    }

    @Test func `a settings file that cannot be read ends the start with 78`() async throws {
        let options = try ServiceOptions.parse(["--config", "/nowhere/settings.json"])
        let exit = await #expect(throws: ExitCode.self) {
            try await ServiceMain.runProcess(name: "visitor", options: options) { _ in [] }
        }
        #expect(exit == ExitCode(78))
    }
}
