import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: P2 and P10 with refunds. Method: random purchases, upgrades, refunds, revocations and days, the queue dying in
/// between; then the processor's ledger and the store's transactions are added up against one another.
@Suite(.serialized, .slow) struct RefundConservationTests {
    private static let products = ["coins", "beaches", "season", "base.monthly", "plus.monthly", "lite.monthly"]

    @Test(arguments: Engine.allCases)
    func `P2, P10: what was charged and given back is what the transactions say`(_ engine: Engine) async throws {
        var random = SplitMix64.seeded()
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.subscription("base.monthly", "5.00"), level: 2)
            store.catalogue.sell(.subscription("plus.monthly", "14.99"), level: 1)
            store.catalogue.sell(.subscription("lite.monthly", "2.99"), level: 3)
            let alice = try await store.customerApp()
            try await store.putClock("2027-01-31", frozen: true)
            for step in 0..<40 {
                if Int.random(in: 0..<6, using: &random) == 0 {
                    store.current.crash.arm(Checkpoint.allCases.randomElement(using: &random) ?? .afterRefund)
                }
                try? await Self.act(store, alice, step, &random)
                if store.current.crash.hasCrashed { try await store.restartQueue() }
            }
            try await store.restartQueue()
            try await store.jump(by: "PT1S")
            try await store.settle()
            try await store.settleRefunds()
            try await Self.audit(store)
        }
    }

    private static func act(
        _ store: TestStore, _ alice: CustomerApp, _ step: Int, _ random: inout SplitMix64
    ) async throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            let product = products.randomElement(using: &random) ?? "coins"
            _ = try await alice.add(product, key: "\(step)", within: .seconds(2))
        case 5..<8:
            let bought = try await alice.history().transactions.randomElement(using: &random)
            guard let bought else { return }
            if Bool.random(using: &random) {
                _ = try await store.refund(bought.id)
            } else {
                _ = try await store.revoke(bought.id)
            }
        default:
            _ = try await store.jump(by: "P\(Int.random(in: 1...20, using: &random))D")
        }
    }

    /// Every approved charge is one transaction at its price; every refund belongs to a charge and is no more than it.
    private static func audit(_ store: TestStore) async throws {
        let charges = try await store.charges().filter { $0.outcome == .approved }
        let refunds = try await store.refunds()
        let paid = try await store.transactions().filter { value in
            value.transactionState == .purchased && (value.price?.minorUnits ?? 0) > 0
        }
        #expect(charges.map { $0.amount?.minorUnits ?? 0 }.sorted() == paid.map { $0.price?.minorUnits ?? 0 }.sorted())
        for charge in charges {
            let back = refunds.filter { $0.chargeKey == charge.chargeKey }.reduce(0) { $0 + $1.amount.minorUnits }
            #expect(back <= charge.amount?.minorUnits ?? 0)
        }
        // Refunded for good: all of it is back. Upgraded only: a part may be.
        for refund in refunds where refund.refundKey.hasPrefix("refund:") {
            let id = String(refund.refundKey.dropFirst("refund:".count))
            let value = try #require(paid.first { $0.id == id })
            #expect(value.revocationDate != nil)
            let back = refunds.filter { $0.chargeKey == refund.chargeKey }.reduce(0) { $0 + $1.amount.minorUnits }
            #expect(back == value.price?.minorUnits)
        }
        for refund in refunds where refund.refundKey.hasPrefix("prorated:") {
            #expect(paid.contains { "prorated:\($0.id)" == refund.refundKey } || refund.amount.minorUnits > 0)
        }
        #expect(!charges.isEmpty)
    }
}
