import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes notifications.
enum NotificationRepository {
    private static let columns = """
        position, uuid, bundle_id, customer_identifier, account, type, subtype, event_at, signed_at, state, attempts,
        due_at, due_wall
        """

    // MARK: New ones

    /// Writes a notification, due at its event. A known one stays as it is.
    /// - Parameters:
    ///   - hasEndpoint: Whether the app has an endpoint. Without one the notification is not due.
    ///   - payload: The signed payload, or nil until it is signed.
    static func insert(
        _ new: NewNotification, hasEndpoint: Bool, payload: String? = nil, in transaction: SQLTransaction
    ) async throws {
        var rows = Rows()
        try rows.append(new, hasEndpoint: hasEndpoint, payload: payload)
        try await rows.write(in: transaction)
    }

    /// The rows of new notifications.
    struct Rows: Sendable {
        private var notifications = SQLBatch(
            .insert(
                into: "notification",
                [
                    "uuid": .text, "bundle_id": .text, "customer_identifier": .text, "account": .text, "type": .text,
                    "subtype": .text, "event_at": .integer, "signed_at": .integer, "state": .text, "due_at": .integer,
                    "source": .text,
                ], "ON CONFLICT DO NOTHING"))
        private var payloads = SQLBatch(
            .insert(
                into: "notification_payload (position, draft, payload)",
                selecting: "SELECT position, ?, ? FROM notification WHERE uuid = ? AND bundle_id = ?",
                "ON CONFLICT DO NOTHING", .text, .text, .text, .text))

        /// Adds a notification, as ``NotificationRepository/insert(_:hasEndpoint:payload:in:)`` writes it.
        mutating func append(_ new: NewNotification, hasEndpoint: Bool, payload: String? = nil) throws {
            let draft = new.draft
            payloads.append(try StoredJSON.text(draft), payload, draft.notificationUUID, draft.bundleId)
            notifications.append(
                draft.notificationUUID, draft.bundleId, new.customerIdentifier, new.account, draft.notificationType,
                draft.subtype, new.eventAt.milliseconds, draft.signedDate.milliseconds,
                hasEndpoint ? ServerNotification.State.pending : .noEndpoint,
                hasEndpoint ? new.eventAt.milliseconds : nil, new.source)
        }

        /// Writes the notifications that were added since the last time.
        mutating func write(in transaction: SQLTransaction) async throws(PersistenceError) {
            let written = self
            self = Rows()
            try await transaction.send(written.notifications)
            try await transaction.send(written.payloads)
        }
    }

    /// The times at which customers' notifications of an instant were last signed, for ``appendSearch(of:at:to:)``.
    static let lastSigned = SQLBatchStatement.query(
        """
        SELECT ? AS bundle_id, ? AS customer_identifier, CAST(? AS BIGINT) AS instant, MAX(signed_at) AS last
        FROM notification
        WHERE bundle_id = ? AND customer_identifier = ? AND event_at > ? AND event_at <= ?
        """, .text, .text, .integer, .text, .text, .integer, .integer)

    /// Adds a customer and an instant. Its notifications include those of the second before it, which may have been
    /// signed at the instant itself.
    static func appendSearch(of customer: CustomerReference, at instant: Timestamp, to search: inout SQLBatch) {
        let (app, identifier, at) = (customer.bundleId, customer.customerIdentifier, instant.milliseconds)
        search.append(app, identifier, at, app, identifier, at - 1_000, at)
    }

    /// Reads when an app's last notification was signed, of events up to an instant.
    static func lastSigned(
        of bundleId: String, at instant: Timestamp, in reader: SQLReader
    ) async throws(PersistenceError) -> Timestamp? {
        let row = try await reader.queryOne(
            """
            SELECT MAX(signed_at) AS last FROM notification WHERE bundle_id = ? AND signed_at >= ? AND event_at <= ?
            """, bundleId, instant.milliseconds, instant.milliseconds)
        return try row?["last"]
    }

    // MARK: Signatures

    /// Reads the drafts of those notifications that are not signed.
    /// - Parameter positions: One or more.
    static func drafts(
        of positions: [Int64], in reader: SQLReader
    ) async throws -> [(position: Int64, draft: NotificationDraft)] {
        let placeholders = Array(repeating: "?", count: positions.count).joined(separator: ", ")
        return try await reader.query(
            "SELECT position, draft FROM notification_payload WHERE position IN (\(placeholders)) AND payload IS NULL",
            arguments: positions
        ).map { (try $0["position"], try StoredJSON.value(NotificationDraft.self, try $0["draft"])) }
    }

    /// Writes the payloads of notifications. One that was signed before keeps its own.
    static func keep(_ payloads: [Int64: String], in transaction: SQLTransaction) async throws(PersistenceError) {
        for (position, payload) in payloads {
            try await transaction.send(
                "UPDATE notification_payload SET payload = ? WHERE position = ? AND payload IS NULL", payload, position)
        }
    }

    /// Reads the signed payloads of notifications. Unsigned ones are left out.
    static func payloads(of positions: [Int64], in reader: SQLReader) async throws -> [Int64: String] {
        guard !positions.isEmpty else { return [:] }
        let placeholders = Array(repeating: "?", count: positions.count).joined(separator: ", ")
        var found: [Int64: String] = [:]
        for row in try await reader.query(
            "SELECT position, payload FROM notification_payload WHERE position IN (\(placeholders)) AND payload IS NOT NULL",
            arguments: positions)
        {
            found[try row["position"]] = try row["payload"] as String
        }
        return found
    }

    // MARK: Lists

    static func find(_ uuid: String, of bundleId: String, in reader: SQLReader) async throws -> StoredNotification? {
        try await reader.queryOne(
            "SELECT \(columns) FROM notification WHERE uuid = ? AND bundle_id = ?", uuid, bundleId
        ).map(StoredNotification.init)
    }

    /// Reads an app's notifications, newest first.
    static func list(
        _ request: NotificationsRequest, before cursor: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [StoredNotification] {
        var conditions = ["bundle_id = ?", "position < ?"]
        var arguments: [any SQLValueConvertible] = [request.bundleId, cursor]
        func add(_ condition: String, _ argument: (any SQLValueConvertible)?) {
            guard let argument else { return }
            conditions.append(condition)
            arguments.append(argument)
        }
        add("type = ?", request.notificationType)
        add("subtype = ?", request.subtype)
        add("account = ?", request.account)
        add("state = ?", request.state)
        return try await reader.query(
            """
            SELECT \(columns) FROM notification WHERE \(conditions.joined(separator: " AND "))
            ORDER BY position DESC LIMIT ?
            """, arguments: arguments + [limit]
        ).map(StoredNotification.init)
    }

    /// Reads the notifications sent of an app, oldest first.
    /// - Parameter cursor: The last one of the page before.
    static func history(
        _ request: NotificationHistoryRequest, after cursor: HistoryCursor, limit: Int, in reader: SQLReader
    ) async throws -> [StoredNotification] {
        var conditions = [
            "bundle_id = ?", "signed_at <= ?", "(signed_at, position) > (?, ?)",
            "EXISTS (SELECT 1 FROM attempt a WHERE a.position = notification.position AND a.result IS NOT NULL)",
        ]
        var arguments: [any SQLValueConvertible] = [
            request.bundleId, request.endDate.milliseconds, cursor.signedAt, cursor.position,
        ]
        func add(_ condition: String, _ argument: (any SQLValueConvertible)?) {
            guard let argument else { return }
            conditions.append(condition)
            arguments.append(argument)
        }
        add("type = ?", request.notificationType)
        add("subtype = ?", request.subtype)
        add("customer_identifier = ?", request.customerIdentifier)
        if request.onlyFailures { conditions.append("state IN ('retrying', 'failed')") }
        return try await reader.query(
            """
            SELECT \(columns) FROM notification WHERE \(conditions.joined(separator: " AND "))
            ORDER BY signed_at, position LIMIT ?
            """, arguments: arguments + [limit]
        ).map(StoredNotification.init)
    }

    /// A cursor in an app's history.
    struct HistoryCursor: Hashable, Sendable {
        var signedAt: Int64
        var position: Int64
    }

    /// Counts the notifications that have an attempt due by an instant or under way.
    static func pending(
        of bundleId: String, through instant: Timestamp, in reader: SQLReader
    ) async throws(PersistenceError) -> Int {
        // Each part has an index of few rows.
        let row = try await reader.queryOne(
            """
            SELECT (SELECT COUNT(*) FROM notification WHERE bundle_id = ? AND due_at <= ? AND claimed_by IS NULL)
                + (SELECT COUNT(*) FROM notification
                    WHERE bundle_id = ? AND due_wall IS NOT NULL AND claimed_by IS NULL)
                + (SELECT COUNT(*) FROM notification WHERE bundle_id = ? AND claimed_by IS NOT NULL) AS pending
            """, bundleId, instant.milliseconds, bundleId, bundleId)
        return try row?["pending"] ?? 0
    }

    /// Counts an app's notifications.
    static func counts(
        of bundleId: String, in reader: SQLReader
    ) async throws(PersistenceError) -> (made: Int, delivered: Int) {
        let row = try await reader.queryOne(
            """
            SELECT COUNT(*) AS made, COUNT(CASE WHEN state = 'delivered' THEN 1 END) AS delivered
            FROM notification WHERE bundle_id = ?
            """, bundleId)
        guard let row else { return (0, 0) }
        return (try row["made"], try row["delivered"])
    }

    // MARK: Deliveries

    /// Reads the apps with an endpoint and a notification that is or will be due.
    static func appsWaiting(in reader: SQLReader) async throws(PersistenceError) -> [String] {
        return try await reader.query(
            """
            SELECT bundle_id FROM endpoint
            WHERE EXISTS (SELECT 1 FROM notification n WHERE n.bundle_id = endpoint.bundle_id AND due_at IS NOT NULL)
                OR EXISTS (SELECT 1 FROM notification n WHERE n.bundle_id = endpoint.bundle_id AND due_wall IS NOT NULL)
            """
        ).values(of: "bundle_id")
    }

    /// A notification that is due.
    struct Candidate: Hashable, Sendable {
        var position: Int64
        /// Nil for a notification without a customer.
        var customerIdentifier: String?
    }

    /// Reads due notifications whose customer has no attempt under way. Those due by the wall clock come first, then
    /// those by the app's, each in the order they are due.
    static func due(
        of bundleId: String, through instant: Timestamp, wall: Timestamp, limit: Int, in reader: SQLReader
    ) async throws -> [Candidate] {
        // Two statements, because each has an index in its order, and a backlog may be long.
        let byWall = try await reader.query(
            """
            SELECT position, customer_identifier FROM notification n
            WHERE bundle_id = ? AND due_wall <= ? AND claimed_by IS NULL AND \(isFree)
            ORDER BY due_wall, position LIMIT ?
            """, bundleId, wall.milliseconds, limit)
        let byClock = try await reader.query(
            """
            SELECT position, customer_identifier FROM notification n
            WHERE bundle_id = ? AND due_at <= ? AND claimed_by IS NULL AND \(isFree)
            ORDER BY due_at, position LIMIT ?
            """, bundleId, instant.milliseconds, limit - byWall.count)
        return try (byWall + byClock).map {
            Candidate(position: try $0["position"], customerIdentifier: try $0["customer_identifier"])
        }
    }

    /// The condition of a notification `n` whose customer has no attempt under way. The summary of an extension of all
    /// subscriptions waits for the first attempts of everything before it.
    private static let isFree = """
        ((n.customer_identifier IS NULL AND (n.subtype IS NULL OR n.subtype <> 'SUMMARY'))
            OR (n.customer_identifier IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM notification c WHERE c.bundle_id = n.bundle_id
                AND c.customer_identifier = n.customer_identifier AND c.claimed_by IS NOT NULL))
            OR (n.subtype = 'SUMMARY' AND NOT EXISTS (
                SELECT 1 FROM notification e WHERE e.bundle_id = n.bundle_id AND e.due_at <= n.due_at
                AND e.state = 'pending' AND e.position < n.position)))
        """

    /// Counts the attempts that are under way.
    static func claimedCount(of bundleId: String, in reader: SQLReader) async throws(PersistenceError) -> Int {
        let row = try await reader.queryOne(
            "SELECT COUNT(*) AS claimed FROM notification WHERE bundle_id = ? AND claimed_by IS NOT NULL", bundleId)
        return try row?["claimed"] ?? 0
    }

    /// Claims a notification that is due for an attempt.
    /// - Returns: It as it is then, or nil when it is not due any more, or its customer has an attempt under way.
    static func claim(
        _ position: Int64, by attempt: String, for milliseconds: Int64, through instant: Timestamp, wall: Timestamp,
        in transaction: SQLTransaction
    ) async throws -> StoredNotification? {
        let dialect = transaction.dialect
        return try await transaction.queryOne(
            """
            UPDATE notification AS n SET claimed_by = ?, claimed_until = \(dialect.now) + ?, attempts = attempts + 1
            WHERE position = ? AND claimed_by IS NULL AND (due_at <= ? OR due_wall <= ?) AND \(isFree)
            RETURNING \(columns)
            """, attempt, milliseconds, position, instant.milliseconds, wall.milliseconds
        ).map(StoredNotification.init)
    }

    /// Releases a notification after an attempt.
    /// - Returns: False when the attempt was given up meanwhile.
    static func release(
        _ position: Int64, from attempt: String, _ state: ServerNotification.State, due: DeliverySchedule.Due?,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        var (dueAt, dueWall): (Int64?, Int64?) = (nil, nil)
        switch due {
        case .business(let instant): dueAt = instant.milliseconds
        case .wall(let instant): dueWall = instant.milliseconds
        case nil: break
        }
        return try await transaction.execute(
            """
            UPDATE notification SET claimed_by = NULL, claimed_until = 0, state = ?, due_at = ?, due_wall = ?
            WHERE position = ? AND claimed_by = ?
            """, state, dueAt, dueWall, position, attempt) == 1
    }

    /// Makes a notification due again, now.
    static func setDue(
        _ instant: Timestamp, of position: Int64, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "UPDATE notification SET due_at = ?, due_wall = NULL WHERE position = ?", instant.milliseconds, position)
    }

    /// Reads the notifications with an overdue attempt, each with the attempt.
    static func overdue(limit: Int, in reader: SQLReader) async throws -> [(StoredNotification, attempt: String)] {
        let isOver = reader.dialect.isOver("claimed_until")
        return try await reader.query(
            """
            SELECT \(columns), claimed_by FROM notification WHERE claimed_by IS NOT NULL AND \(isOver) LIMIT ?
            """, 2 * DeliveryService.claimMax, limit
        ).map { (try StoredNotification($0), attempt: try $0["claimed_by"]) }
    }

    /// Reads a claimed notification by its attempt.
    static func claimed(
        by attempt: String, of bundleId: String, in reader: SQLReader
    ) async throws -> StoredNotification? {
        try await reader.queryOne(
            "SELECT \(columns) FROM notification WHERE bundle_id = ? AND claimed_by = ?", bundleId, attempt
        ).map(StoredNotification.init)
    }
}

/// A notification as stored.
struct StoredNotification: Hashable, Sendable {
    var position: Int64
    var uuid: String
    var bundleId: String
    /// Nil for a notification without a customer.
    var customerIdentifier: String?
    var account: String?
    var type: NotificationType
    var subtype: NotificationSubtype?
    /// Business time of the event.
    var eventAt: Timestamp
    var signedAt: Timestamp
    var state: ServerNotification.State
    /// The number of attempts that have begun.
    var attempts: Int
    /// When the next attempt is due, if one is.
    var due: DeliverySchedule.Due?

    /// Returns it as the operator sees it.
    /// - Parameter payload: The signed payload, if it is shown.
    func wire(_ attempts: [NotificationAttempt], payload: String?) -> ServerNotification {
        with(
            ServerNotification(
                notificationUUID: uuid, bundleId: bundleId,
                notificationType: type, subtype: subtype, at: eventAt,
                state: state, attempts: attempts)
        ) {
            $0.account = account
            $0.signedPayload = payload
            if case .business(let instant) = due { $0.nextAttemptAt = instant }
        }
    }
}

extension StoredNotification {
    init(_ row: SQLRow) throws {
        let (dueAt, dueWall): (Timestamp?, Timestamp?) = (try row["due_at"], try row["due_wall"])
        position = try row["position"]
        uuid = try row["uuid"]
        bundleId = try row["bundle_id"]
        customerIdentifier = try row["customer_identifier"]
        account = try row["account"]
        type = try row["type"]
        subtype = try row["subtype"]
        eventAt = try row["event_at"]
        signedAt = try row["signed_at"]
        state = try row["state"]
        attempts = try row["attempts"]
        due = dueAt.map { .business($0) } ?? dueWall.map { .wall($0) }
    }
}

extension NotificationType: SQLValueConvertible {}
extension NotificationSubtype: SQLValueConvertible {}
extension ServerNotification.State: SQLValueConvertible {}
extension SendAttemptResult: SQLValueConvertible {}

/// A notification before it has a row.
struct NewNotification: Sendable {
    var draft: NotificationDraft
    var customerIdentifier: String?
    var account: String?
    /// Business time of the event.
    var eventAt: Timestamp
    /// The event it is made of, if its UUID is not made of the event. Nil otherwise.
    var source: String?
}
