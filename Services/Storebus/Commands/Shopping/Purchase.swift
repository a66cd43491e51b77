import StoreModels

/// One purchase from the command line: the product is looked at, the payment is sent, and asked about with the same key
/// until it has an outcome.
package struct Purchase: Sendable {
    package var productIdentifier: String
    package var quantity: Int
    package var applicationUsername: String?
    package var key: String
    /// For the outcome, over all attempts.
    package var timeout: Duration
    /// How it shall end; nil leaves that to the account.
    package var wanted: WantedOutcome?

    package init(
        productIdentifier: String, quantity: Int, applicationUsername: String?, key: String, timeout: Duration,
        wanted: WantedOutcome? = nil
    ) {
        self.productIdentifier = productIdentifier
        self.quantity = quantity
        self.applicationUsername = applicationUsername
        self.key = key
        self.timeout = timeout
        self.wanted = wanted
    }

    package func run(_ installation: Installation, _ context: CommandContext) async throws(CLIError) -> PurchaseOutcome
    {
        let deadline = ContinuousClock.now + timeout
        let (session, product) = try await Patience.repeating(until: deadline) { () throws(CLIError) in
            try await context.sessions.with(installation) { session throws(CLIError) in
                (session, try await look(session, installation, context))
            }
        }
        var outcome: (value: PaymentTransaction, note: String?)
        if let wanted {
            outcome = try await TesterLoan(account: installation.account, context: context).during(
                wanted.settings
            ) { [self] () throws(CLIError) in try await pay(session, until: deadline, context) }
        } else {
            outcome = (try await pay(session, until: deadline, context), nil)
        }
        return PurchaseOutcome(
            installation: installation, session: session, product: product, transaction: outcome.value, key: key,
            notes: outcome.note.map { [$0] } ?? [])
    }

    /// The product as this customer sees it; nil while Catalog is away, because a purchase may still succeed.
    private func look(
        _ session: Session, _ installation: Installation, _ context: CommandContext
    ) async throws(CLIError) -> Product? {
        do {
            let answer = try await context.api.products([productIdentifier], token: session.token)
            if let product = answer.products.first { return product }
        } catch  where error.status == .temporary {
            return nil
        }
        throw await unknownProduct(session, installation, context)
    }

    private func unknownProduct(
        _ session: Session, _ installation: Installation, _ context: CommandContext
    ) async -> CLIError {
        var error = await Known.productError(
            productIdentifier, bundleId: installation.bundleId, storefront: session.storefront.countryCode, context)
        error.status = .purchaseFailed
        return error
    }

    private func pay(
        _ session: Session, until deadline: ContinuousClock.Instant, _ context: CommandContext
    ) async throws(CLIError) -> PaymentTransaction {
        while true {
            if Task.isCancelled { throw CLIError(.interrupted, "the purchase may have happened", hints: [sameKey]) }
            let remaining = deadline - .now
            do {
                let answer = try await context.api.addPayment(
                    body, key: key, token: session.token, timeout: max(remaining, .seconds(1)))
                if answer.transaction.transactionState != .purchasing { return answer.transaction }
                guard remaining > Patience.pause else { return answer.transaction }
            } catch  where error.retryable || error.status == .temporary {
                guard remaining > Patience.pause else { throw withKey(error) }
            }
            try? await ContinuousClock().sleep(for: Patience.pause)
        }
    }

    private var sameKey: String { "the same command with --idempotency-key \(key) is safe to repeat" }

    private func withKey(_ error: CLIError) -> CLIError {
        var error = error
        error.hints = ["the purchase may have happened; \(sameKey)"]
        return error
    }

    private var body: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "productIdentifier": .string(productIdentifier), "quantity": .integer(quantity),
        ]
        if let applicationUsername { members["applicationUsername"] = .string(applicationUsername) }
        return members
    }
}
