import StoreModels
import Testing

@testable import AppAPI

/// Goal: which intents a stream sends, as decided by `IntentDelivery` without a stream.
@Suite struct IntentDeliveryTests {
    private func reply(_ identifiers: [String], seq: Int64) -> DeliverIntentsReply {
        DeliverIntentsReply(intents: identifiers.map { Sample.intent($0) }, seq: seq)
    }

    private func opened(_ identifiers: [String] = [], seq: Int64 = 0) -> IntentDelivery {
        var delivery = IntentDelivery(.delegate)
        delivery.asks()
        _ = delivery.receive(reply(identifiers, seq: seq), at: 0)
        return delivery
    }

    /// `openApp i_1` and the like.
    private func texts(_ events: [IntentDelivery.Event]) -> [String] {
        events.map { event in
            switch event {
            case .openApp(_, let identifier): "openApp \(identifier)"
            case .promotedPurchase(_, let intent): "promotedPurchase \(intent.intentIdentifier)"
            }
        }
    }

    @Test(arguments: [
        (DeviceLaunch.PromotedPurchases.delegate, true), (.purchaseIntent, true), (.none, false),
    ])
    func `only streams that handle promoted purchases get them (M69)`(
        handler: DeviceLaunch.PromotedPurchases, isHandled: Bool
    ) {
        var delivery = IntentDelivery(handler)
        #expect(delivery.isHandled == isHandled)
        delivery.failed()
        delivery.receive(hint: 1)
        #expect(delivery.isDue == isHandled)
    }

    @Test func `nothing is asked before the opening, after any hint`() {
        var delivery = IntentDelivery(.delegate)
        delivery.receive(hint: 5)
        delivery.receive(head: 5, askedAt: 0)
        #expect(!delivery.isDue)
    }

    @Test func `what is pending at the opening is sent without opening the app (I1, I6)`() {
        var delivery = IntentDelivery(.purchaseIntent)
        delivery.asks()
        let events = delivery.receive(reply(["i_1", "i_2"], seq: 2), at: 7)
        #expect(texts(events) == ["promotedPurchase i_1", "promotedPurchase i_2"])
        #expect(events.first == .promotedPurchase(seq: 7, Sample.intent("i_1")), "with the stream's own place")
        #expect(!delivery.isDue)
    }

    @Test func `what begins later opens the app first (M74), each once a stream`() {
        var delivery = opened(["i_1"], seq: 1)
        delivery.receive(hint: 2)
        #expect(delivery.isDue)
        delivery.asks()
        let events = delivery.receive(reply(["i_1", "i_2"], seq: 2), at: 0)
        #expect(texts(events) == ["openApp i_2", "promotedPurchase i_2"])
        delivery.receive(hint: 2)
        #expect(!delivery.isDue, "the same hint again says nothing new")
        delivery.receive(hint: 3)
        delivery.asks()
        #expect(delivery.receive(reply(["i_1", "i_2"], seq: 3), at: 0).isEmpty)
    }

    @Test func `a lost hint is noticed at the next head`() {
        var delivery = opened(["i_1"], seq: 1)
        delivery.receive(head: 1, askedAt: 1)
        #expect(!delivery.isDue)
        delivery.receive(head: 2, askedAt: 1)
        #expect(delivery.isDue)
    }

    @Test func `a hint that comes while a question is under way is not lost`() {
        var delivery = opened()
        delivery.receive(hint: 1)
        delivery.asks()
        delivery.receive(hint: 2)
        #expect(texts(delivery.receive(reply(["i_1"], seq: 1), at: 0)).count == 2)
        #expect(delivery.isDue)
        delivery.asks()
        #expect(
            texts(delivery.receive(reply(["i_1", "i_2"], seq: 2), at: 0)) == ["openApp i_2", "promotedPurchase i_2"])
        #expect(!delivery.isDue)
    }

    @Test func `a hint that claims too much is asked about once`() {
        var delivery = opened()
        delivery.receive(hint: 1_000_000)
        delivery.asks()
        #expect(delivery.receive(reply([], seq: 0), at: 0).isEmpty)
        #expect(!delivery.isDue)
    }

    @Test func `a question that failed is asked again when PromotionController is back, not before`() {
        var delivery = IntentDelivery(.delegate)
        delivery.asks()
        delivery.failed()
        #expect(!delivery.isDue)
        delivery.receive(head: 0, askedAt: 0)
        #expect(delivery.isDue, "though the head says nothing new")
        delivery.asks()
        let events = delivery.receive(reply(["i_1"], seq: 1), at: 0)
        #expect(texts(events) == ["openApp i_1", "promotedPurchase i_1"], "the opening is over by then")
    }

    @Test func `a count that began anew is asked about, and what was sent is not sent twice`() {
        var delivery = opened(["i_1"], seq: 9)
        delivery.receive(head: 3, askedAt: 9)
        #expect(delivery.isDue)
        delivery.asks()
        #expect(
            texts(delivery.receive(reply(["i_1", "i_2"], seq: 3), at: 0)) == ["openApp i_2", "promotedPurchase i_2"])
        #expect(delivery.position == 3)
        delivery.receive(hint: 4)
        #expect(delivery.isDue)
    }

    /// I1: however hints are lost, repeated and reordered and questions fail, after one good second everything pending
    /// has been sent, and nothing twice.
    @Test(arguments: 0..<50)
    func `everything pending is sent once, with any loss of hints (I1)`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var delivery = IntentDelivery(.delegate)
        var pending: [String] = []
        var seq: Int64 = 0
        var told: [String] = []
        var begun: [String] = []
        func ask(succeeds: Bool) {
            delivery.asks()
            guard succeeds else { return delivery.failed() }
            for case .promotedPurchase(_, let intent) in delivery.receive(reply(pending, seq: seq), at: 0) {
                told.append(intent.intentIdentifier)
            }
        }
        ask(succeeds: Bool.random(using: &random))
        for step in 0..<60 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                seq += 1
                pending.append("i_\(step)")
                begun.append("i_\(step)")
                if Bool.random(using: &random) { delivery.receive(hint: seq) }
            case 2 where !pending.isEmpty:
                // Only what was sent is decided.
                if let index = pending.firstIndex(where: told.contains) {
                    pending.remove(at: index)
                    seq += 1
                }
            case 3: delivery.receive(hint: Int64.random(in: 0...seq, using: &random))
            case 4: delivery.receive(head: seq, askedAt: delivery.position)
            default: if delivery.isDue { ask(succeeds: Int.random(in: 0..<3, using: &random) > 0) }
            }
        }
        delivery.receive(head: seq, askedAt: delivery.position)
        if delivery.isDue { ask(succeeds: true) }
        #expect(!delivery.isDue, "seed \(seed)")
        #expect(told == begun, "seed \(seed)")
    }
}

/// SplitMix64: the same numbers for the same seed, everywhere.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
