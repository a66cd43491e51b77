import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// The dependencies that the parts of the payment queue share.
struct QueueContext: Sendable {
    let database: any SQLDatabase
    /// The loop on which requests are handled, or nil for any thread.
    let executor: (any TaskExecutor)?
    let clock: BusinessClock
    /// The division of unfinished work among replicas.
    let claims: PurchaseClaims
    let collaborators: PurchaseCollaborators
    let quotes: QuoteCache
    let defaults: AppDefaults
    /// The leases on the version of the testers' settings.
    let leases: LeaseIssuer
    /// Stops a purchase half-way in tests, and does nothing in production.
    let checkpoint: CheckpointHook
    let record: SalesRecord
    let logger: Logger
    /// Commits decisions about customers.
    let commits: CustomerCommits

    init(
        database: any SQLDatabase, executor: (any TaskExecutor)?, clock: BusinessClock, claims: PurchaseClaims,
        collaborators: PurchaseCollaborators, quotes: QuoteCache, defaults: AppDefaults, leases: LeaseIssuer,
        checkpoint: @escaping CheckpointHook, record: SalesRecord, logger: Logger
    ) {
        self.database = database
        self.executor = executor
        self.clock = clock
        self.claims = claims
        self.collaborators = collaborators
        self.quotes = quotes
        self.defaults = defaults
        self.leases = leases
        self.checkpoint = checkpoint
        self.record = record
        self.logger = logger
        commits = CustomerCommits(database, on: executor, clock: clock, checkpoint: checkpoint)
    }
}

/// A part of the payment queue: it handles some endpoints, or a background job.
protocol QueuePart: Sendable { var context: QueueContext { get } }

extension QueuePart {
    var database: any SQLDatabase { context.database }
    var clock: BusinessClock { context.clock }
    var claims: PurchaseClaims { context.claims }
    var collaborators: PurchaseCollaborators { context.collaborators }
    var quotes: QuoteCache { context.quotes }
    var defaults: AppDefaults { context.defaults }
    var leases: LeaseIssuer { context.leases }
    var checkpoint: CheckpointHook { context.checkpoint }
    var record: SalesRecord { context.record }
    var logger: Logger { context.logger }
    var commits: CustomerCommits { context.commits }
    /// Notifies other services of a committed change, at most once.
    var publish: @Sendable (PublishedChange) -> Void { context.collaborators.publish }

    /// Reads the transaction that an operator names, mostly to find its customer.
    /// - Throws: `notFound`, also for a transaction of another scope, or as ``TransactionRepository/find(_:in:)``.
    func transaction(_ named: ScopedIdentifier) async throws -> StoredTransaction {
        let found = try await database.read { reader in try await TransactionRepository.find(named, in: reader) }
        guard let found else { throw StoreError.unknownTransaction }
        return found
    }
}

extension StoreError {
    static var unknownTransaction: StoreError { StoreError(.notFound, "no such transaction") }
}
