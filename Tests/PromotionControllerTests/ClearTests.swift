import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: what customers have bought may be cleared away at any time, and no intent buys a second time (I3), none that
/// was open goes on (I4), and none that was on its way arrives.
@Suite(.serialized) struct ClearTests {
    @Test(arguments: Engine.allCases, [false, true])
    func `I3 an intent whose transaction was cleared away is decided: nothing buys it again`(
        _ engine: Engine, _ forgetsIntents: Bool
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let (first, second) = (try await alice.begin("coins"), try await alice.begin("gems"))
            try await alice.decide(.continue, first)
            try await alice.decide(.defer, second)
            try await alice.add(second, key: "mine", product: "gems")
            // PaymentQueue refuses by its own record, or was cleared by a version that had none.
            store.payments.clear(forgetsIntents: forgetsIntents)
            #expect(try await store.clear().cancelled == 0)
            for _ in 0..<2 {
                #expect(try await refusal { try await alice.decide(.continue, first) }?.code == .intentDecided)
                let saved = try await refusal { try await alice.add(second, key: "mine", product: "gems") }
                #expect(saved?.code == .intentDecided)
                #expect(try await refusal { try await alice.add(first, key: "other") }?.code == .intentDecided)
                #expect(try await store.sweep() == 0)
                try await store.restartController()
            }
            #expect(store.payments.sold == 2)
            #expect(try await alice.intents().map(\.state) == [.continued, .continued])
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3 a continued intent is repeated as one that was added, and answered the same while it is there`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            let first = try await alice.decide(.continue, intent)
            let again = try await alice.decide(.continue, intent)
            #expect(again.added?.transaction == first.added?.transaction && again.isRepeated)
            #expect(store.payments.requests.map(\.isRepeat) == [nil, true])
        }
    }

    @Test(arguments: Engine.allCases)
    func `I4 what is open is cancelled and says why, prompts go, and devices and overrides stay`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            try await alice.setOrder(["gems"])
            let (pending, deferred) = (try await alice.begin("coins"), try await alice.begin("gems"))
            try await alice.decide(.defer, deferred)
            let tablet = store.phone("alice-2")
            try await tablet.openStore()
            let waiting = try await tablet.start { $0.charge(forApp: 499) }
            #expect(try await store.prompts().count == 1)
            let position = try await store.position()
            #expect(try await store.clear() == ClearIntentsReply(cancelled: 3))
            for intent in [pending, deferred] {
                let cancelled = try await alice.get(intent)
                #expect(cancelled.state == .cancelled && cancelled.feedback == "the customer's purchases were cleared")
                #expect(try await refusal { try await alice.decide(.continue, intent) }?.code == .intentDecided)
                #expect(try await refusal { try await alice.add(intent, key: "k") } != nil)
            }
            #expect(try await tablet.get(try #require(waiting.intentIdentifier)).state == .cancelled)
            #expect(try await store.prompts().isEmpty)
            let events = try await store.events(after: position, count: 3)
            #expect(events.map(\.type) == [.intentCancelled, .intentCancelled, .intentCancelled])
            #expect(try await alice.deliver().intents.isEmpty)
            #expect(try await alice.promotions().overrides.order == ["gems"])
            #expect(try await alice.state().apps.map(\.isLaunched) == [true])
            #expect(store.payments.requests.isEmpty)
            // Again finds nothing, and what begins now is as new.
            #expect(try await store.clear() == ClearIntentsReply(cancelled: 0))
            let next = try await alice.begin("coins")
            #expect(next != pending)
            #expect(try await alice.decide(.continue, next).added?.status == 201)
        }
    }

    @Test(arguments: Engine.allCases)
    func `one account's history leaves the others' intents and prompts, and another app's`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let bob = store.phone("alice-1", of: "bob")
            let other = store.phone("alice-1", bundleId: "com.example.other")
            let paid = store.phone("bob-1", of: "bob")
            try await paid.openStore()
            _ = try await paid.start { $0.charge(forApp: 499) }
            let (mine, his, elsewhere) = (try await alice.begin(), try await bob.begin(), try await other.begin())
            #expect(try await store.clear("alice").cancelled == 1)
            #expect(try await alice.get(mine).state == .cancelled)
            #expect(try await bob.get(his).state == .pending)
            #expect(try await other.get(elsewhere).state == .pending)
            #expect(try await store.prompts().map(\.account) == ["bob"])
            #expect(try await store.clear("nobody").cancelled == 0)
            #expect(try await store.clear().cancelled == 2)
            #expect(try await store.prompts().isEmpty)
            #expect(try await other.get(elsewhere).state == .pending)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3 what was continued and is on its way is named, again until PaymentQueue has answered, and buys nothing`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let (alice, bob) = (try await store.launchedPhone(), try await store.launchedPhone("bob-1", of: "bob"))
            let (mine, his) = (try await alice.begin(), try await bob.begin())
            await store.stopPayments()
            for (phone, intent) in [(alice, mine), (bob, his)] {
                #expect(try await phone.decide(.continue, intent).added == nil)
            }
            // PaymentQueue is away for the clearing too, so it is asked for again.
            for _ in 0..<2 {
                #expect(try await store.clear("alice") == ClearIntentsReply(cancelled: 0, continued: [mine]))
                #expect(try await store.clear().continued == [mine, his].sorted())
            }
            #expect(try await alice.get(mine).state == .continued)
            store.payments.clear(intents: [mine])
            try await store.startPayments()
            #expect(try await store.sweep() == 0)
            #expect(store.payments.transactions.map(\.payment.intentIdentifier) == [his])
            #expect(try await store.clear().continued.isEmpty)
            let over = try await alice.get(mine)
            #expect(over.state == .continued && over.transactionId == nil)
            #expect(try await refusal { try await alice.decide(.continue, mine) }?.code == .intentDecided)
            #expect(store.payments.sold == 1)
        }
    }

    @Test(arguments: Engine.allCases, [DecisionCheckpoint.afterDecisionCommit, .afterAddition, .insideAdditionCommit])
    func `I3 cleared between a decision and its note: the sweep of the next process buys nothing`(
        _ engine: Engine, _ checkpoint: DecisionCheckpoint
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            store.current.crash.arm(checkpoint)
            #expect(try await refusal { try await alice.decide(.continue, intent) } != nil)
            let sold = store.payments.sold
            try await store.restartController()
            // The gateway's order: first here, then PaymentQueue with what was named.
            let named = try await store.clear().continued
            #expect(named == [intent])
            store.payments.clear(intents: named)
            #expect(try await store.sweep() == 0)
            #expect(store.payments.sold == sold)
            #expect(try await refusal { try await alice.decide(.continue, intent) }?.code == .intentDecided)
            #expect(store.payments.sold == sold)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3 of a decision and a clearing at once the decision is named or refused`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            if engine == .postgres { try await store.startReplica() }
            await store.stopPayments()
            for round in 0..<24 {
                let intent = try await alice.begin("p\(round)")
                async let decided = refusal { try await alice.decide(.continue, intent) }
                async let cleared = store.clear()
                let (error, reply) = try await (decided, cleared)
                #expect(error == nil || error?.code == .intentDecided)
                let state = try await alice.get(intent).state
                #expect(state == (error == nil ? .continued : .cancelled))
                // Everything continued now was named, so PaymentQueue refuses what is on its way.
                #expect(reply.continued.contains(intent) == (state == .continued))
            }
        }
    }

    @Test func `more payments on their way than a request can name are waited for`() async throws {
        try await PromotionTestStore.with { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            await store.stopPayments()
            try await alice.decide(.continue, intent)
            try await store.copyRows(of: intent, count: ClearIntentsReply.continuedMax)
            let error = try await refusal { try await store.clear() }
            #expect(error?.code == .serviceUnavailable && error?.retryAfterMs != nil)
            try await store.startPayments()
            #expect(try await store.sweep() == 0)
            #expect(try await store.clear().continued.isEmpty)
        }
    }

    @Test func `a clearing that has too little time says so, and the next one does the rest`() async throws {
        try await PromotionTestStore.with { store in
            for number in 0..<(IntentService.clearPageSize + 3) {
                let phone = store.phone("d\(number)")
                try await phone.launch()
                _ = try await phone.begin()
            }
            let error = try await refusal { try await store.clear(within: IntentService.replyMargin) }
            #expect(error?.code == .serviceUnavailable || error?.code == .deadlineExceeded)
            #expect(try await store.clear().cancelled == IntentService.clearPageSize + 3)
        }
    }
}

extension PromotionTestStore {
    /// As many more rows as a stuck PaymentQueue may leave behind.
    fileprivate func copyRows(of intent: String, count: Int) async throws {
        let columns = """
            bundle_id, device_id, customer_identifier, account, product_identifier, source, payment, product, state,
            expires_at, addition, revision, started_at
            """
        try await database.write { transaction in
            for number in 0..<count {
                try await transaction.execute(
                    """
                    INSERT INTO purchase_intent (intent_identifier, \(columns))
                    SELECT intent_identifier || ?, \(columns) FROM purchase_intent WHERE intent_identifier = ?
                    """, "-\(number)", intent)
            }
        }
    }

    fileprivate func clear(
        _ account: String? = nil, within time: Duration = .seconds(30)
    ) async throws -> ClearIntentsReply {
        try await caller.call(
            PromotionEndpoints.clearIntents, ClearIntentsRequest(bundleId: Self.bundleId, account: account),
            context: CallContext(deadline: .now + time))
    }
}
