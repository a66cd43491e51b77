/// PaymentProcessor's request subjects, `sb.processor.v1.…`.
public enum ProcessorEndpoints {
    /// Charges a key once. A caller that does not know the outcome sends it again.
    public static let createCharge = Endpoint<CreateChargeRequest, Charge>(
        .paymentProcessor, "charge.create", isIdempotent: true, errors: [])
    /// Authorizes charges once per key, or charges at once. One commit records them.
    ///
    /// Each result is `authorized` or `approved`, or `declined`, and recorded as such, or `pending` and not recorded:
    /// then the caller charges by `charge.create`. An authorization lapses unless it is captured (ADR 0047).
    /// - Throws: `requestInvalid` for a batch that ``AuthorizeChargesRequest/validate()`` refuses.
    public static let authorizeCharges = Endpoint<AuthorizeChargesRequest, AuthorizeChargesReply>(
        .paymentProcessor, "charge.authorize", isIdempotent: true, errors: [])
    /// Captures authorized charges, also those that have lapsed. Idempotent by key.
    public static let captureCharges = Endpoint<CaptureChargesRequest, CaptureChargesReply>(
        .paymentProcessor, "charge.capture", isIdempotent: true, errors: [])
    /// Cancels a charge or voids an authorization. A tombstone stays, so that a late create answers `cancelled`.
    public static let cancelCharge = Endpoint<CancelChargeRequest, Charge>(
        .paymentProcessor, "charge.cancel", isIdempotent: true, errors: [])
    /// Refunds money of an approved charge. Idempotent by `refundKey`. All refunds of a charge together never exceed it
    /// (P10).
    /// - Throws: `requestInvalid` with `details.conflict` "amount" for more than is left or another amount under the
    ///   key, "charge" for a charge that was not approved.
    public static let createRefund = Endpoint<CreateRefundRequest, Refund>(
        .paymentProcessor, "refund.create", isIdempotent: true, errors: [])
    /// Takes a refund back, so that the charge has that money again. Idempotent by `refundKey`.
    /// - Throws: `requestInvalid` with `details.conflict` "refund" for a key without a refund.
    public static let reverseRefund = Endpoint<ReverseRefundRequest, Refund>(
        .paymentProcessor, "refund.reverse", isIdempotent: true, errors: [])
    /// Lists the refunds in order, for reconciliation.
    public static let listRefunds = Endpoint<ChargeListRequest, RefundsPage>(
        .paymentProcessor, "refund.list", isIdempotent: true, errors: [])
    /// Copies an isolated store's charges and refunds, so that those of the copy can be refunded.
    /// - Throws: `requestInvalid` for stores of other apps or seeds.
    public static let copyApp = Endpoint<CopyAppRequest, Empty>(
        .paymentProcessor, "app.copy", isIdempotent: false, errors: [])
    /// Lists the ledger in order, for reconciliation with the store.
    public static let listCharges = Endpoint<ChargeListRequest, ChargesPage>(
        .paymentProcessor, "charge.list", isIdempotent: true, errors: [])
}

/// PaymentProcessor's callbacks. They are hints that come late, twice or never. A receiver reads the charge before it
/// acts.
public enum ProcessorEvents {
    /// The subject of ``ChargeChanged``.
    public static let chargeChanged = "sb.evt.processor.v1.charge.changed"
}

/// The event that a charge has changed: `{"chargeKey":"purchase:t_…"}`
public struct ChargeChanged: Hashable, Sendable, Codable {
    /// As ``Charge/chargeKey``.
    public var chargeKey: String
}

/// Creates a charge:
/// `{"chargeKey":"purchase:t_…","amount":{"amount":"1.99","currency":"USD"},"bundleId":"…","customerIdentifier":"…",
/// "productIdentifier":"…"}`
public struct CreateChargeRequest: Hashable, Sendable, Codable {
    /// 1…255 bytes.
    public var chargeKey: String
    /// The price of the whole purchase, above zero. A repeated key must have the same.
    public var amount: Money
    /// The app of the purchase, for the ledger.
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The product bought, for the ledger.
    public var productIdentifier: String
    /// The mode of a tester, or nil for the processor's own mode.
    public var simulate: ProcessorMode?
}

/// Authorizes charges, each for itself: `{"charges":[{"chargeKey":"purchase:t_…",…}]}`
public struct AuthorizeChargesRequest: Hashable, Sendable, Codable {
    /// Charges in one request, at most.
    public static let chargesMax = 256

    /// 1…``chargesMax``, whose keys differ.
    public var charges: [CreateChargeRequest]
    /// Whether approved charges are paid at once, and need no capture. Nil for no.
    public var capturesAtOnce: Bool?

    /// Checks the batch's bounds.
    ///
    /// - Throws: `requestInvalid` for none, for more than fits, and for a key that appears twice.
    public func validate() throws(StoreError) {
        guard (1...Self.chargesMax).contains(charges.count) else {
            throw StoreError.requestInvalid("charges", "charges must have 1 to \(Self.chargesMax) items")
        }
        guard Set(exactly: charges.map(\.chargeKey)).count == charges.count else {
            throw StoreError.requestInvalid("charges", "charges must have each chargeKey once")
        }
    }
}

/// The results of an authorization.
public struct AuthorizeChargesReply: Hashable, Sendable, Codable {
    /// In the order of the request.
    public var charges: [AuthorizedCharge]
}

/// The result for one charge: the charge, or the error that refused it alone.
public struct AuthorizedCharge: Hashable, Sendable, Codable {
    /// Nil if it was refused.
    public var charge: Charge?
    /// As ``ProcessorEndpoints/createCharge`` refuses one. A `path` in its details begins at the charge.
    public var error: StoreError?
}

/// Captures authorized charges: `{"chargeKeys":["purchase:t_…"]}`
public struct CaptureChargesRequest: Hashable, Sendable, Codable {
    /// At most 256 keys of 1…255 bytes.
    public var chargeKeys: [String]
}

/// The result of a capture.
public struct CaptureChargesReply: Hashable, Sendable, Codable {
    /// The keys that have no charge, or whose charge was declined, cancelled or voided.
    public var refused: [String] = []
}

/// Cancels a charge.
public struct CancelChargeRequest: Hashable, Sendable, Codable {
    /// 1…255 bytes. A key without a charge gets a tombstone.
    public var chargeKey: String
}

/// A row of the processor's ledger. Its outcome changes once at most, from `pending` or `authorized`.
public struct Charge: Hashable, Sendable, Codable {
    /// The processor's decision.
    public enum Outcome: String, Sendable, Codable {
        case approved, declined, cancelled
        /// Not decided yet. A later request returns the result.
        case pending
        /// Approved, and charged once it is captured.
        case authorized
    }

    /// The caller's key, 1…255 bytes: one key is one charge.
    public var chargeKey: String
    /// The ledger's own number, decimal.
    public var chargeIdentifier: String
    /// Final unless `pending` or `authorized`.
    public var outcome: Outcome
    /// Null for a tombstone, which never had an amount.
    public var amount: Money?
    /// The reason of a decline, in a sentence.
    public var declineReason: String?
    /// Wall time of the first request with this key.
    public var createdAt: Timestamp
    /// Wall time until which the amount of an authorization is held. Nil once it is captured, and for any other charge.
    /// A `cancelled` charge that has it was voided.
    public var authorizedUntil: Timestamp?

    public init(
        chargeKey: String, chargeIdentifier: String, outcome: Outcome, amount: Money?, declineReason: String? = nil,
        createdAt: Timestamp, authorizedUntil: Timestamp? = nil
    ) {
        self.chargeKey = chargeKey
        self.chargeIdentifier = chargeIdentifier
        self.outcome = outcome
        self.amount = amount
        self.declineReason = declineReason
        self.createdAt = createdAt
        self.authorizedUntil = authorizedUntil
    }
}

/// Asks for a page of charges or refunds.
public struct ChargeListRequest: Hashable, Sendable, Codable {
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…500.
    public var limit: Int = 100
    /// Lists the charges of one app only, or the refunds of its charges. Nil for all apps.
    public var bundleId: String?
}

/// A page of charges, oldest first.
public struct ChargesPage: Hashable, Sendable, Codable {
    /// Oldest first, at most the request's `limit`.
    public var charges: [Charge]
    /// The next page's `after`, absent on the last page.
    public var after: String?
}

/// Creates a refund:
/// `{"refundKey":"refund:t_…","chargeKey":"purchase:t_…","amount":{"amount":"1.99","currency":"USD"}}`
public struct CreateRefundRequest: Hashable, Sendable, Codable {
    /// 1…255 bytes.
    public var refundKey: String
    /// The key of the approved charge.
    public var chargeKey: String
    /// The part to refund. More than the rest is refused.
    public var amount: Money
}

/// Takes a refund back.
public struct ReverseRefundRequest: Hashable, Sendable, Codable {
    /// The refund's key, 1…255 bytes.
    public var refundKey: String
}

/// A row of the processor's refunds. It changes once at most, when it is taken back.
public struct Refund: Hashable, Sendable, Codable {
    /// The caller's key, 1…255 bytes: one key is one refund.
    public var refundKey: String
    /// The key of the refunded charge.
    public var chargeKey: String
    /// The ledger's own number, decimal.
    public var refundIdentifier: String
    /// The refunded part, in the charge's currency.
    public var amount: Money
    /// Wall time of the first request with this key.
    public var createdAt: Timestamp
    /// Wall time. Nil unless it was taken back.
    public var reversedAt: Timestamp?
    public init(refundKey: String, chargeKey: String, refundIdentifier: String, amount: Money, createdAt: Timestamp) {
        self.refundKey = refundKey
        self.chargeKey = chargeKey
        self.refundIdentifier = refundIdentifier
        self.amount = amount
        self.createdAt = createdAt
    }
}

/// A page of refunds, oldest first.
public struct RefundsPage: Hashable, Sendable, Codable {
    /// Oldest first, at most the request's `limit`.
    public var refunds: [Refund]
    /// The next page's `after`, absent on the last page.
    public var after: String?
}
