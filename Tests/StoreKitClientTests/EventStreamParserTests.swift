import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

@Suite struct EventStreamParserTests {
    private let text = ": alive\n\nevent: a\nid: 1\ndata: {\"x\":1}\n\ndata: one\ndata: two\n\nevent: empty\n\ndata\n\n"
    private let events = [
        EventStreamParser.Event(name: "a", data: Array(#"{"x":1}"#.utf8)),
        EventStreamParser.Event(name: "message", data: Array("one\ntwo".utf8)),
        EventStreamParser.Event(name: "message", data: []),
    ]

    @Test func `events are the same in whatever pieces they come`() throws {
        var random = SplitMix64.seeded()
        for _ in 0..<200 {
            var parser = EventStreamParser()
            var rest = Array(text.utf8)[...]
            var found: [EventStreamParser.Event] = []
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(7, rest.count), using: &random)
                found += try parser.receive(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(found == events)
        }
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `a line ends with any of three ends`(end: String) throws {
        var parser = EventStreamParser()
        let found = try parser.receive(text.replacing("\n", with: end).utf8)
        #expect(found == events)
    }

    @Test func `an event beyond the bound is told, one at the bound is read`() throws {
        var parser = EventStreamParser(bytesMax: 10)
        #expect(try parser.receive("data: 1234\n\n".utf8).count == 1)
        #expect(throws: EventStreamParser.Failure.eventTooLong) { try parser.receive("data: 12345".utf8) }
    }

    @Test func `M22, M27: what a newer store sends is left out, and the rest is read`() throws {
        #expect(StreamEvent(EventStreamParser.Event(name: "somethingNew", data: Array("{}".utf8))) == nil)
        #expect(StreamEvent(EventStreamParser.Event(name: "updatedTransactions", data: Array("{]".utf8))) == nil)
        let known =
            #"{"id":"t1","transactionState":"deferred","payment":{"requestIdentifier":"k","productIdentifier":"#
            + #""p","quantity":1,"simulatesAskToBuyInSandbox":false},"downloads":[],"revision":2,"deliveries":0,"#
            + #""originDeviceId":"d"}"#
        let data = #"{"seq":1,"transactions":[{"id":"t0","transactionState":"teleported"},"# + known + "]}"
        let event = StreamEvent(EventStreamParser.Event(name: "updatedTransactions", data: Array(data.utf8)))
        guard case .updated(let transactions) = event else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(transactions.map(\.id) == ["t1"])
    }
}
