import Persistence
import ServiceDatabase
import StoreModels

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
