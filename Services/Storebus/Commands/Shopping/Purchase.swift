import StoreModels

/// One purchase from the command line: the product is looked at, the payment is sent, and asked about with the same key
/// until it has an outcome.
struct Purchase: Sendable {
    var productIdentifier: String
    var quantity: Int
    var applicationUsername: String?
    var key: String
    /// For the outcome, over all attempts.
    var timeout: Duration
    /// How it shall end; nil leaves that to the account.
    var wanted: WantedOutcome?
    /// What it shall be bought with; nil leaves that to the store.
    var offer: WantedOffer?
    /// Of a promotional offer.
    var discount: PaymentDiscount?
    /// The purchase begun in the store whose saved payment it is.
    var intentIdentifier: String?

    func run(_ installation: Installation, _ context: CommandContext) async throws(CLIError) -> PurchaseOutcome {
        let deadline = ContinuousClock.now + timeout
        let (session, product) = try await Patience.repeating(until: deadline) { () throws(CLIError) in
            try await context.sessions.with(installation) { session throws(CLIError) in
                (session, try await look(session, installation, context))
            }
        }
        try checkIntroductoryOffer(of: product, for: installation.account)
        let outcome: (value: PaymentTransaction, note: String?)
        if let wanted {
            outcome = try await TesterLoan(account: installation.account, context: context).during(
                wanted.settings
            ) { [self] () throws(CLIError) in try await pay(installation, session, until: deadline, context) }
        } else {
            outcome = (try await pay(installation, session, until: deadline, context), nil)
        }
        let isUnderWay = outcome.value.transactionState == .purchasing
        return PurchaseOutcome(
            installation: installation, session: session, product: product, transaction: outcome.value, key: key,
            offer: offer, notes: outcome.note.map { [$0] } ?? [],
            isProcessorAway: isUnderWay ? await Self.isProcessorAway(context) : false)
    }

    /// False where nobody can say.
    private static func isProcessorAway(_ context: CommandContext) async -> Bool {
        let missing = (try? await context.api.services())?["missing"]?.arrayValue ?? []
        return missing.contains(.string(ServiceName.paymentProcessor.rawValue))
    }

    /// Who asks for the introductory offer does not want to pay the regular price instead.
    private func checkIntroductoryOffer(of product: Product?, for account: String) throws(CLIError) {
        guard offer == .introductory, let product else { return }
        let reason: String
        if product.introductoryPrice == nil {
            reason = "\(product.productIdentifier) has no introductory offer"
        } else if product.introductoryOfferEligibility == .ineligible {
            reason = "\(account) may not have the introductory offer of \(product.productIdentifier)"
        } else {
            return
        }
        throw CLIError(
            .offerUnavailable, "\(reason); nothing was bought",
            hints: ["why: storebus eligibility \(product.productIdentifier) --as \(account)"])
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
        _ installation: Installation, _ session: Session, until deadline: ContinuousClock.Instant,
        _ context: CommandContext
    ) async throws(CLIError) -> PaymentTransaction {
        // The store has taken the payment: from here on it is under way, whatever happens to the next question.
        var underWay: PaymentTransaction?
        while true {
            if Task.isCancelled { throw CLIError(.interrupted, "the purchase may have happened", hints: [sameKey]) }
            let remaining = deadline - .now
            do {
                let transaction = try await send(
                    installation, session, timeout: max(remaining, .seconds(1)), context)
                if transaction.transactionState != .purchasing { return transaction }
                underWay = transaction
                guard remaining > Patience.pause else { return transaction }
            } catch  where error.retryable || error.status == .temporary {
                guard deadline - .now > Patience.pause else {
                    if let underWay { return underWay }
                    throw withKey(error)
                }
            }
            try? await ContinuousClock().sleep(for: Patience.pause)
        }
    }

    /// Once: in the app, or where the App Store redeems what no app sells.
    private func send(
        _ installation: Installation, _ session: Session, timeout: Duration, _ context: CommandContext
    ) async throws(CLIError) -> PaymentTransaction {
        guard let redeemed = offer?.redeemed else {
            return try await context.api.addPayment(body, key: key, token: session.token, timeout: timeout)
                .transaction
        }
        return try await context.api.purchaseOutside(
            productIdentifier, account: installation.account, offer: redeemed, bundleId: installation.bundleId,
            key: key, timeout: timeout)
    }

    /// An offer is signed anew for every command line, so the same key would be another purchase's.
    private var sameKey: String {
        discount == nil
            ? "the same command with --idempotency-key \(key) is safe to repeat" : "look first: storebus tx list"
    }

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
        if let discount { members["paymentDiscount"] = JSONText.value(discount) }
        if let intentIdentifier { members["intentIdentifier"] = .string(intentIdentifier) }
        return members
    }
}
