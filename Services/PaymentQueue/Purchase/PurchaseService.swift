import BusService
import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// `queue.add`: one key, one transaction, at most one charge, through a crash of any process (`architecture.md`, a
/// purchase).
///
/// The first commit begins a purchase, the processor is asked, and the outcome commit ends it. The request that began
/// it, a request that joins it and the sweep all come through ``drive(_:fresh:until:)``; one of them at a time in this
/// process. Each commit is one function; between them the process may die.
struct PurchaseService: Sendable {
    /// Kept back from the deadline for the way home of the reply.
    static let replyMargin: Duration = .milliseconds(200)
    /// For one answer of the processor's: longer than a slow one takes, and short enough that the next attempt still
    /// finds out within five seconds.
    static let chargeTime: Duration = .seconds(3)
    /// Between two sweeps; monotonic.
    static let sweepInterval: Duration = .milliseconds(500)
    /// Purchases a sweep works on at once.
    static let sweepConcurrency = 16
    /// For one attempt of a sweep.
    static let sweepTime: Duration = .seconds(5)

    let database: any SQLDatabase
    let clock: BusinessClock
    let claims: PurchaseClaims
    let collaborators: PurchaseCollaborators
    let quotes: QuoteCache
    /// Does first what is due in a purchase's subscription group.
    let renewals: RenewalService
    /// The purchases this process works on.
    let inFlight: InFlightRegistry
    let checkpoint: CheckpointHook
    let record: SalesRecord
    let logger: Logger
    /// The last known storefront of customers, for looking for a quote before the database is read. Only a hint: the
    /// commit compares it with the customer's row.
    let storefronts = ExpiringCache<CustomerReference, String>(max: 10_000)
    let places = WaitingPlaces()
    let retries = RetrySweep(concurrency: sweepConcurrency)

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

    /// A transaction as its payment is answered: once it has ended, as the terminal commit left it, however often it
    /// was delivered since, so that all answers to one key are the same.
    func find(_ id: String) async throws -> StoredTransaction? {
        try await database.read { reader in
            guard let stored = try await TransactionRepository.find(id, in: reader) else { return nil }
            return try await Self.answered(stored, in: reader)
        }
    }

    static func answered(_ stored: StoredTransaction, in reader: SQLReader) async throws -> StoredTransaction {
        guard let answer = try await PaymentRepository.answer(of: stored.id, stored.customer, in: reader) else {
            return stored
        }
        var answered = stored
        answered.transaction = answer.transaction
        return answered
    }

    /// As below, for a purchase that may be gone.
    func finish(_ written: Written?) throws -> StoredTransaction? {
        guard let written else { return nil }
        return try finish(written)
    }

    /// Publishes a commit: events first, then the requests of this process that wait for it.
    @discardableResult
    func finish(_ written: Written) throws -> StoredTransaction {
        if written.changes.isEmpty, written.woken.isEmpty { return written.stored }
        try checkpoint(.afterOutcomeCommit)
        for change in written.changes { collaborators.publish(change) }
        try checkpoint(.afterPublish)
        if !written.changes.isEmpty { record.note(written.stored) }
        let value = written.stored.transaction
        if value.transactionState != .purchasing { inFlight.announce(value.id) }
        for id in written.woken { inFlight.announce(id) }
        return written.stored
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
