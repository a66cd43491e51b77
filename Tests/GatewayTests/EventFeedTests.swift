import StoreModels
import Testing

@testable import OperatorAPI

/// The operator's stream as a pure state of positions.
@Suite struct EventFeedTests {
    private static let start = ContinuousClock.now
    private static let body = Array("{}".utf8)

    private func page(_ after: String, _ hasEvents: Bool = false) -> EventFeed.Reading {
        .page(after: after, body: hasEvents ? Self.body : nil)
    }

    private func feed(_ cursor: String? = nil) -> EventFeed { EventFeed(after: cursor, now: Self.start) }

    private func take(
        _ feed: inout EventFeed, _ readings: [EventFeed.Log: EventFeed.Reading], after time: Duration = .zero
    ) -> [EventFeed.Output] {
        feed.receive(readings, now: Self.start + time).outputs
    }

    @Test func `without a position it begins now, and says where that is`() {
        var feed = feed()
        #expect(feed.after(.transactions) == nil && feed.after(.intents) == nil)
        #expect(take(&feed, [.transactions: page("e5"), .intents: page("i7")]) == [.hello(id: "e5.i7")])
        #expect(feed.after(.transactions) == "e5" && feed.after(.intents) == "i7")
    }

    @Test func `with a position hello has it, and everything behind it follows`() {
        var feed = feed("e5.i7")
        let (outputs, more) = feed.receive(
            [.transactions: page("e9", true), .intents: page("i8", true)], now: Self.start)
        #expect(
            outputs == [
                .hello(id: "e5.i7"), .events(.transactions, id: "e9.i7", body: Self.body),
                .events(.intents, id: "e9.i8", body: Self.body),
            ])
        #expect(more == [.transactions, .intents], "a page may be one of many")
        #expect(feed.receive([.transactions: page("e9"), .intents: page("i8")], now: Self.start).more.isEmpty)
    }

    @Test func `each identifier continues right behind its own event, of both logs`() {
        var feed = feed("e1.i1")
        let outputs = take(&feed, [.transactions: page("e2", true), .intents: page("i2", true)])
        for output in outputs {
            guard case .events(let log, let id, _) = output else { continue }
            let resumed = self.feed(id)
            #expect(resumed.after(.transactions) == "e2")
            #expect(resumed.after(.intents) == (log == .intents ? "i2" : "i1"))
        }
    }

    @Test(arguments: ["", "x", "e1", "e1.i1.z", "...", "."])
    func `a position that no stream has sent is a resync`(cursor: String) {
        var feed = feed(cursor)
        #expect(
            take(&feed, [.transactions: page("e5"), .intents: page("i7")])
                == [.hello(id: "e5.i7"), .resync(id: "e5.i7")])
        #expect(take(&feed, [.transactions: page("e5"), .intents: page("i7")]) == [])
    }

    @Test func `a position that a log does not have is a resync, and the other log goes on`() {
        var feed = feed("e9.i1")
        let (outputs, more) = feed.receive(
            [.transactions: .positionUnknown, .intents: page("i2", true)], now: Self.start)
        #expect(outputs == [.hello(id: ".i1"), .events(.intents, id: ".i2", body: Self.body)])
        #expect(more.contains(.transactions))
        #expect(feed.after(.transactions) == nil)
        #expect(take(&feed, [.transactions: page("e3")]) == [.resync(id: "e3.i2")])
        #expect(
            take(&feed, [.transactions: page("e4", true)]) == [.events(.transactions, id: "e4.i2", body: Self.body)])
    }

    @Test func `a service that is away is named once, and its events follow without a gap`() {
        var feed = feed("e1.i1")
        #expect(
            take(&feed, [.transactions: .away, .intents: page("i1")])
                == [.hello(id: "e1.i1"), .comment("away payment-queue")])
        #expect(take(&feed, [.transactions: .away, .intents: page("i1")]) == [])
        #expect(
            take(&feed, [.intents: page("i2", true)]) == [.events(.intents, id: "e1.i2", body: Self.body)],
            "a read of the other log says nothing of this one")
        #expect(
            take(&feed, [.transactions: .away, .intents: .away]) == [
                .comment("away payment-queue promotion-controller")
            ])
        #expect(feed.after(.transactions) == "e1")
        #expect(
            take(&feed, [.transactions: page("e4", true), .intents: page("i2")])
                == [.events(.transactions, id: "e4.i2", body: Self.body), .comment("live")])
    }

    @Test func `a stream that began without a service resyncs when it is back`() {
        var feed = feed()
        #expect(
            take(&feed, [.transactions: .away, .intents: page("i7")])
                == [.hello(id: ".i7"), .comment("away payment-queue")])
        #expect(take(&feed, [.transactions: page("e5")]) == [.resync(id: "e5.i7"), .comment("live")])
        var resumed = self.feed(".i7")
        #expect(
            take(&resumed, [.transactions: page("e5"), .intents: page("i7")])
                == [.hello(id: "e5.i7"), .resync(id: "e5.i7")], "its identifier does, too")
    }

    @Test func `after fifteen seconds of silence there is a comment`() {
        var feed = feed("e1.i1")
        let idle: [EventFeed.Log: EventFeed.Reading] = [.transactions: page("e1"), .intents: page("i1")]
        #expect(take(&feed, idle, after: .seconds(1)) == [.hello(id: "e1.i1")])
        #expect(take(&feed, idle, after: .seconds(15)) == [])
        #expect(take(&feed, idle, after: .seconds(16)) == [.comment("live")])
        #expect(take(&feed, idle, after: .seconds(30)) == [])
        #expect(take(&feed, [.transactions: page("e2", true)], after: .seconds(30)).count == 1)
        #expect(take(&feed, [.transactions: page("e2")], after: .seconds(44)) == [])
        #expect(take(&feed, [.transactions: page("e2")], after: .seconds(45)) == [.comment("live")])
    }

    @Test func `a position that moved without events is kept, and read on from`() {
        var feed = feed("e1.i1")
        _ = take(&feed, [:])
        let (outputs, more) = feed.receive([.transactions: page("e1000")], now: Self.start)
        #expect(outputs.isEmpty && more == [.transactions])
        #expect(feed.after(.transactions) == "e1000")
    }
}
