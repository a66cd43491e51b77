import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: every acknowledged refund reaches the ledger. Method: random purchases, renewals, refunds, deletions and
/// cleared histories, the queue dying in between; then each refund that was answered is looked for in the ledger.
@Suite(.serialized) struct AcknowledgedRefundTests {
    private static let products = ["coins", "beaches", "season", "news.weekly"]

    @Test(arguments: 0..<3, Engine.allCases)
    func `P2, P10: every acknowledged refund reaches the ledger`(_ round: Int, _ engine: Engine) async throws {
        var random = SplitMix64.seeded("acknowledged refunds, round \(round), \(engine)")
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-01-31", frozen: true)
            var acknowledged: [String: Money] = [:]
            for step in 0..<40 {
                if Int.random(in: 0..<5, using: &random) == 0 {
                    store.current.crash.arm(Self.places.randomElement(using: &random) ?? .afterRefundCommit)
                }
                if let refunded = try? await Self.act(store, alice, step, &random), let price = refunded.price {
                    acknowledged[refunded.id] = price
                }
                if store.current.crash.hasCrashed { try await store.restartQueue() }
            }
            try await store.restartQueue()
            try await store.settle()
            try await store.settleRefunds()
            let refunds = try await store.refunds()
            for (id, price) in acknowledged where price.minorUnits > 0 {
                #expect(refunds.filter { $0.refundKey == "refund:\(id)" }.map(\.amount) == [price])
            }
        }
    }

    private static let places: [Checkpoint] = [
        .insideRefundCommit, .afterRefundCommit, .afterRefund, .insideRemovalCommit, .afterRemovalCommit, .afterCancel,
    ]

    /// - Returns: what was refunded for sure.
    private static func act(
        _ store: TestStore, _ alice: CustomerApp, _ step: Int, _ random: inout SplitMix64
    ) async throws -> PaymentTransaction? {
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<5:
            let product = products.randomElement(using: &random) ?? "coins"
            _ = try await alice.add(product, key: "\(step)", within: .seconds(2))
        case 5..<8:
            let bought = try await alice.history().transactions.randomElement(using: &random)
            guard let bought else { return nil }
            // The answer may be lost with the process; then nothing was acknowledged.
            return try await store.refund(bought.id)
        case 8..<10:
            let bought = try await alice.history().transactions.randomElement(using: &random)
            if let bought { try await store.delete(bought.id) }
        case 10: try await store.clear("alice")
        default: try await store.jump(by: "P\(Int.random(in: 1...20, using: &random))D")
        }
        return nil
    }
}
