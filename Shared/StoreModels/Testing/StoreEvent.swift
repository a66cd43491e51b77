/// An event of the store, for tests that wait for it (`GET /admin/v1/events/wait`):
///
/// ```json
/// {"id":"…","type":"purchased","at":"2026-11-21T10:00:04.000Z","bundleId":"com.example.app","account":"alice",
///  "transaction":{…}}
/// ```
public struct StoreEvent: Hashable, Sendable, Codable {
    /// A transaction's new state, or `finished` when it left the queue. `finishedWithPendingDownloads` comes in
    /// addition, when content was not downloaded by then (M55).
    public enum Kind: String, CaseIterable, Sendable, Codable {
        case purchasing, purchased, failed, deferred, restored, finished, finishedWithPendingDownloads
        case refunded, revoked
        /// A member of the customer's family shares a purchase, or shares it again.
        case shared
        /// Subscription events other than the transactions they make.
        case expired, billingRetryStarted, gracePeriodStarted, gracePeriodExpired, recovered, autoRenewEnabled
        case autoRenewDisabled, renewalPreferenceChanged, upgraded, extended
        case priceIncreasePending, priceIncreaseAgreed, priceIncreaseDeclined
    }

    /// Opaque and increasing. It is the next request's `after`.
    public var id: String
    /// The kind of event.
    public var type: Kind
    /// When it happened, by the app's clock.
    public var at: Timestamp
    @ShownApp public var bundleId: String
    /// The shopper's name.
    public var account: String
    /// The transaction at the moment of the event.
    public var transaction: PaymentTransaction
}

/// Asks for the events after `after`, oldest first. Without `after` the reply has no event, only the present position.
public struct EventsRequest: Hashable, Sendable, Codable {
    /// The `id` or `after` to continue behind. Nil asks for the present position.
    public var after: String?
    /// The type of events to return. Nil for all types.
    public var type: StoreEvent.Kind?
    /// The account whose events to return. Nil for all accounts.
    public var account: String?
    /// The app whose events to return. Nil for all apps.
    public var bundleId: String?
    /// 1…100.
    public var limit: Int = 1
}

/// Asks for the last events.
public struct LastEventsRequest: Hashable, Sendable, Codable {
    /// The account to list. Nil lists all accounts.
    public var account: String?
    /// The app to list. Nil lists the installation's apps.
    public var bundleId: String?
    /// 1…500.
    public var limit: Int = 100
}

/// Events, oldest first, and the position to ask from next.
public struct EventsReply: Hashable, Sendable, Codable {
    /// At most the request's `limit`. Empty without an event since.
    public var events: [StoreEvent]
    /// The position to continue at, after the last event examined, matching or not. The stream of events continues from
    /// it without a gap.
    public var after: String
}
