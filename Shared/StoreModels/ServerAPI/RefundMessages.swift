/// How a purchase was taken back, in Apple's words: `revocationType`.
public enum RevocationType: String, CaseIterable, Sendable, Codable {
    case refundFull = "REFUND_FULL"
    case refundProrated = "REFUND_PRORATED"
    /// The purchase is not shared with the family any more.
    case familyRevoke = "FAMILY_REVOKE"
}

/// Why a customer asks for a refund, in Apple's words: `consumptionRequestReason`.
public enum ConsumptionRequestReason: String, CaseIterable, Sendable, Codable {
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    case legal = "LEGAL"
    case other = "OTHER"
}

/// A customer's request for a refund, which the operator grants or declines.
public struct CustomerRefundRequest: Hashable, Sendable, Codable {
    /// The outcome of the request.
    public enum State: String, CaseIterable, Sendable, Codable { case open, granted, declined }

    /// `q_` and 26 characters.
    public var refundRequestIdentifier: String
    /// The transaction's `id`.
    public var transactionId: String
    public var transactionIdentifier: String
    @ShownApp public var bundleId: String
    /// The shopper's name.
    public var account: String
    public var state: State
    public var reason: ConsumptionRequestReason
    /// Business time.
    public var requestedAt: Timestamp
    /// Business time, absent while it is open.
    public var decidedAt: Timestamp?
    /// The app server's last information about it, as sent. Absent if it sent none.
    public var consumption: JSONValue?
}

/// Asks PaymentQueue to open a customer's request for a refund.
public struct OpenRefundRequest: Hashable, Sendable, Codable {
    public var transaction: ScopedIdentifier
    public var reason: ConsumptionRequestReason
}

/// Asks PaymentQueue for an app's requests for refunds that wait for an answer, oldest first.
public struct RefundRequestsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
}

/// A page of requests for refunds that wait for an answer.
public struct RefundRequestsPage: Hashable, Sendable, Codable {
    /// Oldest first, at most the request's `limit`.
    public var refundRequests: [CustomerRefundRequest]
    /// The next page's `after`, absent on the last page.
    public var after: String?
}

/// Asks PaymentQueue to grant a customer's request for a refund.
public struct GrantRefundRequest: Hashable, Sendable, Codable {
    /// By its ``CustomerRefundRequest/refundRequestIdentifier``.
    public var refundRequest: ScopedIdentifier
    /// Nil for a whole refund.
    public var type: RevocationType?
    /// 1…100000, in thousandths of a percent of the price. With `REFUND_PRORATED` only.
    public var percentage: Int?
}

/// Asks PaymentQueue to keep an app server's consumption information at the purchase's open refund request.
public struct ConsumptionInformation: Hashable, Sendable, Codable {
    public var bundleId: String
    public var transactionIdentifier: String
    /// The body, as the server sent it.
    public var consumption: JSONValue
}
