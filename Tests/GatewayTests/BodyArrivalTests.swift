import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway

/// A body that came with its head is read without a time limit; any other body has one.
@Suite struct BodyArrivalTests {
    private struct Channel {
        let channel = EmbeddedChannel()
        private let arrived = NIODeadline.uptimeNanoseconds(5_000_000_000)

        init() throws {
            let arrived = arrived
            let admission = Admission(StoreRoutes.all, now: { arrived }, logger: InMemoryGateway.logger)
            try channel.pipeline.syncOperations.addHandlers([HTTPResponseEncoder(), AdmissionHandler(admission)])
        }

        /// Reads parts at once, as of one read of the socket.
        func read(_ parts: [HTTPServerRequestPart], isComplete: Bool = true) {
            for part in parts { channel.pipeline.fireChannelRead(part) }
            if isComplete { channel.pipeline.fireChannelReadComplete() }
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

    private static let head = HTTPServerRequestPart.head(
        HTTPRequestHead(version: .http1_1, method: .POST, uri: "/v1/payments", headers: ["Sb-Arrival": "1w"]))
    private static func body(_ text: String) -> HTTPServerRequestPart { .body(ByteBuffer(string: text)) }

    @Test func `a request that came in one read is stamped as whole, and only then`() throws {
        let channel = try Channel()
        channel.read([Self.head, Self.body("{}"), .end(nil)])
        #expect(try channel.passed() == ["5000000000w", "{}", "end"])
        channel.read([Self.head, .end(nil)])
        #expect(try channel.passed() == ["5000000000w", "end"])
        channel.read([Self.head, Self.body("{}"), .end(nil), Self.head, Self.body("{")])
        #expect(try channel.passed() == ["5000000000w", "{}", "end", "5000000000", "{"])
        channel.read([Self.body("}"), .end(nil)])
        #expect(try channel.passed() == ["}", "end"])
    }

    @Test func `a request that comes in pieces goes on as it comes`() throws {
        let channel = try Channel()
        channel.read([Self.head])
        #expect(try channel.passed() == ["5000000000"])
        channel.read([Self.body("{"), Self.body("}"), .end(nil)])
        #expect(try channel.passed() == ["{", "}", "end"])
        // A body of several pieces may be long, so nothing of it is kept.
        channel.read([Self.head, Self.body("{"), Self.body("}")], isComplete: false)
        #expect(try channel.passed() == ["5000000000", "{", "}"])
        channel.read([.end(nil)])
        #expect(try channel.passed() == ["end"])
    }

    @Test func `what came of a request goes on before an error and before the end of the connection`() throws {
        for ending in [true, false] {
            let channel = try Channel()
            channel.read([Self.head, Self.body("{")], isComplete: false)
            #expect(try channel.passed() == [])
            if ending {
                channel.channel.pipeline.fireChannelInactive()
            } else {
                channel.channel.pipeline.fireErrorCaught(HTTPParserError.invalidChunkSize)
            }
            #expect(try channel.passed() == ["5000000000", "{"])
            if !ending {
                #expect(throws: HTTPParserError.self) { try channel.channel.throwIfErrorCaught() }
            }
        }
    }

    @Test(arguments: ["5000000000", "5000000000w"])
    func `a body is read up to its limit, with a time limit or without`(stamp: String) async throws {
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
        #expect(Arrival.isWhole(request([]).headers) == stamp.hasSuffix("w"))
        #expect(try await RequestBodyReader.bytes(of: request(["ab", "cd"]), max: 4) == Array("abcd".utf8))
        await #expect(throws: StoreError.self) {
            try await RequestBodyReader.bytes(of: request(["ab", "cde"]), max: 4)
        }
        let clock = ContinuousClock.now
        let now = NIODeadline.uptimeNanoseconds(5_300_000_000)
        #expect(Arrival.time([Arrival.name: stamp], now: now, clock: clock) == clock - .milliseconds(300))
    }
}
