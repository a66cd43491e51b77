import StoreModels

/// `transaction.approve`, `.decline` and `.resolve`: what a parent or an operator says about one transaction, by its
/// identifier.
struct OperatorService: Sendable {
    let store: PurchaseStore
    let driver: PurchaseDriver
    let storefronts: StorefrontLookup

    /// Applies a word to a transaction. The first word counts; a second or repeated one gets the outcome of the first
    /// (D2).
    /// - Throws: `notFound`; `transactionStateInvalid` for a transaction the word does not apply to; `requestInvalid`.
    func say(
        _ word: OperatorPolicy.Word, _ request: OperateTransactionRequest, deadline: ContinuousClock.Instant
    ) async throws -> PaymentTransaction {
        guard request.error == nil || word == .decline else {
            throw StoreError(
                .requestInvalid, "only 'decline' comes with an error", details: ["path": .string("$.error")])
        }
        let last = deadline - PurchaseCoordinator.replyMargin
        let obeyed = try await storefronts.retrying(until: last) { try await store.obey(word, request, in: $0) }
        switch obeyed {
        case .answered(let written):
            try driver.checkpoint(.afterAnswerCommit)
            let stored = try driver.finish(written)
            return try await outcome(of: stored.id, fresh: stored, until: last)
        case .joined(let id): return try await outcome(of: id, until: last)
        }
    }

    /// The transaction at its end, or as it is when the time is over.
    private func outcome(
        of id: String, fresh: StoredTransaction? = nil, until last: ContinuousClock.Instant
    ) async throws -> PaymentTransaction {
        guard let stored = try await driver.outcome(of: id, fresh: fresh, until: last) else {
            throw StoreError(.notFound, "the transaction was removed")
        }
        return stored.transaction
    }
}
