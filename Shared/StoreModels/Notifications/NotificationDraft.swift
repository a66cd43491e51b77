/// A notification before it is signed: the facts from which the gateway makes Apple's payload.
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

/// Asks the gateway to sign notifications: their transactions and renewal information, then the whole.
public struct SignNotificationsRequest: Hashable, Sendable, Codable {
    /// How many drafts fit: a signed one has up to 14 kB, and a reply at most 512 KiB.
    public static let draftsMax = 32

    /// 1…``draftsMax``, of any apps.
    public var drafts: [NotificationDraft]
}

/// Signed notifications.
public struct SignNotificationsReply: Hashable, Sendable, Codable {
    /// JWS of ``NotificationClaims``, in the order of the drafts.
    public var signedPayloads: [String]
}

/// The gateway's request subjects, `sb.gateway.v1.…`.
public enum GatewayEndpoints {
    /// Signs notifications. The gateway alone has the keys.
    /// - Throws: `requestInvalid`, also for a `break` that cannot be done to the payload.
    public static let signNotifications = Endpoint<SignNotificationsRequest, SignNotificationsReply>(
        .gateway, "notification.sign", isIdempotent: true, errors: [])
}
