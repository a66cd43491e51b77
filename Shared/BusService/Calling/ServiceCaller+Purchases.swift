import StoreModels

extension ServiceCaller {
    /// Returns the customer's transaction that has changed last, or nil when no one is selected.
    package func latestTransaction(
        _ endpoint: Endpoint<ModifiedTransactionsRequest, ModifiedTransactionsPage>, _ filter: ServerTransactionFilter,
        of customerIdentifier: String, in bundleId: String, _ context: CallContext
    ) async throws -> ServerTransaction? {
        var request = ModifiedTransactionsRequest(
            bundleId: bundleId, customerIdentifier: customerIdentifier, isDescending: true, limit: 1, filter: filter)
        while true {
            let page = try await call(endpoint, request, context: context)
            if let transaction = page.transactions.first { return transaction }
            guard page.hasMore else { return nil }
            request.after = page.place
        }
    }
}
