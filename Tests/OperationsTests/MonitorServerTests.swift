import EventLoop
import ServiceLifecycle
import StorebusTesting
import Synchronization
import Testing

@testable import Operations

/// Goal: the monitoring port answers, refuses and ends as it should. Method: raw bytes over loopback.
@Suite(.timeLimit(.minutes(1)))
struct MonitorServerTests {
    private func with(_ body: (MonitorServer, Int) async throws -> Void) async throws {
        let loop = try UVLoop.start(name: "monitor")
        let server = MonitorServer(loop: loop)
        server.route("/healthz") { _ in .json(["status": "pass"]) }
        server.route("/echo") { request in .text(request.query["say"] ?? "nothing") }
        server.route("/stuck") { _ in
            try? await Task.sleep(for: .seconds(3600))
            return .text("late")
        }
        let port = try await server.start(port: 0)
        try await body(server, port)
        await server.stop()
        await loop.close()
    }

    @Test func `a page is answered and the connection closed`() async throws {
        try await with { _, port in
            let answer = try await RawClient.exchange(port: port, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(
                answer
                    == "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 17\r\n"
                    + "Cache-Control: no-store\r\nConnection: close\r\n\r\n{\"status\":\"pass\"}")
            let echo = try await RawClient.exchange(port: port, "GET /echo?say=h%69 HTTP/1.1\r\n\r\n")
            #expect(echo.hasSuffix("\r\n\r\nhi"))
            let head = try await RawClient.exchange(port: port, "HEAD /echo HTTP/1.1\r\n\r\n")
            #expect(head.hasSuffix("\r\n\r\n") && head.contains("Content-Length: 7\r\n"))
        }
    }

    @Test func `other paths, methods and bytes are refused by name`() async throws {
        try await with { _, port in
            let missing = try await RawClient.exchange(port: port, "GET /nope HTTP/1.1\r\n\r\n")
            #expect(missing.hasPrefix("HTTP/1.1 404 ") && missing.contains("/echo /healthz"))
            let posted = try await RawClient.exchange(port: port, "POST /healthz HTTP/1.1\r\n\r\n")
            #expect(posted.hasPrefix("HTTP/1.1 405 ") && posted.contains("Allow: GET, HEAD\r\n"))
            let garbage = try await RawClient.exchange(port: port, "\u{0}\u{1}\r\n\r\n")
            #expect(garbage.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test func `one page that hangs does not stop the others`() async throws {
        try await with { server, port in
            let stuck = Task { try? await RawClient.exchange(port: port, "GET /stuck HTTP/1.1\r\n\r\n") }
            let answer = try await RawClient.exchange(port: port, "GET /echo HTTP/1.1\r\n\r\n")
            #expect(answer.hasSuffix("nothing"))
            await server.stop()
            _ = await stuck.value
        }
    }

    @Test func `connections that ask for nothing keep nobody out: the oldest gives way`() async throws {
        try await with { _, port in
            let loop = try UVLoop.start(name: "idle")
            let idle = RawClient(loop: loop)
            for _ in 0..<3 * MonitorServer.connectionsMax { try await idle.open(port: port) }
            for _ in 0..<3 {
                let answer = try await RawClient.exchange(port: port, "GET /echo HTTP/1.1\r\n\r\n")
                #expect(answer.hasSuffix("nothing"))
            }
            await loop.close()
        }
    }

    @Test func `a port in use is named with the remedy`() async throws {
        try await with { server, port in
            let second = MonitorServer(loop: server.loop)
            let error = await #expect(throws: StartupError.self) { try await second.start(port: port) }
            #expect(error?.exit == .unavailable)
            #expect(error?.message.contains("127.0.0.1:\(port) is in use") == true)
            #expect(error?.message.contains("--monitor-port") == true)
        }
    }

    @Test func `graceful shutdown frees the port`() async throws {
        let loop = try UVLoop.start(name: "monitor")
        let server = MonitorServer(loop: loop)
        let port = try await server.start(port: 0)
        let group = ServiceGroup(services: [server], logger: silent)
        let running = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        try await running.value
        let second = MonitorServer(loop: loop)
        #expect(try await second.start(port: port) == port)
        await loop.close()
    }
}
