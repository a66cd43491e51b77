import Logging
import Persistence

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
    /// Stops a purchase half-way in tests, and does nothing in production.
    let checkpoint: CheckpointHook
    let record: SalesRecord
    let logger: Logger
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
    var checkpoint: CheckpointHook { context.checkpoint }
    var record: SalesRecord { context.record }
    var logger: Logger { context.logger }
    /// Notifies other services of a committed change, at most once.
    var publish: @Sendable (PublishedChange) -> Void { context.collaborators.publish }
}
