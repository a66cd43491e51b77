/// A notification before it is signed: the facts from which AppStoreServer makes Apple's payload.
public struct NotificationDraft: Hashable, Sendable, Codable {
    public var bundleId: String
    /// A UUID in lower case, the same in all attempts.
    public var notificationUUID: String
    public var notificationType: NotificationType
    public var subtype: NotificationSubtype?
    /// Business time of the event. Each further notification of the customer at that instant adds a millisecond.
    public var signedDate: Timestamp
    /// The customer's download of the app, or nil for a notification without a customer.
    public var appTransactionIdentifier: String?
    public var transaction: ServerTransaction?
    public var subscription: ServerSubscription?
    /// Why the customer asks for a refund, in a `CONSUMPTION_REQUEST` only.
    public var consumptionRequestReason: ConsumptionRequestReason?
    /// The content of a summary, or nil for any other notification.
    public var extensions: SubscriptionExtensions?
    /// Members of the payload that an operator's trigger replaces. Null removes one.
    public var set: [String: JSONValue]?
    /// The fault of the signature, set by an operator's trigger. Nil for a good signature.
    public var `break`: BrokenSignature?
}
