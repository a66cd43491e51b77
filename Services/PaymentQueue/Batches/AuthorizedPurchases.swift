import BusService
import Persistence
import StoreModels

/// Buys products whose charge is authorized first, in batches (ADR 0047, ADR 0070).
struct AuthorizedPurchases: QueuePart {
    /// Timeout of the authorizations. A processor that takes longer is asked after a first commit.
    static let authorizationTime: Duration = .milliseconds(200)
    /// The time that a caller must have left when its authorization is asked for.
    static let leastTime: Duration = .milliseconds(50)
    /// Maximum number of transactions that wait for customers, so that they leave connections to batches.
    static let aloneMax = 4

    let context: QueueContext
    /// Captures the charges of committed purchases, and voids the unused ones.
    let captures: CaptureService
    private let authorizations: CommandCollector<WaitingCharge, Charge?>
    private let commits: CommandCollector<PurchaseCommand, PurchaseCommand.Outcome>
    /// The commands that are decided alone, one after the other in each of ``aloneMax`` rows.
    private let alone = KeyedLock<Int>()

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
        commits = CommandCollector(on: context.executor) { commands in
            await Self.commit(commands, waits: false, context)
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
    ) async throws -> PurchaseCommand.Outcome {
        guard let authorization = try await authorize(request, quote, until: deadline) else { return .otherTerms }
        let command = PurchaseCommand(
            customer: request.customer,
            purchase: NewPurchase(
                id: authorization.id, payment: request.payment, deviceId: request.deviceId, quote: quote,
                fingerprint: fingerprint),
            storefront: storefront, authorization: authorization, deadline: deadline)
        let outcome: PurchaseCommand.Outcome
        do {
            outcome = try await commit(command)
        } catch {
            if Self.isUnwritten(error) { captures.void(authorization) }
            throw error
        }
        switch outcome {
        case .sold: break
        // Its commit was reported as failed.
        case .existing(let payment) where payment.transactionID.isExactly(authorization.id): break
        case .existing, .moved, .otherTerms, .alone:
            captures.void(authorization)
            return outcome
        }
        if authorization.reply == .approved { captures.add(authorization) }
        try checkpoint(.afterOnlyCommit)
        return outcome
    }

    /// Commits a command with the next batch, or alone when the batch leaves it out.
    private func commit(_ command: PurchaseCommand) async throws -> PurchaseCommand.Outcome {
        let outcome = try await commits.run(command)
        guard case .alone = outcome else { return outcome }
        let customer = command.customer
        let row = ExactText(IsolatedApp(customer.bundleId) == nil ? customer.customerIdentifier : customer.bundleId)
        return try await alone.withLock(row.hashValue & (Self.aloneMax - 1)) {
            try await Self.commit([command], waits: true, context)[0].get()
        }
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

    // MARK: Commit

    /// Reads, decides and writes.
    /// - Parameter waits: Whether it waits for customers that another transaction has locked.
    private static func commit(
        _ commands: [PurchaseCommand], waits: Bool, _ context: QueueContext
    ) async -> [Result<PurchaseCommand.Outcome, any Error>] {
        do {
            let (clock, checkpoint) = (context.clock, context.checkpoint)
            return try await context.database.write { transaction in
                var reading = try await BatchReading.read(commands, waits: waits, in: transaction)
                // After the locks, as in every commit.
                let wall = clock.wall()
                var changes = Changes()
                var outcomes: [Result<PurchaseCommand.Outcome, any Error>] = []
                let now = ContinuousClock.now
                for command in commands {
                    outcomes.append(
                        Result {
                            guard now < command.deadline else {
                                throw StoreError(.deadlineExceeded, "the payment waited too long; it was not added")
                            }
                            return try reading.handle(command, wall: wall, changes: &changes)
                        })
                }
                try await reading.write(changes, in: transaction)
                if !changes.isEmpty { try checkpoint(.insideOnlyCommit) }
                return outcomes
            }
        } catch {
            guard commands.count > 1, !isOfAll(error) else { return commands.map { _ in .failure(error) } }
            return commands.map { _ in .success(.alone) }
        }
    }

    /// Tells whether a batch has failed for a reason that is no command's own. Nothing of it is known to be written.
    ///
    /// All other failures may be one command's: a row that cannot be read, a rule of the schema that no decision has
    /// foreseen, another transaction that wants the same rows.
    private static func isOfAll(_ error: any Error) -> Bool {
        switch (error as? PersistenceError)?.code {
        case .unavailable, .outcomeUnknown, .closed, .overloaded, .storageFull, .storageFailed: true
        default: false
        }
    }
}
