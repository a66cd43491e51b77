import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: in any order of events no decision is taken back and no intent pays twice (I1–I4, P6).
/// Method: random taps, decisions, saved payments, deaths of the controller, absences of PaymentQueue and leaps of both
/// clocks, with a seed; after each history the invariants are checked against what was answered.
@Suite(.serialized) struct IntentHistoryTests {
    @Test(arguments: Engine.allCases)
    func `I1–I4: random histories`(_ engine: Engine) async throws {
        var random = SplitMix64.seeded()
        let (histories, steps) = (engine == .sqlite ? 8 : 4, 60)
        for _ in 0..<histories {
            let seed = random.next()
            try await PromotionTestStore.with(engine) { store in
                var history = History(phone: try await store.launchedPhone(), random: SplitMix64(seed: seed))
                for _ in 0..<steps { try await history.step() }
                try await history.end()
            }
        }
        print("intents on \(engine): \(histories) histories of \(steps) steps")
    }
}

/// One device's story.
private struct History {
    let phone: Phone
    var random: SplitMix64
    /// Begun and answered.
    private var intents: [String] = []
    /// The final state that a caller has got.
    private var told: [String: StorePurchaseIntent.State] = [:]
    private var isQueueAway = false

    private var store: PromotionTestStore { phone.store }

    init(phone: Phone, random: SplitMix64) {
        self.phone = phone
        self.random = random
    }

    mutating func step() async throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2: try await begin()
        case 3: _ = try await refusal { try await phone.deliver() }
        case 4, 5, 6: try await decide()
        case 7: try await add()
        case 8: try await die()
        case 9: try await turnQueue()
        case 10: try await passTime()
        default: try await store.sweep()
        }
    }

    private mutating func begin() async throws {
        let product = "p\(Int.random(in: 0..<6, using: &random))"
        var intent: String?
        _ = try await refusal {
            let started = try await phone.start(product)
            intent = started.intentIdentifier
            return started
        }
        if let intent, !intents.contains(intent) { intents.append(intent) }
    }

    private mutating func decide() async throws {
        guard let intent = intents.randomElement(using: &random),
            let decision = DecideIntentRequest.Decision.allCases.randomElement(using: &random)
        else { return }
        var reply: DecideIntentReply?
        let error = try await refusal {
            let decided = try await phone.decide(decision, intent)
            reply = decided
            return decided
        }
        try await heard(intent, reply?.intent.state, error)
    }

    private mutating func add() async throws {
        guard let intent = intents.randomElement(using: &random) else { return }
        let before = try await phone.get(intent)
        let product = before.payment.productIdentifier
        var reply: DecideIntentReply?
        let key = "k\(Int.random(in: 0..<2, using: &random)).\(intent)"
        let error = try await refusal {
            let added = try await phone.add(intent, key: key, product: product)
            reply = added
            return added
        }
        // Clients take a 503 for "not performed", and buy again.
        if error?.code == .serviceUnavailable, let after = try? await phone.get(intent) {
            #expect(after.state == before.state)
        }
        try await heard(intent, reply?.intent.state, error)
    }

    /// An answer is final; so is the error that another one was first.
    private mutating func heard(
        _ intent: String, _ state: StorePurchaseIntent.State?, _ error: StoreError?
    ) async throws {
        if let state {
            if let before = told[intent] { #expect(state == before) }
            if state.isFinal { told[intent] = state }
        } else if let error {
            let known: Set<StoreErrorCode> = [
                .intentDecided, .intentExpired, .serviceUnavailable, .outcomeUnknown, .internal,
            ]
            #expect(known.contains(error.code))
        }
    }

    private mutating func die() async throws {
        if let checkpoint = DecisionCheckpoint.allCases.randomElement(using: &random) {
            store.current.crash.arm(checkpoint)
            Bool.random(using: &random) ? try await decide() : try await begin()
        }
        try await store.restartController()
    }

    private mutating func turnQueue() async throws {
        isQueueAway ? try await store.startPayments() : await store.stopPayments()
        isQueueAway.toggle()
    }

    private mutating func passTime() async throws {
        store.wait(.seconds(Int.random(in: 0...12, using: &random)))
        if !isQueueAway, Int.random(in: 0..<4, using: &random) == 0 {
            store.payments.moveClock(by: .seconds(Int.random(in: 0...60_000, using: &random)))
        }
    }

    /// Everybody is there, and what is due is done.
    mutating func end() async throws {
        if isQueueAway { try await turnQueue() }
        try await store.restartController()
        #expect(try await store.sweep() == 0)
        let all = try await phone.intents()
        // I1: nothing that was answered is lost.
        #expect(Set(all.map(\.intentIdentifier)).isSuperset(of: intents))
        for intent in all {
            let paid = store.payments.transactions.filter {
                $0.payment.intentIdentifier == intent.intentIdentifier
            }
            // I3, I4: one payment exactly where it was continued, and nowhere else.
            #expect(paid.count == (intent.state == .continued ? 1 : 0))
            #expect(intent.transactionId == paid.first?.id)
            #expect(paid.allSatisfy { $0.payment.productIdentifier == intent.product.productIdentifier })
            // I2: an answer that was given is final.
            if let told = told[intent.intentIdentifier] { #expect(intent.state == told) }
        }
    }
}
