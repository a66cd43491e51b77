import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

@testable import GatewayEdge

/// A request begins when its body is here, so that no handler waits for a client.
@Suite struct BodyArrivalTests {
    private struct Channel {
        let channel = EmbeddedChannel()
        let admission: Admission
        private let arrived = NIODeadline.uptimeNanoseconds(5_000_000_000)

        init() throws {
            let arrived = arrived
            admission = Admission(StoreRoutes.all, now: { arrived }, logger: InMemoryGateway.logger)
            try channel.pipeline.syncOperations.addHandlers([
                HTTPResponseEncoder(), ConnectionHandler(admission, SocketGate()),
            ])
        }

        /// Reads parts at once, as of one read of the socket.
        func read(_ parts: [HTTPServerRequestPart]) {
            for part in parts { channel.pipeline.fireChannelRead(part) }
            channel.pipeline.fireChannelReadComplete()
        }

        func respond() throws {
            try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        }

        /// The parts that have come through, with the stamp in place of a head.
        func passed() throws -> [String] {
            var passed: [String] = []
            while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
                switch part {
                case .head(let head): passed.append(head.headers["Sb-Arrival"].joined(separator: ","))
                case .body(let body): passed.append(String(buffer: body))
                case .end: passed.append("end")
                }
            }
            return passed
        }
    }

    private static func head(
        _ uri: String = "/v1/payments", method: HTTPMethod = .POST, length: Int? = nil
    ) -> HTTPServerRequestPart {
        var headers: HTTPHeaders = ["Host": "a", "Sb-Arrival": "1w"]
        if let length { headers.add(name: "Content-Length", value: "\(length)") }
        return .head(HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers))
    }
    private static func body(_ text: String) -> HTTPServerRequestPart { .body(ByteBuffer(string: text)) }

    @Test func `a request goes on when its last byte has come, and has no place before`() throws {
        let channel = try Channel()
        channel.read([Self.head(), Self.body("{")])
        channel.read([Self.body("}")])
        #expect(try channel.passed() == [])
        #expect(channel.admission.permitsTaken == 0)
        channel.read([.end(nil)])
        #expect(try channel.passed() == ["5000000000w", "{}", "end"])
        #expect(channel.admission.permitsTaken == 1)
        try channel.respond()
        #expect(channel.admission.permitsTaken == 0)
    }

    @Test func `the next request goes on when the response has left`() throws {
        let channel = try Channel()
        channel.read([Self.head(), Self.body("1"), .end(nil), Self.head(), Self.body("2")])
        channel.read([.end(nil)])
        #expect(try channel.passed() == ["5000000000w", "1", "end"])
        #expect(channel.admission.permitsTaken == 1)
        try channel.respond()
        #expect(try channel.passed() == ["5000000000w", "2", "end"])
    }

    @Test func `a body that is too large, announced or not, is not waited for`() throws {
        let announced = try Channel()
        announced.read([Self.head(length: 65_537)])
        #expect(try announced.passed() == ["5000000000"])
        let long = String(repeating: "x", count: 65_536)
        let sent = try Channel()
        sent.read([Self.head(), Self.body(long)])
        #expect(try sent.passed() == [])
        sent.read([Self.body("x")])
        #expect(try sent.passed() == ["5000000000", long + "x"])
        let receipt = try Channel()
        receipt.read([Self.head("/verifyReceipt", length: 960 << 10)])
        #expect(try receipt.passed() == [])
    }

    @Test func `an upload goes on as it comes`() throws {
        let channel = try Channel()
        channel.read([Self.head("/admin/v1/apps/a/catalog", method: .PUT), Self.body("1")])
        channel.read([Self.body("2")])
        #expect(try channel.passed() == ["5000000000", "1", "2"])
        try channel.respond()
        // What is left of it goes to the handlers, which drop it.
        channel.read([Self.body("3"), .end(nil), Self.head(), .end(nil)])
        #expect(try channel.passed() == ["3", "end", "5000000000w", "end"])
    }

    @Test func `what came of a request goes on before an error`() throws {
        let channel = try Channel()
        channel.read([Self.head(), Self.body("{")])
        channel.channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
        #expect(try channel.passed() == ["5000000000", "{"])
        #expect(throws: HTTPParserError.self) { try channel.channel.throwIfErrorCaught() }
    }

    @Test(arguments: ["5000000000w", "5000000000"])
    func `a body is read up to its limit, and one that has not arrived not at all`(stamp: String) async throws {
        func request(_ chunks: [String]) -> Request {
            let stream = AsyncStream<ByteBuffer> { continuation in
                for chunk in chunks { continuation.yield(ByteBuffer(string: chunk)) }
                continuation.finish()
            }
            return Request(
                head: HTTPRequest(
                    method: .post, scheme: nil, authority: nil, path: "/", headerFields: [Arrival.name: stamp]),
                body: RequestBody(asyncSequence: stream))
        }
        if stamp.hasSuffix("w") {
            #expect(try await RequestBodyReader.bytes(of: request(["ab", "cd"]), max: 4) == Array("abcd".utf8))
        }
        await #expect(throws: StoreError.self) {
            try await RequestBodyReader.bytes(of: request(stamp.hasSuffix("w") ? ["ab", "cde"] : []), max: 4)
        }
        let clock = ContinuousClock.now
        let now = NIODeadline.uptimeNanoseconds(5_300_000_000)
        #expect(Arrival.time([Arrival.name: stamp], now: now, clock: clock) == clock - .milliseconds(300))
    }
}
