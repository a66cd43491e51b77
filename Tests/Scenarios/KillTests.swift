import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: whichever process dies while people buy, each purchase is charged once, exists once and is delivered.
/// Method: shoppers buy at the same time, each repeating its key until the outcome is known; one process is killed
/// with SIGKILL while their payments are on the way; afterwards the processor's own ledger, the history and a freshly
/// opened stream are compared. The moment of the kill is drawn from a printed seed.
@Suite(.serialized) struct KillTests {
    @Test(arguments: [
        "payment-queue", "payment-processor", "catalog", "eligibility", "promotion-controller", "gateway", "broker",
    ])
    func `kill -9 during purchases: one charge, one transaction, delivered`(service: String) async throws {
        var random = SplitMix64.seeded("kill \(service)")
        let delay = Int.random(in: 5...60, using: &random)
        try await StoreStack.run { store in
            let shoppers = try await openShoppers(12, in: store)
            let bought = try await withThrowingTaskGroup(of: (Int, PaymentTransaction).self) { group in
                for (index, shopper) in shoppers.enumerated() {
                    group.addTask {
                        (index, try await shopper.buy("com.example.fishingHotSpots", key: "kill-\(index)"))
                    }
                }
                try await Task.sleep(for: .milliseconds(delay))
                let killed = try store.signal(service)
                try await store.waitForReplacement(of: service, after: killed)
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(bought.values.allSatisfy { $0.transactionState == .purchased })
            try await expectOneCharge(for: bought.values, in: store)
            for (index, shopper) in shoppers.enumerated() {
                let transaction = try #require(bought[index])
                try await expectDelivered(transaction, to: shopper)
                try await shopper.finish(transaction.id)
                #expect(try await shopper.unfinished().isEmpty)
            }
        }
    }

    private func openShoppers(_ count: Int, in store: StoreStack) async throws -> [Shopper] {
        var shoppers: [Shopper] = []
        for index in 0..<count { shoppers.append(try await store.session(account: "shopper\(index)")) }
        return shoppers
    }

    /// The processor keeps its own books: one approved charge for each transaction, and no other charge at all.
    private func expectOneCharge(
        for transactions: some Collection<PaymentTransaction>, in store: StoreStack
    ) async throws {
        let approved = try await Ledger.charges(of: store).filter { $0.outcome == .approved }
        #expect(approved.map(\.chargeKey).sorted() == transactions.map { "purchase:\($0.id)" }.sorted())
        let prices = Set(transactions.map(\.price))
        #expect(Set(approved.map(\.amount)) == prices)
    }

    /// A launch gets the transaction before `synchronized`, and exactly this one.
    private func expectDelivered(_ transaction: PaymentTransaction, to shopper: Shopper) async throws {
        var observer = try await shopper.observe()
        var delivered: [PaymentTransaction] = []
        while let event = try await observer.next(), event.name != "synchronized" {
            if event.name == "updatedTransactions" { delivered += try event.transactions() }
        }
        #expect(delivered.map(\.id) == [transaction.id])
        #expect(delivered.first?.transactionIdentifier == transaction.transactionIdentifier)
    }
}
