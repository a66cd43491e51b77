import StoreModels
import Testing

extension StoreStack {
    /// So many apps on devices of different accounts.
    func openShoppers(_ count: Int) async throws -> [ScenarioCustomer] {
        var customers: [ScenarioCustomer] = []
        for index in 0..<count { customers.append(try await session(account: "shopper\(index)")) }
        return customers
    }

    /// Interrupts twelve customers while they buy. Each is charged once, and has one transaction that is delivered.
    func expectPurchasesSurvive(
        _ name: String, after delay: Int, _ interrupt: () async throws -> Void
    ) async throws {
        let customers = try await openShoppers(12)
        let bought = try await withThrowingTaskGroup(of: (Int, PaymentTransaction).self) { group in
            for (index, customer) in customers.enumerated() {
                group.addTask {
                    (index, try await customer.buy("com.example.fishingHotSpots", key: "\(name)-\(index)"))
                }
            }
            try await Task.sleep(for: .milliseconds(delay))
            try await interrupt()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(bought.values.allSatisfy { $0.transactionState == .purchased })
        try await expectOneCharge(for: bought.values)
        for (index, customer) in customers.enumerated() {
            let transaction = try #require(bought[index])
            try await customer.expectDelivered(transaction)
            try await customer.finish(transaction.id)
            #expect(try await customer.unfinished().isEmpty)
        }
    }

    /// The processor keeps its own books: one approved charge for each transaction, and no other charge at all.
    func expectOneCharge(for transactions: some Collection<PaymentTransaction>) async throws {
        let approved = try await Ledger.charges(of: self).filter { $0.outcome == .approved }
        #expect(approved.map(\.chargeKey).sorted() == transactions.map { "purchase:\($0.id)" }.sorted())
        let prices = Set(transactions.map(\.price))
        #expect(Set(approved.map(\.amount)) == prices)
    }
}

extension ScenarioCustomer {
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
