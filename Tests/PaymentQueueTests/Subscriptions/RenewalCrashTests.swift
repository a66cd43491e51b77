import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: wherever the process dies, each period is charged once and given once (S1, S2, P2).
@Suite(.slow) struct RenewalCrashTests {
    static let checkpoints: [Checkpoint] = [
        .insidePageCommit, .afterPageCommit, .beforeRenewalCharge, .afterRenewalCharge, .insideRenewalCommit,
        .afterRenewalCommit,
    ]

    @Test(arguments: checkpoints, Engine.allCases) func `S1, S2, P2: dead at a checkpoint, the next process goes on`(
        _ checkpoint: Checkpoint, _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("news.weekly")
            try await store.move(by: "3w", key: "k", dyingAt: checkpoint)
            try await store.restartQueue()
            try await eventually("the move ends") { try await store.move(by: "3w", key: "k").isFinished }
            let renewal = try await store.renewalKey(original)
            #expect(try await store.renewals().map(\.chargeKey) == (1...3).map { "\(renewal):\($0)" })
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases)
    func `S5: dead after the charge and the clock set back, it is given once all the same`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("news.weekly")
            try await store.move(by: "1w", key: "k", dyingAt: .afterRenewalCharge)
            try await store.restartQueue()
            try await store.putClock("2027-01-31")
            try await eventually("the charge is found again") {
                try await store.current.service.clocks.sweep()
                return try await alice.history().transactions.count == 2
            }
            try await store.jump(to: "2027-02-07")
            let renewal = try await store.renewalKey(original)
            #expect(try await store.renewals().map(\.chargeKey) == ["\(renewal):1"])
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases) func `clearing history gives up a renewal in flight, or it ends first`(
        _ engine: Engine
    ) async throws {
        for checkpoint in [Checkpoint.beforeRenewalCharge, .afterRenewalCharge] {
            try await TestStore.with(engine) { store in
                try await store.putClock("2027-01-31", frozen: true)
                let alice = try await store.customerApp()
                _ = try await alice.subscribe("news.weekly")
                try await store.move(by: "1w", key: "k", dyingAt: checkpoint)
                try await store.restartQueue()
                let isCharged = checkpoint == .afterRenewalCharge
                #expect(try await store.clear() == (isCharged ? 2 : 1))
                #expect(try await store.renewals().count == (isCharged ? 1 : 0))
                #expect(try await alice.subscriptions().isEmpty)
                #expect(try await store.current.service.clocks.sweep() <= 1)
                // The group is a new one for this customer.
                #expect(try await alice.add("news.weekly", key: "first").transaction.original == nil)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `an operator's renewal of unknown outcome says so and ends by itself, once`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("news.weekly")
            store.processor.set(trouble: .after)
            #expect(try await refusal { try await store.operate(original, .renew) }?.code == .outcomeUnknown)
            store.processor.set(trouble: .none)
            try await eventually("the charge is found again") {
                try await store.current.service.clocks.sweep()
                return try await alice.history().transactions.count == 2
            }
            let renewal = try await store.renewalKey(original)
            #expect(try await store.renewals().map(\.chargeKey) == ["\(renewal):1"])
            #expect(try await alice.subscription().expiresDate == TestStore.instant("2027-02-14"))
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases) func `a processor that does not answer is asked again under the same key`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("news.weekly")
            store.processor.set(trouble: .after)
            let begun = try await answered { try await store.move(by: "1w", key: "k", within: $0) }
            #expect(!begun.isFinished)
            // A change meanwhile is refused as one to retry (S3).
            let early = try await refusal {
                try await answered { time in
                    try await store.caller.call(
                        SubscriptionEndpoints.update,
                        UpdateSubscriptionRequest(
                            bundleId: Catalogue.bundleId, customerIdentifier: alice.customer,
                            originalTransactionIdentifier: original, willAutoRenew: false),
                        context: .init(deadline: .now + time))
                }
            }
            #expect(early?.code == .serviceUnavailable)
            store.processor.set(trouble: .none)
            try await eventually("the move ends") { try await store.move(by: "1w", key: "k").isFinished }
            let renewal = try await store.renewalKey(original)
            #expect(try await store.renewals().map(\.chargeKey) == ["\(renewal):1"])
        }
    }
}
