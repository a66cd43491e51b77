import Cryptography
import FoundationEssentials
import Persistence
import PlantedBugs
import StoreModels

/// Makes notifications of PaymentQueue's server events: each exactly once, in the events' order.
///
/// Notifications and the position of their last event are one commit. Several replicas may read the same page. The
/// first commit counts, and the others write nothing.
struct EventImporter: Sendable {
    /// The name of the only position.
    private static let name = "serverEvents"
    /// Timeout of one page.
    static let readTime: Duration = .seconds(3)
    /// How long a request waits for events that were not read yet.
    static let catchUpTime: Duration = .seconds(1)

    let database: any SQLDatabase
    let collaborators: AppStoreCollaborators
    let alarm: ReaderAlarm

    /// Imports all events that can be read now.
    ///
    /// A position that PaymentQueue does not continue behind is given up, with an alarm, and all of PaymentQueue's
    /// events are read again. Known events do not make a second notification.
    /// - Parameters:
    ///   - app: The app whose clock is read with the first page, before the events.
    ///   - deadline: When it stops, after a whole page.
    /// - Returns: The app's clock. Nil without an app, and when it stopped before a page.
    /// - Throws: ``StoreError`` when PaymentQueue does not reply. Events imported until then stay.
    @discardableResult
    func run(
        clockOf app: String? = nil, until deadline: ContinuousClock.Instant? = nil
    ) async throws -> AppClockState? {
        var clock: AppClockState?
        var stored: String?
        var hasGivenUp = false
        var position = try await database.read { try await Self.position(in: $0) }
        while !Task.isCancelled, deadline.map({ .now < $0 }) ?? true {
            let page: ServerEventsPage
            do throws(StoreError) {
                page = try await collaborators.events(
                    ServerEventsRequest(after: position, clockOf: clock == nil ? app : nil),
                    min(.now + Self.readTime, deadline ?? .now + Self.readTime))
            } catch {
                guard let fault = error.positionFault, let refused = position, !hasGivenUp,
                    !PlantedBug.isActive(.positionsReused)
                else { throw error }
                alarm.raise(fault, at: refused)
                position = try await giveUp(refused)
                hasGivenUp = true
                continue
            }
            if let read = page.clock { clock = read }
            guard let end = page.events.last?.position else {
                alarm.readToEnd()
                break
            }
            guard try await store(page.events, from: position, to: end) else {
                position = try await database.read { try await Self.position(in: $0) }
                continue
            }
            (position, stored) = (end, end)
            guard page.hasMore else {
                alarm.readToEnd()
                break
            }
        }
        if let stored {
            // It removes old events only, so the next one does as well. It waits for nothing that AppStoreServer makes.
            _ = try? await collaborators.acknowledge(
                AcknowledgeServerEventsRequest(through: stored), .now + Self.readTime)
        }
        return clock
    }

    /// Gives up a position that the log does not continue behind, unless another replica has.
    /// - Returns: The position to continue at, or nil for the oldest event.
    private func giveUp(_ position: String) async throws -> String? {
        try await database.write { transaction in
            try await transaction.execute(
                "DELETE FROM outbox_reader WHERE name = ? AND position = ?", Self.name, position)
            return try await Self.position(in: transaction)
        }
    }

    /// Imports all events until now, as far as that is possible within ``catchUpTime``.
    func catchUp() async { _ = try? await run(until: .now + Self.catchUpTime) }

    /// Writes the notifications of a page and moves the position.
    /// - Returns: False when another replica has moved it.
    private func store(_ events: [ServerEvent], from position: String?, to end: String) async throws -> Bool {
        try await database.write { transaction in
            guard try await Self.advance(from: position, to: end, in: transaction) else { return false }
            var hasEndpoint: [ExactText: Bool] = [:]
            var dates = try await SignedDates(of: events, in: transaction)
            var rows = NotificationRepository.Rows()
            for event in events {
                if hasEndpoint[event.bundleId] == nil {
                    hasEndpoint[event.bundleId] =
                        try await EndpointRepository.find(event.bundleId, in: transaction) != nil
                }
                try await Self.append(
                    event, &dates, hasEndpoint: hasEndpoint[event.bundleId] == true, to: &rows, in: transaction)
            }
            try await rows.write(in: transaction)
            return true
        }
    }

    private static func append(
        _ event: ServerEvent, _ dates: inout SignedDates, hasEndpoint: Bool, to rows: inout NotificationRepository.Rows,
        in transaction: SQLTransaction
    ) async throws {
        if let extensions = event.extensions {
            // It is the last one by its date, too.
            try await rows.write(in: transaction)
            let last = try await NotificationRepository.lastSigned(of: event.bundleId, at: event.at, in: transaction)
            var draft = NotificationDraft(
                bundleId: event.bundleId, notificationUUID: NotificationUUID.of(event, ordinal: 0),
                notificationType: .renewalExtension, subtype: .summary,
                signedDate: last.map { $0 + .milliseconds(1) } ?? event.at)
            draft.extensions = extensions
            try rows.append(NewNotification(draft: draft, eventAt: event.at), hasEndpoint: hasEndpoint)
        }
        for (ordinal, made) in NotificationPolicy.notifications(of: event.changes).enumerated() {
            var draft = NotificationDraft(
                bundleId: event.bundleId, notificationUUID: NotificationUUID.of(event, ordinal: ordinal),
                notificationType: made.type, subtype: made.subtype, signedDate: dates.next(for: event))
            draft.appTransactionIdentifier = event.appTransactionIdentifier
            draft.transaction = made.change.transaction
            draft.subscription = made.change.subscription
            if made.type == .consumptionRequest {
                draft.consumptionRequestReason = made.change.consumptionRequestReason
            }
            var source: String?
            if event.customerIdentifier != nil, let app = IsolatedApp(draft.bundleId) {
                source = draft.notificationUUID
                draft.notificationUUID = NotificationUUID.of(draft, in: app)
            }
            let new = NewNotification(
                draft: draft, customerIdentifier: event.customerIdentifier, account: event.account,
                eventAt: event.at, source: source)
            try rows.append(new, hasEndpoint: hasEndpoint)
            if PlantedBug.isActive(.notificationMadeTwice), ordinal == 0 {
                var again = new
                (again.draft.notificationUUID, again.source) = (NotificationUUID.random(), nil)
                try rows.append(again, hasEndpoint: hasEndpoint)
            }
        }
    }

    // MARK: Position

    private static func position(in reader: SQLReader) async throws -> String? {
        try await reader.queryOne("SELECT position FROM outbox_reader WHERE name = ?", name)?["position"]
    }

    /// Moves the position.
    /// - Returns: False when another replica has moved it.
    private static func advance(
        from position: String?, to end: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        guard let position else {
            return try await transaction.execute(
                "INSERT INTO outbox_reader (name, position) VALUES (?, ?) ON CONFLICT DO NOTHING", name, end) == 1
        }
        return try await transaction.execute(
            "UPDATE outbox_reader SET position = ? WHERE name = ? AND position = ?", end, name, position) == 1
    }
}

/// The dates of a page's notifications: the event's time, or a millisecond after the one before of its customer.
///
/// Without this, a customer whose events come close together would have two notifications of one date: the second of an
/// instant, and the first of the next millisecond. Events of a clock that was set back have their own time again.
private struct SignedDates {
    private struct Instant: Hashable {
        var customer: CustomerReference
        var at: Timestamp
    }

    /// The time at which the last one was signed.
    private var last: [Instant: Timestamp] = [:]
    /// The last of the page, with its event's time.
    private var given: [CustomerReference: (at: Timestamp, signed: Timestamp)] = [:]

    /// Reads the earlier signing times in one round trip: those at the events' instants and in the second before them.
    init(of events: [ServerEvent], in reader: SQLReader) async throws(PersistenceError) {
        var search = SQLBatch(NotificationRepository.lastSigned)
        for instant in Set(events.compactMap(Self.instant)) {
            NotificationRepository.appendSearch(of: instant.customer, at: instant.at, to: &search)
        }
        for row in try await reader.start(search).rows() {
            let (at, signed): (Timestamp, Timestamp?) = (try row["instant"], try row["last"])
            let customer = CustomerReference(
                bundleId: try row["bundle_id"], customerIdentifier: try row["customer_identifier"])
            last[Instant(customer: customer, at: at)] = signed
        }
    }

    /// Takes the date of an event's next notification.
    mutating func next(for event: ServerEvent) -> Timestamp {
        guard let instant = Self.instant(event) else { return event.at }
        var next = event.at
        if let signed = last[instant] { next = max(next, signed + .milliseconds(1)) }
        if let before = given[instant.customer], before.at <= event.at {
            next = max(next, before.signed + .milliseconds(1))
        }
        given[instant.customer] = (event.at, next)
        return next
    }

    private static func instant(_ event: ServerEvent) -> Instant? {
        event.customerIdentifier.map {
            Instant(
                customer: CustomerReference(bundleId: event.bundleId, customerIdentifier: $0), at: event.at)
        }
    }
}

/// Makes the identifiers of notifications.
enum NotificationUUID {
    /// The namespace of this store's notifications, a random UUID.
    private static let namespace: [UInt8] = [
        0x6B, 0x0D, 0x4A, 0x52, 0x9C, 0x3E, 0x4F, 0x1B, 0x8A, 0x77, 0x25, 0xE0, 0x91, 0xC4, 0x5D, 0x38,
    ]

    /// Returns the UUID of an event's notification, the same at each call. It is version 5, of the customer, the
    /// event's position and time, and the number of the notification.
    static func of(_ event: ServerEvent, ordinal: Int) -> String {
        let name = [
            event.bundleId, event.customerIdentifier ?? "", event.position, "\(event.at.milliseconds)", "\(ordinal)",
        ].joined(separator: "\0")
        return UUIDText.make(Insecure.SHA1.hash(data: namespace + Array(name.utf8)), version: 5)
    }

    /// Returns the UUID of an isolated store's notification: version 5, of the facts that are equal in stores of equal
    /// seeds.
    /// - Parameter ordinal: The number among otherwise equal notifications.
    static func of(_ draft: NotificationDraft, in app: IsolatedApp, ordinal: Int = 0) -> String {
        let parts = [
            app.shownBundleId, "\(app.seed)", draft.notificationType.rawValue, draft.subtype?.rawValue ?? "",
            draft.transaction?.item.transactionIdentifier ?? "", draft.appTransactionIdentifier ?? "",
            "\(draft.signedDate.milliseconds)", "\(ordinal)",
        ]
        let digest = Insecure.SHA1.hash(data: namespace + Array(parts.joined(separator: "\0").utf8))
        return UUIDText.make(digest, version: 5)
    }

    /// Makes a random one, version 4.
    static func random() -> String {
        var random = SystemRandomNumberGenerator()
        return UUIDText.make((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }, version: 4)
    }
}
