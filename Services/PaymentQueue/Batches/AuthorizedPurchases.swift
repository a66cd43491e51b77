import BusService
import Persistence
import StoreModels

/// Buys products whose charge is authorized first, in batches (ADR 0047, ADR 0070).
struct AuthorizedPurchases: QueuePart {
    /// Timeout of the authorizations. A processor that takes longer is asked after a first commit.
    static let authorizationTime: Duration = .milliseconds(200)
    /// The time that a caller must have left when its authorization is asked for.
    static let leastTime: Duration = .milliseconds(50)

    let context: QueueContext
    /// Captures the charges of committed purchases, and voids the unused ones.
    let captures: CaptureService
    private let authorizations: CommandCollector<WaitingCharge, Charge?>

    private struct WaitingCharge: Sendable {
        let request: CreateChargeRequest
        /// The instant at which its caller stops waiting.
        let last: ContinuousClock.Instant
    }

    init(context: QueueContext, captures: CaptureService) {
        self.context = context
        self.captures = captures
        authorizations = CommandCollector(on: context.executor) { charges in
            await Self.authorize(charges, context.collaborators)
        }
    }

    /// Authorizes a purchase and commits it.
    /// - Parameters:
    ///   - storefront: The storefront the quote is for.
    ///   - deadline: The caller's deadline.
    /// - Returns: ``PurchaseCommand/Outcome/otherTerms`` for a purchase that needs a first commit. Nothing of it is
    ///   written, and no charge is held. If the reply to an authorization was lost, the charge lapses.
    /// - Throws: `notFound` for an unknown customer.
    func buy(
        _ request: AddPaymentRequest, _ quote: Quote, in storefront: String, _ fingerprint: String,
        until deadline: ContinuousClock.Instant
    ) async throws -> CustomerCommits.Committed<PurchaseCommand.Outcome> {
        guard let authorization = try await authorize(request, quote, until: deadline) else {
            return .init(output: .otherTerms)
        }
        let command = PurchaseCommand(
            customer: request.customer,
            purchase: NewPurchase(
                id: authorization.id, payment: request.payment, deviceId: request.deviceId, quote: quote,
                fingerprint: fingerprint),
            storefront: storefront, authorization: authorization, deadline: deadline)
        let bought: CustomerCommits.Committed<PurchaseCommand.Outcome>
        do {
            bought = try await commit(command)
        } catch {
            if Self.isUnwritten(error) { captures.void(authorization) }
            throw error
        }
        switch bought.output {
        case .sold: break
        // Its commit was reported as failed.
        case .existing(let payment) where payment.transactionID.isExactly(authorization.id): break
        case .existing, .moved, .otherTerms:
            captures.void(authorization)
            return bought
        }
        if authorization.reply == .approved { captures.add(authorization) }
        try checkpoint(.afterOnlyCommit)
        return bought
    }

    private func commit(
        _ command: PurchaseCommand
    ) async throws -> CustomerCommits.Committed<PurchaseCommand.Outcome> {
        let (customer, purchase) = (command.customer, command.purchase)
        return try await commits.commit(
            customer,
            asking: [PaymentRepository.find(key: purchase.payment.requestIdentifier, of: customer).key]
                + CustomerState.lookups(for: purchase.quote, of: customer, purchase.payment, purchase.request),
            identifierCount: command.authorization.reply == .approved ? 1 : 0, reaching: .insideOnlyCommit,
            until: command.deadline
        ) { state in try state.buy(command) }
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
        _ request: AddPaymentRequest, _ quote: Quote, until deadline: ContinuousClock.Instant
    ) async throws -> PurchaseAuthorization? {
        let last = deadline - PurchaseService.replyMargin
        guard let amount = PurchaseAuthorization.amount(of: request, quote), .now + Self.leastTime < last else {
            return nil
        }
        var random = SystemRandomNumberGenerator()
        let id = Identifiers.transaction(wall: clock.wall(), random: &random)
        try checkpoint(.beforeAuthorization)
        let charge = try await authorizations.run(
            WaitingCharge(
                request: CreateChargeRequest(
                    chargeKey: StoredTransaction.chargeKey(of: id), amount: amount, bundleId: request.bundleId,
                    customerIdentifier: request.customerIdentifier,
                    productIdentifier: request.payment.productIdentifier),
                last: last))
        guard let charge else { return nil }
        try checkpoint(.afterAuthorization)
        return PurchaseAuthorization(id: id, amount: amount, charge)
    }

    /// Asks the processor about a batch, except for callers who cannot wait for it any more.
    /// - Returns: Nil for each charge that the processor has refused, or about which it has not replied.
    private static func authorize(
        _ charges: [WaitingCharge], _ collaborators: PurchaseCollaborators
    ) async -> [Result<Charge?, any Error>] {
        let now = ContinuousClock.now
        let due = charges.filter { $0.last > now + leastTime }
        var decided: [ExactText: Charge] = [:]
        if !due.isEmpty,
            let reply = try? await collaborators.authorize(
                AuthorizeChargesRequest(charges: due.map(\.request)), now + authorizationTime)
        {
            for charge in reply.charges.compactMap(\.charge) { decided[ExactText(charge.chargeKey)] = charge }
        }
        return charges.map { .success(decided[ExactText($0.request.chargeKey)]) }
    }
}

/// Buys a product whose charge was authorized or declined before its batch.
struct PurchaseCommand: Sendable {
    /// The result of a command.
    enum Outcome: Sendable {
        /// The purchase is written as sold, or as failed when the processor has declined.
        case sold(StoredTransaction)
        /// The key was used before, possibly by an earlier command of the batch.
        case existing(StoredPayment)
        /// The customer's storefront is not the quote's.
        case moved(to: String)
        /// The customer's rows lead to other terms than the authorized ones. Nothing is written.
        case otherTerms
    }

    var customer: CustomerReference
    /// Its identifier is the authorization's.
    var purchase: NewPurchase
    /// The storefront of the purchase's quote.
    var storefront: String
    var authorization: PurchaseAuthorization
    /// The caller's deadline.
    var deadline: ContinuousClock.Instant
}
