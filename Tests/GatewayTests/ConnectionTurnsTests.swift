import NIOCore
import NIOHTTP1
import StoreHTTP
import StorebusTesting
import Testing

@testable import GatewayEdge

/// The requests of one connection, one after the other.
@Suite struct ConnectionTurnsTests {
    private static func head(
        _ uri: String = "/", version: HTTPVersion = .http1_1, headers: HTTPHeaders = ["Host": "a"]
    ) -> ConnectionTurns.Item {
        .part(.head(HTTPRequestHead(version: version, method: .GET, uri: uri, headers: headers)))
    }

    private static let end = ConnectionTurns.Item.part(.end(nil))

    /// Turns that a test's expectations may change.
    private final class Connection {
        var turns = ConnectionTurns()

        /// Feeds an item, and returns what it leads to in one word.
        func feed(_ item: ConnectionTurns.Item, body: HTTPRoute.Body = .small) -> String {
            switch turns.receive(item, traits: { _ in RouteTraits.Traits(body: body) }) {
            case .none: "none"
            case .begin(let request): request.isWhole ? "begin" : "begin early"
            case .rejectHost: "reject"
            case .pass: "pass"
            }
        }

        func answer(closes: Bool = false) -> Bool {
            let place = turns.responseBegan(closes: closes)
            turns.responseEnded()
            return place
        }

        func next() -> ConnectionTurns.Item? { turns.next() }
        func closeAfterTurn() -> Bool { turns.closeAfterTurn() }
    }

    /// Kept bytes that a test's expectations may change.
    private final class Held<ID: Hashable> {
        var held: HeldBytes<ID>

        init(max: Int) { held = HeldBytes(max: max) }

        func set(_ id: ID, to bytes: Int) -> [ID] { held.set(id, to: bytes) }
    }

    @Test func `two thousand pipelined requests hold one place, and none while the answer is not read`() {
        let connection = Connection()
        var begun = 0
        for _ in 0..<2000 {
            #expect(connection.feed(Self.head()) == "none")
            if connection.feed(Self.end) == "begin" {
                begun += 1
                connection.turns.admitted(hasPermit: true)
            }
        }
        #expect(begun == 1 && !connection.turns.isReading)
        #expect(connection.answer(), "the place is given back when the response begins")
        #expect(connection.next() == nil, "the response has not left")
        for _ in 1..<2000 {
            connection.turns.responseLeft()
            var step = ""
            while let item = connection.next() { step = connection.feed(item) }
            #expect(step == "begin")
            connection.turns.admitted(hasPermit: true)
            #expect(connection.answer())
        }
        connection.turns.responseLeft()
        #expect(connection.turns.phase == .arriving && connection.next() == nil)
    }

    @Test func `every order of parts and responses begins each request once, in order, one at a time`() {
        var random = SplitMix64.seeded()
        for _ in 0..<200 {
            let connection = Connection()
            var items: [ConnectionTurns.Item] = (0..<8).flatMap { [Self.head("/\($0)"), Self.end] }
            items.reverse()
            var begun: [String] = []
            var (inWork, sending) = (false, false)
            func take(_ item: ConnectionTurns.Item) {
                if case .begin(let request) = connection.turns.receive(item, traits: { _ in RouteTraits.Traits() }) {
                    #expect(!inWork && !sending)
                    begun.append(request.head.uri)
                    connection.turns.admitted(hasPermit: true)
                    inWork = true
                }
            }
            while begun.count < 8 || inWork || sending {
                switch Int.random(in: 0..<3, using: &random) {
                case 0: if let item = items.popLast() { take(item) }
                case 1:
                    guard inWork else { continue }
                    #expect(connection.answer())
                    (inWork, sending) = (false, true)
                default:
                    guard sending else { continue }
                    sending = false
                    connection.turns.responseLeft()
                    while let item = connection.next() { take(item) }
                }
            }
            #expect(begun == (0..<8).map { "/\($0)" })
        }
    }

    @Test func `a response that closes ends the connection, whatever is behind it`() {
        let connection = Connection()
        _ = connection.feed(Self.head())
        #expect(connection.feed(Self.end) == "begin")
        _ = connection.feed(Self.head())
        _ = connection.answer(closes: true)
        connection.turns.responseLeft()
        #expect(connection.turns.phase == .closing && connection.next() == nil)
        #expect(connection.feed(Self.end) == "none")
    }

    @Test func `a request that asks for the end of the connection gets it`() {
        for (head, closes) in [
            (Self.head(headers: ["Host": "a", "Connection": "close"]), true),
            (Self.head(version: .http1_0), true), (Self.head(), false),
        ] {
            let connection = Connection()
            _ = connection.feed(head)
            _ = connection.feed(Self.end)
            _ = connection.answer()
            connection.turns.responseLeft()
            #expect((connection.turns.phase == .closing) == closes)
        }
    }

    @Test func `no Host and two Hosts are rejected, but for the oldest clients`() {
        let cases: [(HTTPHeaders, HTTPVersion, String)] = [
            ([:], .http1_1, "reject"), (["Host": "a", "host": "b"], .http1_1, "reject"),
            (["HOST": "a"], .http1_1, "none"),
            ([:], .http1_0, "none"), (["Host": "a", "Host": "a"], .http1_0, "reject"),
            (["Hosts": "a"], .http1_1, "reject"),
        ]
        for (headers, version, step) in cases {
            let connection = Connection()
            #expect(connection.feed(Self.head(version: version, headers: headers)) == step, "\(headers)")
        }
    }

    @Test func `an early answer waits for the rest of the body before the next request begins`() {
        let connection = Connection()
        #expect(connection.feed(Self.head(), body: .streamed) == "begin early")
        connection.turns.admitted(hasPermit: true)
        _ = connection.answer()
        connection.turns.responseLeft()
        #expect(connection.turns.isReading && connection.turns.isAwaitingRest && connection.turns.phase == .answering)
        #expect(connection.feed(.part(.body(ByteBuffer(string: "x")))) == "pass")
        #expect(connection.feed(Self.end) == "pass")
        #expect(connection.turns.phase == .arriving && !connection.turns.isAwaitingRest)
    }

    @Test func `a refused client is not read during its pause`() {
        let connection = Connection()
        _ = connection.feed(Self.head())
        #expect(connection.feed(Self.end) == "begin")
        connection.turns.refused(pauses: true)
        connection.turns.responseLeft()
        #expect(connection.turns.phase == .paused && !connection.turns.isReading)
        connection.turns.pauseEnded()
        #expect(connection.turns.phase == .arriving)
    }

    @Test func `a client that hangs up is seen at once, unless it sent more before`() {
        let connection = Connection()
        _ = connection.feed(Self.head())
        _ = connection.feed(Self.end)
        #expect(connection.feed(.inputEnd) == "pass")
        _ = connection.feed(Self.head())
        #expect(connection.feed(.inputEnd) == "none")
    }

    @Test func `a gateway that stops closes idle connections at once, others after their answer`() {
        let idle = Connection()
        #expect(idle.closeAfterTurn() && idle.turns.phase == .closing)
        let busy = Connection()
        _ = busy.feed(Self.head())
        _ = busy.feed(Self.end)
        #expect(!busy.closeAfterTurn())
        _ = busy.answer()
        busy.turns.responseLeft()
        #expect(busy.turns.phase == .closing)
    }

    @Test func `the place of a connection that ends is given back once`() {
        let connection = Connection()
        _ = connection.feed(Self.head())
        _ = connection.feed(Self.end)
        connection.turns.admitted(hasPermit: true)
        let (first, second) = (connection.turns.takePermit(), connection.turns.takePermit())
        #expect(first && !second)
    }

    @Test func `at the bound those give way that kept bytes for the longest time`() {
        let kept = Held<String>(max: 10)
        #expect(kept.set("a", to: 4).isEmpty)
        #expect(kept.set("b", to: 4).isEmpty)
        #expect(kept.set("a", to: 5).isEmpty)
        #expect(kept.set("c", to: 2) == ["a"])
        #expect(kept.held.total == 6)
        // What went away and comes again is new.
        #expect(kept.set("b", to: 0).isEmpty)
        #expect(kept.set("b", to: 6).isEmpty)
        #expect(kept.set("d", to: 3) == ["c"])
        #expect(kept.set("e", to: 30) == ["b", "d", "e"])
        #expect(kept.held.total == 0 && kept.held.isEmpty)
    }

    @Test func `the sum of kept bytes is right and bounded after any changes`() {
        var random = SplitMix64.seeded()
        let kept = Held<Int>(max: 1000)
        var model: [Int: Int] = [:]
        for _ in 0..<20_000 {
            let id = Int.random(in: 0..<40, using: &random)
            let bytes = Bool.random(using: &random) ? 0 : Int.random(in: 1..<200, using: &random)
            model[id] = bytes == 0 ? nil : bytes
            for evicted in kept.set(id, to: bytes) { model[evicted] = nil }
            #expect(kept.held.total == model.values.reduce(0, +) && kept.held.total <= 1000)
        }
    }
}
