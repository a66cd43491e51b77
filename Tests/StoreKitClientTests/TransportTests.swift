import Foundation
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite struct TransportTests {
    private func request(_ gateway: FakeGateway, _ path: String) throws -> URLRequest {
        try #require(
            HTTPCall(method: .post, path: path, body: Array(#"{"a":"b"}"#.utf8)).request(
                to: gateway.connection().gateway, token: nil))
    }

    @Test func `a request after one whose connection the store has closed is answered`() async throws {
        let gateway = try FakeGateway()
        gateway.on("POST /closing") { _ in .json(["x": 1]) }
        let transport = HTTPTransport(timeout: .seconds(5))
        for _ in 0..<20 {
            let answer = try await transport.load(request(gateway, "/closing"), limit: 100)
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
        }
        #expect(gateway.requests("POST /closing").map(\.json) == Array(repeating: .object(["a": "b"]), count: 20))
    }

    @Test func `an answer beyond the bound is a failure, one at the bound is not`() async throws {
        let gateway = try FakeGateway()
        gateway.on("POST /long") { _ in .answer(status: 200, headers: [:], body: Array(repeating: 65, count: 5000)) }
        let transport = HTTPTransport(timeout: .seconds(5))
        #expect(try await transport.load(request(gateway, "/long"), limit: 5000).body.count == 5000)
        await #expect(throws: URLError.self) { try await transport.load(request(gateway, "/long"), limit: 4999) }
    }

    @Test func `a long response comes over a connection that has carried another one`() async throws {
        let gateway = try FakeGateway()
        gateway.on("GET /first") { _ in .json([String: String]()) }
        gateway.on("GET /long") { _ in .silence }
        let (first, long) = (gateway.url.appendingPathComponent("first"), gateway.url.appendingPathComponent("long"))
        let task = await HTTPTransport(timeout: .seconds(60)).start(
            URLRequest(url: long), after: URLRequest(url: first), StreamTransfer(bytesMax: 100))
        try await eventually("both are asked") { gateway.requests("GET /long").count == 1 }
        #expect(gateway.requests("GET /first").map(\.connection) == gateway.requests("GET /long").map(\.connection))
        task.cancel()
    }

    @Test func `a redirect is an answer and not followed`() async throws {
        let (gateway, other) = (try FakeGateway(), try FakeGateway())
        gateway.on("POST /away") { [url = other.url] _ in
            .answer(status: 307, headers: ["location": "\(url)/caught"], body: [])
        }
        let answer = try await HTTPTransport(timeout: .seconds(5)).load(request(gateway, "/away"), limit: 100)
        #expect(answer.status == 307)
        #expect(other.requests("POST /caught").isEmpty)
    }

    @Test func `cancelling the caller cancels the request`() async throws {
        let gateway = try FakeGateway()
        gateway.on("POST /silent") { _ in .silence }
        let request = try request(gateway, "/silent")
        let task = Task { try await HTTPTransport(timeout: .seconds(60)).load(request, limit: 100) }
        try await eventually("it is asked") { gateway.requests("POST /silent").count == 1 }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
    }

    @Test func `a reader that does not read ends a stream at the bound`() async throws {
        let gateway = try FakeGateway()
        let stream = FakeStream()
        gateway.on("POST /stream") { _ in .stream(stream) }
        let transfer = StreamTransfer(bytesMax: 10_000)
        HTTPTransport(timeout: .seconds(10)).start(try request(gateway, "/stream"), transfer)
        for _ in 0..<20 { stream.send(bytes: Array(repeating: 65, count: 1000)) }
        try await eventually("it is closed") { stream.isClosed }
        await #expect(throws: URLError.self) { for try await _ in transfer.parts {} }
    }

    @Test func `requests leave no connection behind, also when the store would keep them`() async throws {
        let gateway = try FakeGateway(keepsConnections: true)
        gateway.on("POST /x") { _ in .json(["x": 1]) }
        let transport = HTTPTransport(timeout: .seconds(5))
        for _ in 0..<50 { _ = try await transport.load(request(gateway, "/x"), limit: 100) }
        #expect(gateway.requests("POST /x").count == 50)
        try await eventually("all are closed") { gateway.openConnections == 0 }
    }

    @Test func `a stream that is opened again and again leaves no connection behind`() async throws {
        let gateway = try FakeGateway()
        gateway.on("GET /v1/transactions/stream") { _ in .drop }
        let queue = gateway.queue()
        let observer = RecordingObserver()
        queue.add(observer)
        try await eventually("it was opened often") { gateway.requests("GET /v1/transactions/stream").count > 50 }
        #expect(gateway.openConnections <= 2)
        queue.remove(observer)
        try await eventually("all are closed") { gateway.openConnections == 0 }
    }
}
