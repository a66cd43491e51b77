import BusService
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a promoted purchase pays once, also over a cleared history (I3). Ordinary keys are forgotten with what they
/// bought; intents never are.
@Suite(.serialized) struct ClearedIntentTests {
    private func payment(_ key: String, intent: String? = "i_1") -> Payment {
        Payment(requestIdentifier: key, productIdentifier: "coins", intentIdentifier: intent)
    }

    /// The ways in which what was bought goes away.
    enum Clearing: String, CaseIterable, CustomTestStringConvertible {
        case account, app, reset, transaction
        var testDescription: String { rawValue }

        func run(_ store: TestStore, _ transaction: PaymentTransaction) async throws {
            switch self {
            case .account: try await store.clear("alice")
            case .app: try await store.clear()
            case .reset: try await store.reset()
            case .transaction: try await store.delete(transaction.id)
            }
        }
    }

    @Test(arguments: Engine.allCases, Clearing.allCases)
    func `I3 what an intent has bought is cleared away, and no key buys it again`(
        _ engine: Engine, _ clearing: Clearing
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add(payment("intent:i_1")).transaction
            try await clearing.run(store, bought)
            #expect(try await store.transactions().isEmpty)
            for key in ["intent:i_1", "another"] {
                let error = try await refusal { try await alice.add(payment(key)) }
                #expect(error?.code == .intentDecided)
                #expect(error?.message.contains("cleared") == true)
            }
            try await store.restartQueue()
            #expect(try await refusal { try await alice.add(payment("intent:i_1")) }?.code == .intentDecided)
            let bob = try await store.customerApp("bob")
            #expect(try await refusal { try await bob.add(payment("intent:i_1")) }?.code == .intentDecided)
            #expect(try await store.charges().count == 1)
            #expect(try await store.transactions().isEmpty)
            // The next promoted purchase, and a payment of no intent under the same key, are other purchases.
            #expect(try await alice.add(payment("intent:i_2", intent: "i_2")).status == 201)
            #expect(try await alice.add(payment("intent:i_1", intent: nil)).status == 201)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3 a payment that was added before is answered again while it is there, and never bought anew`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            // Also where no payment of the intent is known.
            let gone = try await refusal { try await alice.repeats(payment("intent:i_1")) }
            #expect(gone?.code == .intentDecided)
            #expect(try await store.charges().isEmpty)
            let first = try await alice.add(payment("intent:i_1"))
            let again = try await alice.repeats(payment("intent:i_1"))
            #expect(again.isReplayed && again.transaction == first.transaction)
            // It needs no quote for that.
            await store.stopCatalogue()
            #expect(try await alice.repeats(payment("intent:i_1")).transaction == first.transaction)
            try await store.clear("alice")
            #expect(try await refusal { try await alice.repeats(payment("intent:i_1")) }?.code == .intentDecided)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3 what is on its way while a history is cleared buys nothing when it arrives`(_ engine: Engine) async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.clear("alice", intents: ["i_2", "i_1"])
            try await store.clear("alice", intents: ["i_1"])
            try await store.reset(intents: ["i_3"])
            for intent in ["i_1", "i_2", "i_3"] {
                let error = try await refusal { try await alice.add(payment("intent:\(intent)", intent: intent)) }
                #expect(error?.code == .intentDecided)
            }
            #expect(try await store.charges().isEmpty)
            #expect(try await alice.add(payment("intent:i_4", intent: "i_4")).status == 201)
        }
    }

    /// - Returns: nil when the purchase is over.
    private func outcome(of payment: Payment, by customerApp: CustomerApp) async throws -> TransactionState? {
        do {
            return try await customerApp.add(payment).transaction.transactionState
        } catch let error as StoreError where error.code == .intentDecided {
            return nil
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3 a payment that comes while a history is cleared is refused or cleared with it, never left behind`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            var bought = 0
            for round in 0..<24 {
                let intent = "i_\(round)"
                async let added = outcome(of: payment("intent:\(intent)", intent: intent), by: alice)
                async let cleared = store.clear("alice", intents: [intent])
                let (outcome, _) = try await (added, cleared)
                // What was still on its way when it was cleared may have been charged, or fails and has cost nothing.
                if outcome == .purchased { bought += 1 }
                #expect(try await store.transactions().isEmpty)
            }
            #expect(try await store.charges().count { $0.outcome == .approved } >= bought)
            #expect(try await store.charges().count <= 24)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I3 a request that waits for a promoted purchase ends when that is cleared`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.processor.set(trouble: .held)
            async let late = refusal { try await alice.add(payment("intent:i_1")) }
            try await eventually("the charge is on its way") { store.processor.heldCount == 1 }
            #expect(try await store.clear("alice", intents: ["i_1"]) == 1)
            store.processor.release()
            // Not `notFound`, which would leave the intent open.
            #expect(try await late?.code == .intentDecided)
            #expect(try await store.charges().map(\.outcome) == [.cancelled])
            #expect(try await refusal { try await alice.add(payment("intent:i_1")) }?.code == .intentDecided)
        }
    }

    @Test func `more intents than a request may name are refused, and nothing is cleared`() async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            _ = try await alice.add(payment("intent:i_1"))
            let intents = (0...ClearIntentsReply.continuedMax).map { "i_\($0)" }
            #expect(try await refusal { try await store.clear("alice", intents: intents) }?.code == .requestInvalid)
            #expect(try await refusal { try await store.reset(intents: [""]) }?.code == .requestInvalid)
            #expect(try await store.transactions().count == 1)
            #expect(try await store.clear("alice", intents: Array(intents.dropLast())) == 1)
        }
    }
}

extension CustomerApp {
    /// A payment that PromotionController knows was added.
    fileprivate func repeats(_ payment: Payment) async throws -> AddPaymentReply {
        try await store.caller.call(
            PaymentEndpoints.addPayment,
            AddPaymentRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, deviceId: device, payment: payment,
                isRepeat: true))
    }
}
