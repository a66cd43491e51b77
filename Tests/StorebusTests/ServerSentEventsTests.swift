import StorebusTesting
import Testing

@testable import Storebus

@Suite struct ServerSentEventsTests {
    private func items(_ text: String) throws -> [ServerSentEvents.Item] {
        var parser = ServerSentEvents()
        return try parser.append(Array(text.utf8))
    }

    @Test func `an event has its name, its identifier and its data`() throws {
        #expect(
            try items("id: 7\nevent: synchronized\ndata: {\"seq\":7}\n\n")
                == [.event(ServerSentEvent(id: "7", event: "synchronized", data: "{\"seq\":7}"))])
    }

    @Test func `an event without a name is a message, data lines are joined, the identifier stays`() throws {
        #expect(
            try items("id: a\n\ndata: one\ndata: two\n\ndata\n\n") == [
                .event(ServerSentEvent(id: "a", event: "message", data: "one\ntwo")),
                .event(ServerSentEvent(id: "a", event: "message", data: "")),
            ])
    }

    @Test func `a comment is told, an event without data is not`() throws {
        #expect(try items(": alive\n\nevent: nothing\n\n:\n") == [.comment("alive"), .comment("")])
    }

    @Test(arguments: ["\n", "\r\n", "\r"]) func `every line end counts`(end: String) throws {
        let text = ["event: a", "data: 1", "", "data: 2", "", ""].joined(separator: end)
        #expect(
            try items(text) == [
                .event(ServerSentEvent(id: nil, event: "a", data: "1")),
                .event(ServerSentEvent(id: nil, event: "message", data: "2")),
            ])
    }

    @Test func `only one space behind the colon is dropped, and a byte order mark at the start`() throws {
        #expect(
            try items("\u{FEFF}data:  two spaces\n\n")
                == [.event(ServerSentEvent(id: nil, event: "message", data: " two spaces"))])
    }

    @Test func `unknown fields are passed over, and an event cut off by the end of the stream never comes`() throws {
        #expect(try items("retry: 5\nfoo: bar\ndata: 1\n") == [])
    }

    @Test func `the same items come however the bytes are cut`() throws {
        let text = """
            : degraded: payments\r\nid: 41\r\nevent: updatedTransactions\r\ndata: {"seq":41,"t":"ünïcödé"}\r\n\r\n\
            data: a\ndata: b\n\n: alive\nevent: synchronized\ndata: {"seq":42}\nid: 42\n\n
            """
        let bytes = Array(text.utf8)
        let whole = try items(text)
        #expect(whole.count == 5)
        var random = SplitMix64.seeded()
        for _ in 0..<500 {
            var parser = ServerSentEvents()
            var parts: [ServerSentEvents.Item] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...9, using: &random))
                parts += try parser.append(piece)
                rest = rest.dropFirst(piece.count)
            }
            #expect(parts == whole)
            #expect(parser.lastEventIdentifier == "42")
        }
    }

    @Test func `an event without an end is refused at the bound`() throws {
        var parser = ServerSentEvents()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1024 * 1024)
        #expect(throws: ServerSentEvents.TooLong.self) {
            for _ in 0..<9 { _ = try parser.append(piece) }
        }
    }
}
