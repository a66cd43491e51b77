import BusProtocol
import StorebusTesting
import Testing

@testable import Broker

/// Goal: the structures below the core agree with simple ones after any changes.
@Suite struct RoutingTests {
    @Test func `the router agrees with asking every subscription, while subscriptions come and go`() throws {
        var random = SplitMix64.seeded()
        let harness = CoreHarness()
        let connection = try #require(harness.core.connections[harness.client().cid])
        var router = Router(rememberedMax: 8)
        var living: [ClientSubscription] = []
        let tokens = ["a", "b", "c", "$SRV", "_INBOX"]
        for step in 0..<6000 {
            if living.count < 30, Bool.random(using: &random) || living.isEmpty {
                var parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    (tokens + ["*"]).randomElement(using: &random) ?? "a"
                }
                if Int.random(in: 0..<4, using: &random) == 0 { parts.append(">") }
                let pattern = try SubjectPattern(parts.joined(separator: "."))
                let message = SubMessage(sid: step + 1, subject: pattern)
                living.append(ClientSubscription(connection, message, pattern: pattern, kind: .ordinary))
                router.insert(living[living.count - 1])
            } else if Int.random(in: 0..<3, using: &random) == 0 {
                router.remove(living.remove(at: Int.random(in: 0..<living.count, using: &random)))
            }
            let text = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                tokens.randomElement(using: &random) ?? "a"
            }
            let subject = try Subject(text.joined(separator: "."))
            let found = router.route(subject.text.utf8.span).plain.map(\.sid).sorted()
            #expect(
                found == living.filter { $0.pattern.matches(subject) }.map(\.sid).sorted(), "step \(step) \(subject)")
        }
        for subscription in living { router.remove(subscription) }
        #expect(router.subscriptionCount == 0 && router.rememberedCount == 0)
    }

    @Test func `a subject without subscribers is not remembered`() throws {
        var router = Router(rememberedMax: 8)
        for number in 0..<100 { _ = router.route("nobody.\(number)".utf8.span) }
        #expect(router.rememberedCount == 0)
    }

    @Test func `a byte table agrees with a dictionary`() {
        var random = SplitMix64.seeded()
        var table = ByteTable<Int>()
        var expected: [String: Int] = [:]
        for step in 0..<20_000 {
            let key = "k\(Int.random(in: 0..<200, using: &random))"
            let slot = table.slot(of: key.utf8.span)
            #expect(slot.map { table[slot: $0] } == expected[key])
            if let slot, Bool.random(using: &random) {
                table.remove(slot: slot)
                expected[key] = nil
            } else if let slot {
                table[slot: slot] = step
                expected[key] = step
            } else {
                _ = table.insert(key.utf8.span, step)
                expected[key] = step
            }
            #expect(table.count == expected.count)
        }
        for (key, value) in expected { #expect(table[key.utf8.span] == value) }
        #expect(Set(table.usedSlots.map { table.key(ofSlot: $0) }) == Set(expected.keys.map { Array($0.utf8) }))
    }

    @Test func `the ledger counts what is unanswered and forgets after five seconds`() {
        var ledger = RequestLedger(limits: BrokerLimits())
        ledger.delivered("r.1".utf8.span, countsAsLoad: true, now: .seconds(0))
        ledger.delivered("r.2".utf8.span, countsAsLoad: false, now: .seconds(1))
        ledger.delivered("r.3".utf8.span, countsAsLoad: true, now: .seconds(2))
        #expect(ledger.load(now: .seconds(2)) == 2 && ledger.oldestUnanswered(now: .seconds(2)) == .seconds(0))
        let answered = ledger.spend("r.1".utf8.span, now: .seconds(3))
        #expect(answered && ledger.load(now: .seconds(3)) == 1)
        #expect(ledger.oldestUnanswered(now: .seconds(3)) == .seconds(2))
        #expect(ledger.load(now: .seconds(8)) == 0 && ledger.oldestUnanswered(now: .seconds(8)) == nil)
        let late = ledger.spend("r.3".utf8.span, now: .seconds(9))
        #expect(late, "forgotten as load, granted all the same")
        let again = ledger.spend("r.3".utf8.span, now: .seconds(9))
        #expect(!again && ledger.grantCount == 1)
        let expired = ledger.spend("r.2".utf8.span, now: .seconds(62))
        #expect(!expired && ledger.grantCount == 0)
    }

    @Test func `a ledger under chance keeps its sums`() {
        var random = SplitMix64.seeded()
        var ledger = RequestLedger(limits: BrokerLimits())
        var grants: [String: Int] = [:]
        var now: Duration = .zero
        for _ in 0..<5000 {
            now += .microseconds(Int.random(in: 0...500, using: &random))
            let reply = "r.\(Int.random(in: 0..<50, using: &random))"
            if Bool.random(using: &random) {
                ledger.delivered(reply.utf8.span, countsAsLoad: true, now: now)
                grants[reply, default: 0] += 1
            } else {
                let spent = ledger.spend(reply.utf8.span, now: now)
                #expect(spent == (grants[reply, default: 0] > 0))
                if spent { grants[reply, default: 0] -= 1 }
            }
            #expect(ledger.load(now: now) == grants.values.reduce(0, +))
        }
    }
}
