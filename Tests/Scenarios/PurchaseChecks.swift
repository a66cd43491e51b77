import StoreModels
import Testing

extension StoreStack {
    /// So many apps on devices of different accounts.
    func openShoppers(_ count: Int) async throws -> [Shopper] {
        var shoppers: [Shopper] = []
        for index in 0..<count { shoppers.append(try await session(account: "shopper\(index)")) }
        return shoppers
    }

    /// The processor keeps its own books: one approved charge for each transaction, and no other charge at all.
    func expectOneCharge(for transactions: some Collection<PaymentTransaction>) async throws {
        let approved = try await Ledger.charges(of: self).filter { $0.outcome == .approved }
        #expect(approved.map(\.chargeKey).sorted() == transactions.map { "purchase:\($0.id)" }.sorted())
        let prices = Set(transactions.map(\.price))
        #expect(Set(approved.map(\.amount)) == prices)
    }
}

extension Shopper {
    /// A launch gets the transaction before `synchronized`, and exactly this one.
    func expectDelivered(_ transaction: PaymentTransaction) async throws {
        var observer = try await observe()
        var delivered: [PaymentTransaction] = []
        while let event = try await observer.next(), event.name != "synchronized" {
            if event.name == "updatedTransactions" { delivered += try event.transactions() }
        }
        #expect(delivered.map(\.id) == [transaction.id])
        #expect(delivered.first?.transactionIdentifier == transaction.transactionIdentifier)
    }
}
