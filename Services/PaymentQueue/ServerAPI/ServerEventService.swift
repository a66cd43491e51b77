import BusService
import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `serverEvents.list` and `.acknowledge`, by which AppStoreServer reads the events of apps' servers.
struct ServerEventService: QueuePart {
    /// Maximum number of events in one page.
    static let pageMax = 100
    /// Prefix of an event's position, as AppStoreServer gets it.
    static let prefix = "v_"
    /// Minimum age of removed events, by the wall clock.
    static let keptFor: Duration = .seconds(30 * 86_400)
    /// Timeout of the quotes of one page. Prices not known by then are left out.
    static let quoteTime: Duration = .seconds(1)
    /// Maximum number of rows one commit removes.
    static let pruneBatch = 500

    let context: QueueContext
    let subscriptions: SubscriptionReader
    let clocks: ClockService

    /// Lists the events after a place, oldest first.
    /// - Throws: `requestInvalid`, with a ``PositionFault`` for a place that the log does not continue behind.
    func list(_ request: ServerEventsRequest) async throws -> ServerEventsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let after = try request.after.map(Self.position)
        // Before the events: all that fell due until this time is then among them.
        var clock: AppClockState?
        if let app = request.clockOf { clock = try await clocks.get(AppRequest(bundleId: app)) }
        let (events, hasMore) = try await database.read { reader in
            if let after { try await ServerEventRepository.table.check(after, in: reader) }
            let rows = try await ServerEventRepository.list(
                after: after ?? EventPosition(row: 0), limit: request.limit + 1, in: reader)
            let page = ReplyBudget.fitting(Array(rows.prefix(request.limit)), Self.bytesMax)
            let snapshots = page.flatMap { $0.event.changes.compactMap(\.subscription) }
            let periods = try await reader.start(
                snapshots.map { SubscriptionPeriodRepository.all(of: $0.originalID).key }
            ).rows()
            return (try page.map { try Self.event($0, periods) }, rows.count > page.count)
        }
        return ServerEventsPage(
            events: try await priced(events), after: events.last?.position ?? request.after, hasMore: hasMore,
            clock: clock)
    }

    /// Returns more bytes than an event's JSON has: a subscription's repeats the transaction, and names and place are
    /// added.
    private static func bytesMax(_ row: ServerEventRepository.Row) -> Int { 2 * row.byteCount + 2_048 }

    /// Records that AppStoreServer has stored the events through a place.
    /// - Throws: `requestInvalid` for an invalid place.
    func acknowledge(_ request: AcknowledgeServerEventsRequest) async throws -> Empty {
        _ = try Self.position(request.through)
        try await database.write { transaction in
            try await ServerEventRepository.acknowledge(request.through, in: transaction)
        }
        return Empty()
    }

    /// Removes acknowledged events older than ``keptFor``.
    /// - Returns: The number of removed events.
    @discardableResult
    func prune() async throws -> Int {
        let limit = clock.wall() + (.zero - Self.keptFor)
        return try await database.writeInBatches(of: Self.pruneBatch) { transaction in
            guard let text = try await ServerEventRepository.acknowledged(in: transaction),
                let end = EventPosition(text, prefix: Self.prefix)
            else { return 0 }
            return try await ServerEventRepository.table.prune(
                writtenBefore: limit, through: end, limit: Self.pruneBatch, in: transaction)
        }
    }

    // MARK: Events

    private static func position(_ text: String) throws(StoreError) -> EventPosition {
        guard let position = EventPosition(text, prefix: prefix) else { throw .position(.malformed) }
        return position
    }

    /// - Parameter periods: The rows of all subscriptions' periods.
    private static func event(
        _ row: ServerEventRepository.Row, _ periods: [SQLLookupKey: [SQLRow]]
    ) throws -> ServerEvent {
        var changes: [ServerEvent.Change] = []
        for change in row.event.changes {
            var value = ServerEvent.Change(kind: change.kind, transaction: change.transaction)
            (value.level, value.endsRenewal) = (change.level, change.endsRenewal)
            value.consumptionRequestReason = change.consumptionRequestReason
            if let snapshot = change.subscription {
                // Periods before the snapshot's do not change any more.
                let all = SubscriptionPeriodRepository.all(of: snapshot.originalID)
                let periods = try all.answer(periods[all.key] ?? []).prefix(snapshot.value.period + 1)
                value.subscription = ServerSubscription(
                    subscription: snapshot.value, transaction: change.transaction,
                    recentStart: RecentStartPolicy.start(of: Array(periods), rate: snapshot.rate)
                        ?? snapshot.value.purchaseDate,
                    nextOffer: snapshot.nextOffer)
            }
            changes.append(value)
        }
        guard row.event.extensions == nil else {
            return with(
                ServerEvent(
                    position: row.position.identifier(prefix), bundleId: row.customer.bundleId, customerIdentifier: nil,
                    account: nil, appTransactionIdentifier: nil, at: row.event.at, changes: [])
            ) { $0.extensions = row.event.extensions }
        }
        return ServerEvent(
            position: row.position.identifier(prefix), bundleId: row.customer.bundleId,
            customerIdentifier: row.customer.customerIdentifier, account: row.event.account,
            appTransactionIdentifier: "\(row.event.appTransaction)", at: row.event.at, changes: changes)
    }

    /// Adds the prices of renewals that buy another product, which only Catalog knows.
    private func priced(_ events: [ServerEvent]) async throws -> [ServerEvent] {
        let last = ContinuousClock.now + Self.quoteTime
        var events = events
        for index in events.indices {
            for offset in events[index].changes.indices {
                guard let value = events[index].changes[offset].subscription?.subscription, value.willAutoRenew,
                    value.state.isExisting, value.lacksPrice,
                    let customerIdentifier = events[index].customerIdentifier
                else { continue }
                let priced = try await subscriptions.priced(
                    value,
                    by: CustomerReference(
                        bundleId: events[index].bundleId, customerIdentifier: customerIdentifier),
                    until: last)
                events[index].changes[offset].subscription?.subscription = priced
            }
        }
        return events
    }
}

extension Subscription {
    /// Whether a quote may know the price of a renewal better: of one whose price is missing, and of a commitment's.
    fileprivate var lacksPrice: Bool {
        renewalPrice == nil || commitmentRenewal.map { $0.renewalPrice == nil } ?? false
            || commitment.map { !$0.isLast } ?? false
    }
}

/// A server event as stored: with everything as of its commit, except the facts of immutable rows.
struct StoredServerEvent: Hashable, Sendable, Codable {
    /// One change of a transaction or subscription.
    struct Change: Hashable, Sendable, Codable {
        var kind: ServerEvent.Kind
        var transaction: ServerTransaction
        var subscription: Snapshot?
        var level: ServerEvent.LevelChange?
        var endsRenewal: Bool?
        var consumptionRequestReason: ConsumptionRequestReason?
    }

    /// A subscription after the commit.
    struct Snapshot: Hashable, Sendable, Codable {
        /// With the price of the next renewal, unless only a quote knows it.
        var value: Subscription
        /// The `id` of the first transaction.
        var originalID: String
        var rate: SubscriptionRenewalRate
        /// The offer of the next renewal. Nil at the regular price.
        var nextOffer: AppliedOffer?
    }

    /// Empty for an event without a customer.
    var account: String
    /// The customer's download of the app. 0 for an event without a customer.
    var appTransaction: Int64
    /// Business time.
    var at: Timestamp
    var changes: [Change]
    /// The end of an extension of a product's subscriptions. Nil for an event of a customer.
    var extensions: SubscriptionExtensions?
}

/// Reads and writes server events. An event's own commit writes its row.
enum ServerEventRepository {
    static let table = EventTable("server_event")
    /// The name of the only reader's row.
    private static let reader = "app-store-server"

    /// A stored event with its place and customer.
    struct Row: Sendable {
        var position: EventPosition
        var customer: CustomerReference
        var event: StoredServerEvent
        /// The number of bytes stored of the event.
        var byteCount: Int
    }

    /// Writes an event.
    /// - Parameter customer: The customer, with an empty identifier for an event without one.
    static func insert(
        _ event: StoredServerEvent, of customer: CustomerReference, wall: Timestamp
    ) throws -> SQLChange {
        SQLChange(
            inserted, customer.bundleId, customer.customerIdentifier, wall.milliseconds, try StoredJSON.text(event))
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "server_event",
        ["bundle_id": .text, "customer_identifier": .text, "written_at": .integer, "body": .text])

    /// Reads the settled events after a place, in order.
    static func list(after: EventPosition, limit: Int, in reader: SQLReader) async throws -> [Row] {
        let dialect = reader.dialect
        return try await reader.query(
            """
            SELECT xact, position, bundle_id, customer_identifier, body FROM server_event
            WHERE \(dialect.eventPosition) > \(dialect.eventParameter)\(dialect.eventIsSettled)
            ORDER BY \(dialect.eventOrder) LIMIT ?
            """, arguments: dialect.arguments(after) + [limit]
        ).map { row in
            let body: String = try row["body"]
            return Row(
                position: try EventPosition(row), customer: try CustomerReference(row),
                event: try StoredJSON.value(StoredServerEvent.self, body), byteCount: body.utf8.count)
        }
    }

    /// Records the last event that AppStoreServer has stored. The record moves back if AppStoreServer reads again.
    static func acknowledge(_ position: String, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO server_event_reader (name, position) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET position = excluded.position
            """, reader, position)
    }

    /// Reads the last event that AppStoreServer has stored, or nil before the first.
    static func acknowledged(in reader: SQLReader) async throws(PersistenceError) -> String? {
        try await reader.queryOne("SELECT position FROM server_event_reader WHERE name = ?", Self.reader)?["position"]
    }
}
