import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: the first decision is final, also after a second (I2), and an intent carries one payment, unchanged (I5).
/// Method: every state an intent can be in against everything that can be decided.
@Suite(.serialized) struct DecisionTests {
    typealias State = StorePurchaseIntent.State
    typealias Decision = DecideIntentRequest.Decision

    struct Edge: Sendable, CustomTestStringConvertible {
        let state: State
        let decision: Decision
        var testDescription: String { "\(state) \(decision)" }
    }

    static let edges = State.allCases.flatMap { state in
        Decision.allCases.map { Edge(state: state, decision: $0) }
    }

    /// Begins a purchase and brings its intent there.
    private func intent(in state: State, _ phone: Phone) async throws -> String {
        let intent = try await phone.begin()
        switch state {
        case .pending: break
        case .deferred: try await phone.decide(.defer, intent)
        case .continued: try await phone.decide(.continue, intent)
        case .cancelled: try await phone.decide(.cancel, intent, feedback: "You have it already.")
        case .expired: phone.store.payments.moveClock(by: StorePurchaseIntent.lifetime)
        }
        return intent
    }

    @Test(arguments: Engine.allCases, edges)
    func `I2: pending and deferred are decided, the same again is 200, anything else 409`(
        _ engine: Engine, _ edge: Edge
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await intent(in: edge.state, alice)
            let before = try await alice.get(intent)
            let target = State(after: edge.decision)
            var reply: DecideIntentReply?
            let error = try await refusal {
                let decided = try await alice.decide(edge.decision, intent)
                reply = decided
                return decided
            }
            guard edge.state.isFinal, edge.state != target else {
                #expect(error == nil)
                #expect(reply?.intent.state == target)
                #expect(reply?.isRepeated == (edge.state == target))
                #expect((reply?.added != nil) == (target == .continued))
                if edge.state == target { #expect(reply?.intent == before) }
                #expect(try await alice.get(intent) == reply?.intent)
                return
            }
            #expect(error?.code == (edge.state == .expired ? .intentExpired : .intentDecided))
            #expect(error?.status == 409)
            #expect(try await alice.get(intent) == before)
            #expect(store.payments.transactions.count == (edge.state == .continued ? 1 : 0))
        }
    }

    @Test(arguments: Engine.allCases, State.allCases)
    func `M80, M82: the saved payment is added from pending and deferred, and from nowhere else`(
        _ engine: Engine, _ state: State
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await intent(in: state, alice)
            let error = try await refusal { try await alice.add(intent, key: "mine") }
            switch state {
            case .pending, .deferred:
                #expect(error == nil)
                let transaction = try #require(store.payments.transactions.first)
                #expect(transaction.payment.requestIdentifier == "mine")
                #expect(transaction.payment.intentIdentifier == intent)
                let continued = try await alice.get(intent)
                #expect(continued.state == .continued && continued.transactionId == transaction.id)
                // What it carries stays what it was.
                #expect(continued.payment.requestIdentifier == "intent:\(intent)")
            case .continued, .cancelled: #expect(error?.code == .intentDecided)
            case .expired: #expect(error?.code == .intentExpired)
            }
            #expect(store.payments.transactions.count == (state == .cancelled || state == .expired ? 0 : 1))
        }
    }

    @Test(arguments: Engine.allCases)
    func `I4: what was refused and cancelled after the sweep had listed it has no payment`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            await store.stopPayments()
            try await alice.decide(.continue, intent, within: .seconds(2))
            let listed = try await store.database.read {
                try await IntentRepository.unadded(after: "", limit: 10, in: $0)
            }
            #expect(listed.map(\.id) == [intent])
            store.payments.set(.refuse(StoreError(.notFound, "it is gone")))
            try await store.startPayments()
            #expect(try await refusal { try await alice.decide(.continue, intent) }?.code == .notFound)
            try await alice.decide(.cancel, intent)
            store.payments.set(.sell)
            for intent in listed { #expect(await store.current.service.intents.addPayment(of: intent)) }
            #expect(store.payments.sold == 0)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M79, I4: what is deferred, cancelled or expired has no payment`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            for state in [State.deferred, .cancelled, .expired] { _ = try await intent(in: state, alice) }
            try await store.sweep()
            #expect(store.payments.requests.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I5, M81: another product, quantity or discount is another payment`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            try await alice.decide(.defer, intent)
            let discount = PaymentDiscount(
                identifier: "sale", keyIdentifier: "k", nonce: "n", signature: "s", timestamp: 1)
            let mismatches = [
                try await refusal { try await alice.add(intent, key: "k", product: "gems") },
                try await refusal { try await alice.add(intent, key: "k") { $0.quantity = 2 } },
                try await refusal { try await alice.add(intent, key: "k") { $0.paymentDiscount = discount } },
            ]
            #expect(mismatches.allSatisfy { $0?.code == .intentMismatch && $0?.status == 422 })
            #expect(
                mismatches.map { $0?.details["member"] }
                    == ["productIdentifier", "quantity", "paymentDiscount"].map { .string($0) })
            #expect(try await alice.get(intent).state == .deferred)
            // What the app says of itself is its own.
            try await alice.add(intent, key: "k") { $0.applicationUsername = "me" }
            #expect(store.payments.transactions.map(\.payment.applicationUsername) == ["me"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3: the same key is the same payment, another key or another payment under it is refused`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            let first = try await alice.add(intent, key: "mine")
            let again = try await alice.add(intent, key: "mine")
            #expect(!first.isRepeated && again.isRepeated)
            #expect(again.added?.transaction == first.added?.transaction)
            #expect(again.added?.isReplayed == true)
            #expect(try await refusal { try await alice.add(intent, key: "other") }?.code == .intentDecided)
            let changed = try await refusal {
                try await alice.add(intent, key: "mine") { $0.applicationUsername = "x" }
            }
            #expect(changed?.code == .keyReused)
            // The delegate's late `true` is the same decision.
            let late = try await alice.decide(.continue, intent)
            #expect(late.isRepeated && late.added?.transaction == first.added?.transaction)
            #expect(store.payments.transactions.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M84, M85: a cancel may tell the user why, within 500 characters, and the first word counts`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            let long = String(repeating: "é", count: 501)
            #expect(
                try await refusal { try await alice.decide(.cancel, intent, feedback: long) }?.code == .requestInvalid)
            #expect(
                try await refusal { try await alice.decide(.defer, intent, feedback: "x") }?.code == .requestInvalid)
            try await alice.decide(.cancel, intent, feedback: "You have it already.")
            try await alice.decide(.cancel, intent, feedback: "No.")
            #expect(try await alice.get(intent).feedback == "You have it already.")
            #expect(try await store.search().intents.map(\.warning) == [nil])
        }
    }

    @Test func `a decision about nothing is not found`() async throws {
        try await PromotionTestStore.with { store in
            let alice = try await store.launchedPhone()
            #expect(try await refusal { try await alice.decide(.continue, "i_0") }?.code == .notFound)
            #expect(try await refusal { try await alice.get("i_0") }?.code == .notFound)
            #expect(
                try await refusal { try await alice.add("i_0", key: "k") { $0.intentIdentifier = nil } }?.code
                    == .requestInvalid)
        }
    }
}
