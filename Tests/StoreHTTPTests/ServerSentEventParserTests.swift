import StoreHTTP
import StorebusTesting
import Testing

@Suite struct ServerSentEventParserTests {
    private func items(_ text: String) throws -> [ServerSentEventParser.Item] {
        var parser = ServerSentEventParser(byteCountMax: 8 * 1024 * 1024)
        return try parser.append(Array(text.utf8))
    }

    @Test func `an event has its name, its identifier and its data`() throws {
        #expect(
            try items("id: 7\nevent: synchronized\ndata: {\"seq\":7}\n\n")
                == [.event(ServerSentEvent(id: "7", name: "synchronized", data: Array("{\"seq\":7}".utf8)))])
    }

    @Test func `an event without a name is a message, data lines are joined, the identifier stays`() throws {
        #expect(
            try items("id: a\n\ndata: one\ndata: two\n\ndata\n\n") == [
                .event(ServerSentEvent(id: "a", name: "message", data: Array("one\ntwo".utf8))),
                .event(ServerSentEvent(id: "a", name: "message", data: Array("".utf8))),
            ])
    }

    @Test func `a comment is an item, an event without data is not`() throws {
        #expect(try items(": alive\n\nevent: nothing\n\n:\n") == [.comment("alive"), .comment("")])
    }

    @Test(arguments: ["\n", "\r\n", "\r"]) func `every line end counts`(end: String) throws {
        let text = ["event: a", "data: 1", "", "data: 2", "", ""].joined(separator: end)
        #expect(
            try items(text) == [
                .event(ServerSentEvent(id: nil, name: "a", data: Array("1".utf8))),
                .event(ServerSentEvent(id: nil, name: "message", data: Array("2".utf8))),
            ])
    }

    @Test func `only one space behind the colon is dropped, and a byte order mark at the start`() throws {
        #expect(
            try items("\u{FEFF}data:  two spaces\n\n")
                == [.event(ServerSentEvent(id: nil, name: "message", data: Array(" two spaces".utf8)))])
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
            var parser = ServerSentEventParser(byteCountMax: 8 * 1024 * 1024)
            var parts: [ServerSentEventParser.Item] = []
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
        var parser = ServerSentEventParser(byteCountMax: 8 * 1024 * 1024)
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1024 * 1024)
        #expect(throws: ServerSentEventParser.EventTooLong.self) {
            for _ in 0..<9 { _ = try parser.append(piece) }
        }
    }

    private let text = ": alive\n\nevent: a\nid: 1\ndata: {\"x\":1}\n\ndata: one\ndata: two\n\nevent: empty\n\ndata\n\n"
    private let events = [
        ServerSentEvent(id: "1", name: "a", data: Array(#"{"x":1}"#.utf8)),
        ServerSentEvent(id: "1", name: "message", data: Array("one\ntwo".utf8)),
        ServerSentEvent(id: "1", name: "message", data: []),
    ]

    private func events(_ items: [ServerSentEventParser.Item]) -> [ServerSentEvent] {
        items.compactMap { item in
            guard case .event(let event) = item else { return nil }
            return event
        }
    }

    @Test func `events are the same in any pieces`() throws {
        var random = SplitMix64.seeded()
        for _ in 0..<200 {
            var parser = ServerSentEventParser(byteCountMax: 1024)
            var rest = Array(text.utf8)[...]
            var found: [ServerSentEvent] = []
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(7, rest.count), using: &random)
                found += events(try parser.append(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(found == events)
        }
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `a line ends with any of three ends`(end: String) throws {
        var parser = ServerSentEventParser(byteCountMax: 1024)
        let found = events(try parser.append(text.replacing("\n", with: end).utf8))
        #expect(found == events)
    }

    @Test func `an event beyond the bound is an error, one at the bound is read`() throws {
        var parser = ServerSentEventParser(byteCountMax: 10)
        #expect(try parser.append("data: 1234\n\n".utf8).count == 1)
        #expect(throws: ServerSentEventParser.EventTooLong()) { try parser.append("data: 12345".utf8) }
    }

    @Test func `an event is written as it is read`() throws {
        for event in [
            ServerSentEvent(id: "7", name: "synchronized", data: Array(#"{"seq":7}"#.utf8)),
            ServerSentEvent(id: "8", name: "a", data: Array("one\ntwo\n".utf8)),
            ServerSentEvent(name: "message", data: []),
        ] {
            var parser = ServerSentEventParser(byteCountMax: 1024)
            #expect(try parser.append(ServerSentEventEncoder.bytes(event)) == [.event(event)])
        }
        let event = ServerSentEvent(id: "7", name: "a", data: Array("{}".utf8))
        #expect(ServerSentEventEncoder.bytes(event) == Array("event: a\nid: 7\ndata: {}\n\n".utf8))
        var parser = ServerSentEventParser(byteCountMax: 1024)
        #expect(try parser.append(ServerSentEventEncoder.comment("alive")) == [.comment("alive")])
    }
}
