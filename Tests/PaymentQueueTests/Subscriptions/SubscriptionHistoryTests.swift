import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: S1–S6 hold over random histories: purchases, changes, declines, cancellations, operators, clocks that jump
/// thirty days either way, and processes that die at any checkpoint.
@Suite(.serialized, .slow) struct SubscriptionHistoryTests {
    private static let products = ["pro.monthly", "pro.yearly", "basic.monthly", "news.weekly"]

    @Test(arguments: 0..<3, Engine.allCases) func `S1, S2, S5, S6, P2: random histories`(
        _ round: Int, _ engine: Engine
    ) async throws {
        var random = SplitMix64.seeded("histories, round \(round), \(engine)")
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            store.catalogue.set(billingGracePeriod: Bool.random(using: &random))
            var customerApps: [CustomerApp] = []
            for name in ["alice", "bob", "carol"] { customerApps.append(try await store.customerApp(name)) }
            for step in 0..<60 {
                guard let customerApp = customerApps.randomElement(using: &random) else { continue }
                try await happen(step, customerApp, store, &random)
            }
            try await quiesce(store)
            try await store.checkSubscriptions(contiguous: false, "round \(round)")
        }
    }

    /// One thing of a history. What is refused, or not answered, is part of it.
    private func happen(
        _ step: Int, _ customerApp: CustomerApp, _ store: TestStore, _ random: inout SplitMix64
    ) async throws {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1, 2:
            _ = try? await customerApp.add(
                Self.products.randomElement(using: &random) ?? "", key: "\(step)", within: .milliseconds(800))
        case 3:
            store.processor.set(outcome: Int.random(in: 0..<3, using: &random) == 0 ? .declined : .approved)
        case 4, 5: try await jump(Int.random(in: -30...30, using: &random), store, key: "\(step)")
        case 6, 7: _ = try? await store.move(next: 2, key: "\(step)", within: .milliseconds(900))
        case 8:
            let own = try? await customerApp.subscriptions().randomElement(using: &random)
            if let own {
                _ = try? await customerApp.update(
                    own.originalTransactionIdentifier, renews: Bool.random(using: &random))
            }
        case 9:
            let own = try? await customerApp.subscriptions().randomElement(using: &random)
            let operation = OperateSubscriptionRequest.Operation.allCases.randomElement(using: &random)
            if let own, let operation {
                _ = try? await store.operate(own.id, operation, days: operation == .extend ? 10 : nil)
            }
        case 10: store.processor.set(trouble: Bool.random(using: &random) ? .none : .after)
        default:
            guard let checkpoint = RenewalCrashTests.checkpoints.randomElement(using: &random) else { return }
            store.current.crash.arm(checkpoint)
            _ = try? await store.move(next: 1, key: "\(step)", within: .milliseconds(500))
            try await store.restartQueue()
        }
    }

    private func jump(_ days: Int, _ store: TestStore, key: String) async throws {
        guard days < 0 else {
            _ = try? await store.move(by: "\(max(days, 1))d", key: key, within: .milliseconds(900))
            return
        }
        let now = try await store.clockState().now
        try await store.putClock((now + .seconds(days * 86_400)).description)
    }

    private func quiesce(_ store: TestStore) async throws {
        store.processor.set(trouble: .none)
        store.processor.set(outcome: .approved)
        try await store.restartQueue()
        try await eventually("nothing is under way", within: .seconds(30)) {
            let purchases = try await store.current.service.purchases.sweep(now: .now + .seconds(60))
            let renewals = try await store.current.service.clocks.sweep()
            let isBusy = try await store.database.read { reader in
                try await reader.queryOne("SELECT 1 AS busy FROM subscription WHERE attempt IS NOT NULL") != nil
            }
            return purchases == 0 && renewals == 0 && !isBusy
        }
    }

    @Test(arguments: Engine.allCases)
    func `S5: a clock that goes back bills nothing again, one that goes on bills each once`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("basic.monthly")
            for _ in 0..<3 {
                try await store.jump(to: "2027-07-15")
                try await store.putClock("2026-01-01")
                #expect(try await store.current.service.clocks.sweep() == 0)
                #expect(try await alice.subscription().state == .subscribed)
            }
            try await store.jump(to: "2027-08-15")
            let renewal = try await store.renewalKey(original)
            #expect(try await store.renewals().map(\.chargeKey) == (1...6).map { "\(renewal):\($0)" })
            try await store.checkSubscriptions()
        }
    }
}
