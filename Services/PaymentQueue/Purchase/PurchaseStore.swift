import Persistence
import StoreModels

/// The commits of a purchase. Each is one function; between them the process may die.
struct PurchaseStore: Sendable {
    /// What a commit left behind.
    struct Written: Sendable {
        var stored: StoredTransaction
        /// To be published, now that they are committed.
        var changes: [CustomerChange]
        /// Purchases that waited for this one.
        var woken: [String]

        init(_ committed: CustomerTransaction.Committed<StoredTransaction>) {
            (stored, changes, woken) = (committed.output, committed.changes, committed.woken)
        }
    }

    enum Begun: Sendable {
        case started(Written)
        /// The key was here before.
        case existing(StoredPayment)
        /// The customer shops in another storefront than the quote is for; nothing is written.
        case moved(to: String)
    }

    /// What the first commit has found under its key.
    private enum Found: Sendable {
        case payment(StoredPayment)
        case storefront(String)
        /// So it has begun this.
        case nothing(StoredTransaction)
    }

    let database: any SQLDatabase
    let clock: BusinessClock
    let checkpoint: CheckpointHook
    let claims: PurchaseClaims

    init(
        database: any SQLDatabase, clock: BusinessClock, claims: PurchaseClaims = PurchaseClaims(),
        checkpoint: @escaping CheckpointHook = { _ in }
    ) {
        self.database = database
        self.claims = claims
        self.clock = clock
        self.checkpoint = checkpoint
    }

    /// Reads the customer, and what the key was used for already, in one snapshot.
    func lookUp(
        key: String, of customer: CustomerReference
    ) async throws -> (customer: Customer, payment: StoredPayment?)? {
        try await database.read { reader in
            guard let found = try await CustomerRepository.find(customer, in: reader) else { return nil }
            return (found, try await PaymentRepository.find(key: key, of: customer, in: reader))
        }
    }

    /// A transaction as its payment is answered: once it has ended, as the terminal commit left it, however often it
    /// was delivered since, so that all answers to one key are the same.
    func find(_ id: String) async throws -> StoredTransaction? {
        try await database.read { reader in
            guard let stored = try await TransactionRepository.find(id, in: reader) else { return nil }
            return try await Self.answered(stored, in: reader)
        }
    }

    private static func answered(_ stored: StoredTransaction, in reader: SQLReader) async throws -> StoredTransaction {
        guard let answer = try await PaymentRepository.answer(of: stored.id, stored.customer, in: reader) else {
            return stored
        }
        var answered = stored
        answered.transaction = answer.transaction
        return answered
    }

    /// What the subscription is kept by that a purchase would go on with which nothing is agreed about yet.
    func subscriptionKey(of stored: StoredTransaction) async throws -> String? {
        guard let question = stored.quote?.historyQuestion else { return nil }
        return try await database.read { reader in
            let now = clock.now(try await CustomerRepository.clock(of: stored.customer.bundleId, in: reader))
            let all = try await SubscriptionRepository.all(of: stored.customer, in: reader)
            return try await EntitlementRepository.subscribed(
                question, stored.customer, among: all, at: now, in: reader
            )
            .subscription?.group
        }
    }

    /// For operators: by `id` or by `transactionIdentifier`.
    func find(spelled text: String) async throws -> StoredTransaction? {
        try await database.read { reader in try await TransactionRepository.find(spelled: text, in: reader) }
    }

    /// The first commit: payment, transaction, claims and journal, and the intent it comes of is used. A purchase StoreKit reports as failed ends in it.
    /// - Parameter storefront: the one the quote is for.
    /// - Throws: `intentDecided` when the promoted purchase has had its payment (I3), or is to have none; nothing is
    ///   written.
    func begin(
        _ request: AddPaymentRequest, quote: Quote, storefront: String, fingerprint: String
    ) async throws -> Begun {
        let customer = request.customer
        var random = SystemRandomNumberGenerator()
        let purchase = NewPurchase(
            id: Identifiers.transaction(wall: clock.wall(), random: &random), payment: request.payment,
            deviceId: request.deviceId, quote: quote,
            request: OfferRequest(discountCheck: request.discountCheck, redeemed: request.redeemedOffer),
            fingerprint: fingerprint)
        return try await database.write { transaction in
            let committed = try await CustomerTransaction.run(
                customer, in: transaction, clock: clock, checkpoint: checkpoint
            ) { commit in
                let key = purchase.payment.requestIdentifier
                if let payment = try await PaymentRepository.find(key: key, of: customer, in: transaction) {
                    return Found.payment(payment)
                }
                guard commit.account.storefront == storefront else { return .storefront(commit.account.storefront) }
                if let intent = purchase.payment.intentIdentifier {
                    try await Self.use(intent, of: customer.bundleId, in: transaction)
                }
                let plan = try await commit.plan(purchase.payment, purchase.request, quote: quote)
                return .nothing(try await commit.begin(purchase, plan))
            }
            switch committed.output {
            case .payment(let payment): return .existing(payment)
            case .storefront(let storefront): return .moved(to: storefront)
            case .nothing(let stored):
                try checkpoint(.insideFirstCommit)
                return .started(Written(committed.with(stored)))
            }
        }
    }

    private static func use(
        _ intent: String, of bundleId: String, in transaction: SQLTransaction
    ) async throws {
        guard try await !UsedIntentRepository.use(intent, of: bundleId, in: transaction) else { return }
        throw try await PaymentRepository.exists(intent: intent, bundleId: bundleId, in: transaction)
            ? StoreError(
                .intentDecided, "this promoted purchase was continued by another payment; nothing was charged")
            : StoreError.promotedPurchaseCleared
    }

    /// Plans a purchase again that waited for another one of the same product.
    /// - Returns: nil when there is no such purchase any more.
    func replan(_ known: StoredTransaction) async throws -> Written? {
        try await inCommit(on: known) { commit, stored in try await commit.replan(stored) }
    }

    /// The outcome commit: what the processor said, written once. A second caller gets what the first one wrote.
    /// - Parameter known: The purchase as it was read or written before. The row is read again only when it is no
    ///   longer so.
    /// - Returns: nil when there is no such purchase any more.
    func settle(_ known: StoredTransaction, _ answer: ChargeAnswer) async throws -> Written? {
        try await inCommit(on: known, rereads: false, then: .insideOutcomeCommit) { commit, stored in
            switch answer {
            case .approved: try await commit.conclude(stored)
            case .failed(let error): try await commit.apply(.fail(error), to: stored)
            case .mismatch: try await commit.quarantine(stored)
            case .undecided: stored
            }
        }
    }

    /// Runs `body` on the stored transaction while it is under way; on any other it returns what is there.
    /// - Parameter rereads: false for a body that writes only what the row as it is known leads to.
    private func inCommit(
        on known: StoredTransaction, rereads: Bool = true, then reached: Checkpoint? = nil,
        _ body: @escaping @Sendable (inout CustomerTransaction, StoredTransaction) async throws -> StoredTransaction
    ) async throws -> Written? {
        try await database.write { transaction in
            let committed = try await CustomerTransaction.run(
                known.customer, in: transaction, clock: clock, checkpoint: checkpoint
            ) { commit in
                if !rereads, !known.isAtRest {
                    let result = try await body(&commit, known)
                    if result != known { return result as StoredTransaction? }
                }
                guard
                    let stored = try await TransactionRepository.find(known.id, of: known.customer, in: transaction)
                else { return nil }
                return stored.isAtRest || !rereads ? stored : try await body(&commit, stored)
            }
            guard let stored = committed.output else { return nil }
            if let reached { try checkpoint(reached) }
            // A second caller answers what the first one's commit has stored, as each later request with the key does.
            guard !committed.changes.isEmpty else {
                return Written(committed.with(try await Self.answered(stored, in: transaction)))
            }
            return Written(committed.with(stored))
        }
    }

    /// Identifiers of purchases that this replica has to take to their end, behind `after`.
    func unsettled(after: String, limit: Int) async throws -> [String] {
        // A SQLite file has one process, which is at all of them.
        guard database.dialect == .sqlite else {
            return try await database.write { transaction in
                try await TransactionRepository.claimUnsettled(claims, after: after, limit: limit, in: transaction)
            }
        }
        return try await database.read { reader in
            try await TransactionRepository.unsettled(after: after, limit: limit, in: reader)
        }
    }
}

extension StoreError {
    /// What a promoted purchase has become was deleted: it is over, and does not buy again.
    static var promotedPurchaseCleared: StoreError {
        StoreError(
            .intentDecided,
            "this promoted purchase was cleared away with what the customer has bought; nothing is charged for it again"
        )
    }
}
