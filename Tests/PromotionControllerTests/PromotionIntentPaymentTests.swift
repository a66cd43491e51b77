import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: one intent never makes two payments, and one that was continued makes one, with any service dead or away (I3).
/// Method: the controller is stopped at each checkpoint of a decision, and PaymentQueue away, refusing or losing
/// answers; the next process's sweep continues.
@Suite(.serialized) struct PromotionIntentPaymentTests {
    private static let ofDecision: [DecisionCheckpoint] = [
        .insideDecisionCommit, .afterDecisionCommit, .afterAddition, .insideAdditionCommit, .afterAdditionCommit,
    ]

    @Test(arguments: Engine.allCases)
    func `M78: continuing adds the intent's payment, and the answer has the transaction`(_ engine: Engine) async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            let reply = try await alice.decide(.continue, intent)
            #expect(reply.added?.status == 201 && reply.added?.isReplayed == false)
            #expect(reply.intent.state == .continued && reply.intent.transactionId == reply.added?.transaction.id)
            let request = try #require(store.payments.requests.first)
            #expect(request.payment == reply.intent.payment)
            #expect(request.customerIdentifier == alice.customer && request.deviceId == "alice-1")
            #expect(request.payment.requestIdentifier == "intent:\(intent)")
            #expect(try await store.sweep() == 0)
            #expect(store.payments.requests.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a win-back offer that was chosen in the store is the payment's, whether the app names it or not`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            func tap(_ offer: String?) async throws -> String {
                let started = try await alice.start(offer: offer) { facts in
                    facts.product.winBackOffers = ["back", "again"].map { identifier in
                        ProductDiscount(
                            identifier: identifier, type: .subscription, price: facts.product.price,
                            priceLocale: facts.product.priceLocale, paymentMode: .payUpFront,
                            subscriptionPeriod: .init(numberOfUnits: 1, unit: .month), numberOfPeriods: 1)
                    }
                }
                return try #require(started.intentIdentifier)
            }
            let back = RedeemedOffer(type: .winBack, identifier: "back")
            let plain = try await tap(nil)
            let ignored = try await tap("back")
            #expect(ignored != plain, "another offer is another purchase")
            #expect(try await tap("back") == ignored)
            #expect(try await alice.get(ignored).offer == "back")
            try await alice.decide(.continue, ignored)
            #expect(store.payments.requests.last?.redeemedOffer == back)
            let named = try await tap("back")
            #expect(
                try await refusal { try await alice.add(named, key: "other", offer: "again") }?.code == .intentMismatch)
            try await alice.add(named, key: "mine", offer: "back")
            #expect(store.payments.requests.last?.redeemedOffer == back)
            #expect(
                try await refusal { try await alice.add(plain, key: "plain", offer: "back") }?.code == .intentMismatch)
            try await alice.decide(.continue, plain)
            #expect(store.payments.requests.last?.redeemedOffer == nil)
            let unknown = try await refusal { _ = try await tap("none") }
            #expect(unknown?.code == .requestInvalid)
            #expect(unknown?.message.contains("it has again, back") == true, "\(unknown?.message ?? "")")
        }
    }

    @Test(arguments: Engine.allCases, ofDecision)
    func `I3: a process that dies anywhere in a decision leaves one payment or an open intent`(
        _ engine: Engine, _ checkpoint: DecisionCheckpoint
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            store.current.crash.arm(checkpoint)
            #expect(try await refusal { try await alice.decide(.continue, intent) } != nil)
            #expect(store.current.crash.hasCrashed)
            try await store.restartController()
            #expect(try await alice.get(intent).state == (checkpoint == .insideDecisionCommit ? .pending : .continued))
            try await store.sweep()
            #expect(store.payments.transactions.count == (checkpoint == .insideDecisionCommit ? 0 : 1))
            // The app asks again, as it would without an answer.
            let again = try await alice.decide(.continue, intent)
            #expect(again.intent.transactionId == store.payments.transactions.first?.id)
            #expect(store.payments.transactions.count == 1)
            #expect(Set(store.payments.requests.map(\.payment)).count == 1)
            #expect(try await store.sweep() == 0)
        }
    }

    @Test(arguments: Engine.allCases, ofDecision)
    func `I3: the saved payment is kept with its own key when the process dies`(
        _ engine: Engine, _ checkpoint: DecisionCheckpoint
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            try await alice.decide(.defer, intent)
            store.current.crash.arm(checkpoint)
            #expect(try await refusal { try await alice.add(intent, key: "mine") } != nil)
            try await store.restartController()
            try await store.sweep()
            #expect(
                store.payments.transactions.map(\.payment.requestIdentifier)
                    == (checkpoint == .insideDecisionCommit ? [] : ["mine"]))
            try await alice.add(intent, key: "mine")
            #expect(try await refusal { try await alice.add(intent, key: "other") }?.code == .intentDecided)
            #expect(store.payments.transactions.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I1, I3: with PaymentQueue away the decision is kept, and the payment is made when it is back`(
        _ engine: Engine
    )
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let (first, second) = (try await alice.begin("coins"), try await alice.begin("gems"))
            await store.stopPayments()
            let reply = try await alice.decide(.continue, first)
            #expect(reply.added == nil && reply.intent.state == .continued && reply.intent.transactionId == nil)
            #expect(
                try await refusal { try await alice.add(second, key: "mine", product: "gems") }?.code
                    == .outcomeUnknown, "503 would mean that the payment is not made")
            #expect(try await alice.get(second).state == .continued)
            #expect(try await store.sweep() == 2)
            try await store.restartController()
            try await store.startPayments()
            #expect(try await store.sweep() == 0)
            #expect(store.payments.transactions.count == 2)
            #expect(try await alice.get(first).transactionId != nil)
            #expect(try await alice.add(second, key: "mine", product: "gems").added?.isReplayed == true)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3: an answer that is lost is asked for again with the same key`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            store.payments.set(.loseAnswer)
            #expect(try await alice.decide(.continue, intent).added == nil)
            #expect(try await alice.get(intent).transactionId == nil)
            #expect(try await store.sweep() == 0)
            #expect(try await alice.get(intent).transactionId == store.payments.transactions.first?.id)
            #expect(store.payments.transactions.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a payment that is refused for good leaves the intent deferred, and it may be added later`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            store.payments.set(.refuse(StoreError(.requestInvalid, "not so")))
            #expect(try await refusal { try await alice.decide(.continue, intent) }?.code == .requestInvalid)
            #expect(try await alice.get(intent).state == .deferred)
            #expect(try await refusal { try await alice.add(intent, key: "bad") }?.code == .requestInvalid)
            #expect(try await alice.get(intent).state == .deferred)
            #expect(try await store.sweep() == 0)
            store.payments.set(.sell)
            let added = try await alice.add(intent, key: "good")
            #expect(added.intent.state == .continued)
            #expect(store.payments.transactions.map(\.payment.requestIdentifier) == ["good"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a refusal that may pass is no refusal`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            for (number, code) in [StoreErrorCode.serviceUnavailable, .rateLimited, .internal, .deadlineExceeded]
                .enumerated()
            {
                let intent = try await alice.begin("p\(number)")
                store.payments.set(.refuse(StoreError(code, "later")))
                #expect(try await alice.decide(.continue, intent).added == nil)
                #expect(try await alice.get(intent).state == .continued)
                store.payments.set(.sell)
                #expect(try await store.sweep() == 0)
                #expect(try await alice.get(intent).transactionId != nil)
            }
            #expect(store.payments.transactions.count == 4)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3: what PaymentQueue has a payment of already stays continued`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            // Under another key, past this service.
            _ = try store.payments.add(
                AddPaymentRequest(
                    bundleId: alice.bundleId, customerIdentifier: alice.customer, deviceId: "alice-1",
                    payment: Payment(
                        requestIdentifier: "elsewhere", productIdentifier: "coins", intentIdentifier: intent)))
            #expect(try await refusal { try await alice.decide(.continue, intent) }?.code == .intentDecided)
            #expect(try await alice.get(intent).state == .continued)
            #expect(try await store.sweep() == 0)
            #expect(store.payments.transactions.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M81: a new payment for the product leaves the intent open`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            try await alice.decide(.defer, intent)
            _ = try store.payments.add(
                AddPaymentRequest(
                    bundleId: alice.bundleId, customerIdentifier: alice.customer, deviceId: "alice-1",
                    payment: Payment(requestIdentifier: "new", productIdentifier: "coins")))
            try await store.sweep()
            #expect(try await alice.get(intent).state == .deferred)
            store.payments.moveClock(by: StorePurchaseIntent.lifetime)
            #expect(try await store.search().intents.first?.warning?.contains("new payment") == true)
        }
    }
}
