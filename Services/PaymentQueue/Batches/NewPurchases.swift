import BusService
import Persistence
import StoreModels

/// Begins purchases in batches: authorizes, commits, and captures or voids (ADR 0047, ADR 0070).
struct NewPurchases: QueuePart {
    let context: QueueContext
    /// Captures the charges of committed purchases, and voids the unused ones.
    let captures: CaptureService
    private let authorizations: ChargeCollector

    init(context: QueueContext, captures: CaptureService) {
        self.context = context
        self.captures = captures
        authorizations = ChargeCollector(on: context.executor, context.collaborators, capturesAtOnce: false)
    }

    /// Makes the first commit of a purchase. Most purchases end in it: paid by an authorization, free, or failed.
    /// - Parameters:
    ///   - storefront: The storefront the quote is for.
    ///   - amount: The amount to authorize. Zero for a purchase that is likely to be free, and nil for one that is
    ///     charged after the commit.
    ///   - deadline: The caller's deadline.
    /// - Throws: `notFound` for an unknown customer, or `intentDecided` when the promoted purchase has had its payment
    ///   (I3), or must not have one. Then nothing is written. If the reply to an authorization was lost, the charge
    ///   lapses.
    func begin(
        _ request: AddPaymentRequest, _ quote: Quote, in storefront: String, _ fingerprint: String,
        authorizing amount: Money?, until deadline: ContinuousClock.Instant
    ) async throws -> CustomerCommits.Committed<PurchaseCommand.Outcome> {
        let authorization = try await authorize(amount, request, until: deadline)
        try checkpoint(.beforeFirstCommit)
        let command = PurchaseCommand(
            customer: request.customer,
            purchase: NewPurchase(
                id: newIdentifier(), payment: request.payment, deviceId: request.deviceId, quote: quote,
                request: OfferRequest(request),
                past: request.past, fingerprint: fingerprint),
            storefront: storefront, authorization: authorization, deadline: deadline)
        let begun: CustomerCommits.Committed<PurchaseCommand.Outcome>
        do {
            let isLikelySold = authorization?.reply == .approved || amount?.minorUnits == 0
            begun = try await commit(command, identifierCount: isLikelySold ? 1 : 0)
        } catch {
            if Self.isUnwritten(error), let authorization { captures.void(authorization) }
            throw error
        }
        if let authorization {
            if begun.output.transactionID?.isExactly(authorization.id) == true {
                if authorization.reply == .approved { captures.add(authorization) }
            } else {
                captures.void(authorization)
            }
        }
        if case .begun = begun.output { try checkpoint(.afterFirstCommit) }
        return begun
    }

    private func commit(
        _ command: PurchaseCommand, identifierCount: Int
    ) async throws -> CustomerCommits.Committed<PurchaseCommand.Outcome> {
        let (customer, purchase) = (command.customer, command.purchase)
        let payment = purchase.payment
        return try await commits.commit(
            customer,
            asking: [PaymentRepository.find(key: payment.requestIdentifier, of: customer).key]
                + (payment.intentIdentifier.map { [UsedIntentRepository.isUsed($0, of: customer.bundleId).key] } ?? [])
                + CustomerState.lookups(for: purchase.quote, of: customer, payment, purchase.request),
            identifierCount: identifierCount, reaching: .insideFirstCommit, until: command.deadline
        ) { state in try state.begin(command) }
    }

    /// Tells whether a command that failed has certainly written nothing.
    private static func isUnwritten(_ error: any Error) -> Bool {
        switch (error as? PersistenceError)?.code {
        case nil: error is StoreError
        case .constraint, .conflict, .busy, .overloaded, .unavailable, .storageFull, .statement, .columnMissing,
            .columnType:
            true
        case .held, .cannotOpen, .corrupted, .schemaMismatch, .notDurable, .storageFailed, .closed, .outcomeUnknown:
            false
        }
    }

    // MARK: Authorize

    private func authorize(
        _ amount: Money?, _ request: AddPaymentRequest, until deadline: ContinuousClock.Instant
    ) async throws -> PurchaseAuthorization? {
        guard let amount, amount.minorUnits > 0 else { return nil }
        let id = newIdentifier()
        try checkpoint(.beforeAuthorization)
        let charge = try await authorizations.run(
            CreateChargeRequest(
                chargeKey: StoredTransaction.chargeKey(of: id), amount: amount, bundleId: request.bundleId,
                customerIdentifier: request.customerIdentifier,
                productIdentifier: request.payment.productIdentifier),
            until: deadline - PurchaseService.replyMargin)
        guard let charge else { return nil }
        try checkpoint(.afterAuthorization)
        return PurchaseAuthorization(id: id, amount: amount, charge)
    }

    private func newIdentifier() -> String {
        var random = SystemRandomNumberGenerator()
        return Identifiers.transaction(wall: clock.wall(), random: &random)
    }
}

/// Begins a purchase, whose charge may be authorized or declined already.
struct PurchaseCommand: Sendable {
    /// The result of a command.
    enum Outcome: Sendable {
        /// The key is new. The commit has written the purchase, ended or in progress.
        ///
        /// A plain one is charged without a prompt or simulated fault, as the customer's next one is likely to be.
        case begun(StoredTransaction, isPlain: Bool)
        /// The key was used before, possibly by an earlier command of the batch.
        case existing(StoredPayment)
        /// The customer's storefront is not the quote's. Nothing is written.
        case moved(to: String)

        /// The `id` of the key's transaction.
        var transactionID: String? {
            switch self {
            case .begun(let stored, _): stored.id
            // Its commit may have been reported as failed.
            case .existing(let payment): payment.transactionID
            case .moved: nil
            }
        }
    }

    var customer: CustomerReference
    /// The purchase, under the identifier that it has unless it takes the authorization's.
    var purchase: NewPurchase
    /// The storefront of the purchase's quote.
    var storefront: String
    /// Nil for a purchase that is charged after the commit.
    var authorization: PurchaseAuthorization?
    /// The caller's deadline.
    var deadline: ContinuousClock.Instant
}
