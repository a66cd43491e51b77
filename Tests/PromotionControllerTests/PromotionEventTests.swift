import Persistence
import ServiceDatabase
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: a caller that waits for an intent's events gets each once and in order.
@Suite(.serialized) struct PromotionEventTests {
    @Test(arguments: Engine.allCases)
    func `each step of an intent is an event with the intent as it was then`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let start = try await store.position()
            let intent = try await alice.begin()
            try await alice.deliver()
            try await alice.deliver()
            try await alice.decide(.defer, intent)
            try await alice.decide(.defer, intent)
            try await alice.add(intent, key: "mine")
            let cancelled = try await alice.begin("gems")
            try await alice.decide(.cancel, cancelled)
            let events = try await store.events(after: start, count: 8)
            #expect(
                events.map(\.type) == [
                    .intentStarted, .intentOpenApp, .intentDelivered, .intentDeferred, .intentContinued, .intentStarted,
                    .intentOpenApp, .intentCancelled,
                ])
            #expect(
                events.map(\.intent.state) == [
                    .pending, .pending, .pending, .deferred, .continued, .pending, .pending, .cancelled,
                ])
            #expect(events.allSatisfy { $0.account == "alice" && $0.bundleId == PromotionTestStore.bundleId })
            #expect(events.allSatisfy { $0.intent.deviceId == "alice-1" })
            #expect(events[2].intent.answerBy != nil && events[1].intent.answerBy == nil)
            #expect(events[7].intent.warning != nil)
            #expect(events.map(\.id) == events.map(\.id).sorted() && Set(events.map(\.id)).count == 8)
        }
    }

    @Test(arguments: Engine.allCases)
    func `S0: each tap that opens the app is an event, also on what waits already; no other answer is`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let start = try await store.position()
            let intent = try await alice.begin()
            #expect(try await alice.begin() == intent)
            let bob = store.phone("bob-1", of: "bob")
            try await bob.openStore()
            #expect(try await bob.start().outcome == .downloading)
            let events = try await store.events(after: start, count: 4)
            #expect(events.map(\.type) == [.intentStarted, .intentOpenApp, .intentOpenApp, .intentStarted])
            #expect(events.prefix(3).allSatisfy { $0.intent.intentIdentifier == intent })
        }
    }

    @Test(arguments: Engine.allCases)
    func `a filter gives what it names, page by page, and says where to go on`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let (alice, bob) = (try await store.launchedPhone(), try await store.launchedPhone("bob-1", of: "bob"))
            let start = try await store.position()
            for number in 0..<3 {
                _ = try await alice.begin("p\(number)")
                _ = try await bob.begin("p\(number)")
            }
            _ = try await store.events(after: start, count: 12)
            var (after, seen) = (start, [IntentEvent]())
            for _ in 0..<4 {
                let page = try await store.events(after: after, type: .intentStarted, account: "bob", limit: 1)
                #expect(page.after >= after)
                after = page.after
                seen += page.events
            }
            #expect(seen.map(\.account) == ["bob", "bob", "bob"])
            #expect(try await store.events(after: start, type: .intentExpired).events.isEmpty)
            #expect(try await store.events(after: start, bundleId: "com.example.other").events.isEmpty)
            #expect(try await store.events(after: after).events.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an after that is none is refused, and now is behind everything`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            _ = try await alice.begin()
            let ahead = PromotionIdentifiers.event(EventPosition(transaction: 1 << 59, row: 1 << 59))
            for after in ["", "x", "e_00000000000000000000000000", ahead] {
                #expect(try await refusal { try await store.events(after: after) }?.code == .requestInvalid)
            }
            let now = try await store.events(after: nil)
            #expect(now.events.isEmpty)
            #expect(try await store.events(after: now.after).events.isEmpty)
            #expect(try await refusal { try await store.events(after: now.after, limit: 101) }?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a position before events that were removed is unknown, and no identifier is given twice`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let start = try await store.position()
            _ = try await alice.begin()
            let old = try await store.events(after: start, count: 2)
            store.wait(.seconds(31 * 86_400))
            _ = try await alice.begin("gems")
            _ = try await store.current.service.intents.prune()
            for position in [start, old[0].id] {
                #expect(try await refusal { try await store.events(after: position) }?.positionFault == .removed)
            }
            let end = old[1].id
            var seen = Set(old.map(\.id))
            for event in try await store.events(after: end).events { #expect(seen.insert(event.id).inserted) }
            // An isolated store is removed with the newest events.
            let now = try await store.position()
            _ = try await store.database.write { try await $0.execute("DELETE FROM intent_event") }
            _ = try await alice.begin("swords")
            let new = try await store.events(after: now, count: 2)
            for event in new { #expect(seen.insert(event.id).inserted) }
        }
    }

    @Test func `an event whose commit is slow is not skipped by who reads on meanwhile`() async throws {
        try await PromotionTestStore.with(.postgres) { store in
            let alice = try await store.launchedPhone()
            let start = try await store.position()
            let database = store.database
            let (written, gate) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
            let body = String(
                decoding: try StoreJSON.encode(try await alice.get(try await alice.begin("first"))), as: UTF8.self)
            async let slow: Void = database.write { transaction in
                try await transaction.execute(
                    """
                    INSERT INTO intent_event (kind, bundle_id, account, body, happened_at, written_at)
                    VALUES ('intentExpired', 'com.example.app', 'slow', ?, 0, 0)
                    """, body)
                written.continuation.finish()
                for await _ in gate.stream {}
            }
            for await _ in written.stream {}
            _ = try await alice.begin("second")
            // The second one's event comes later in the order, so it waits for the slow one's.
            let early = try await store.events(after: start)
            #expect(!early.events.contains { $0.intent.payment.productIdentifier == "second" })
            gate.continuation.finish()
            try await slow
            let rest = try await store.events(after: early.after, count: 5 - early.events.count)
            #expect((early.events + rest).map(\.account) == ["alice", "alice", "slow", "alice", "alice"])
        }
    }
}
