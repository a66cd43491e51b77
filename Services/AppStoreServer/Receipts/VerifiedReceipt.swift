import Signing
import StoreModels

/// The response for a valid receipt, with Apple's member names (Apple, "responseBody").
///
/// `receipt` has the receipt's own data. The members `latest_receipt_info`, `pending_renewal_info` and `latest_receipt`
/// are current, and present only when the customer has, or the receipt contains, an auto-renewable subscription.
struct VerifiedReceipt {
    let document: ReceiptDocument
    let contents: ReceiptContents
    let latestReceipt: String?
    let excludesOldTransactions: Bool

    var json: JSONValue {
        var answer = AppleObject()
        answer["status"] = .integer(0)
        answer["environment"] = .string(document.environment.name)
        answer["receipt"] = receipt
        if let latestReceipt {
            answer["latest_receipt"] = .string(latestReceipt)
            answer["latest_receipt_info"] = .array(latest.map { PurchaseFields.latest($0) })
            answer["pending_renewal_info"] = .array(contents.subscriptions.map(RenewalFields.json))
        }
        return answer.json
    }

    private var receipt: JSONValue {
        var receipt = AppleObject()
        receipt["receipt_type"] = .string(document.environment.receiptType)
        receipt["bundle_id"] = .string(document.bundleId)
        receipt["application_version"] = .string(document.applicationVersion)
        receipt["original_application_version"] = .string(document.originalApplicationVersion)
        // Apple's sandbox has numbers for apps on sale only, and 0 for all others.
        for name in ["adam_id", "app_item_id", "download_id", "version_external_identifier"] {
            receipt[name] = .integer(0)
        }
        receipt.set("receipt_creation_date", document.creationDate)
        receipt.set("request_date", contents.now)
        receipt.set("original_purchase_date", contents.firstSeen)
        if let expirationDate = document.expirationDate { receipt.set("expiration_date", expirationDate) }
        let known = Dictionary(exactly: contents.items.map { ($0.transactionIdentifier, $0) })
        receipt["in_app"] = .array(
            document.purchases.map {
                PurchaseFields.inApp($0, reason: known[$0.transactionIdentifier]?.cancellationReason)
            })
        return receipt.json
    }

    /// The purchases, newest first. When the request excludes old transactions, only the latest of each subscription is
    /// there.
    private var latest: [ReceiptItem] {
        let newestFirst = contents.items.sorted {
            ($0.purchaseDate, $0.transactionIdentifier) > ($1.purchaseDate, $1.transactionIdentifier)
        }
        guard excludesOldTransactions else { return newestFirst }
        var seen: Set<ExactText> = []
        return newestFirst.filter {
            $0.type != .autoRenewable || seen.insert($0.originalTransactionIdentifier).inserted
        }
    }
}

/// A purchase with Apple's member names: from the receipt (`in_app`), or current (`latest_receipt_info`).
enum PurchaseFields {
    /// - Parameter reason: The reason of the cancellation, which a binary receipt does not contain.
    static func inApp(_ purchase: ReceiptPurchase, reason: RefundRequest.Reason?) -> JSONValue {
        var item = purchase.item
        item.cancellationReason = item.cancellationDate == nil ? nil : reason
        var fields = common(item)
        fields.set("promotional_offer_id", purchase.promotionalOfferIdentifier)
        return fields.json
    }

    static func latest(_ item: ReceiptItem) -> JSONValue {
        var fields = common(item)
        fields.set("subscription_group_identifier", item.subscriptionGroupIdentifier)
        fields.set("app_account_token", item.appAccountToken)
        // Apple includes the member only when it is true.
        if item.isUpgraded == true { fields.set("is_upgraded", true) }
        set(item.offer, in: &fields)
        return fields.json
    }

    /// Sets the offer's identifier, for the kinds of offers Apple has a member for.
    static func set(_ offer: AppliedOffer?, in fields: inout AppleObject) {
        switch offer?.type {
        case .subscription: fields.set("promotional_offer_id", offer?.identifier)
        case .code: fields.set("offer_code_ref_name", offer?.identifier)
        case .introductory, .winBack, nil: break
        }
    }

    private static func common(_ item: ReceiptItem) -> AppleObject {
        var fields = AppleObject()
        fields.set("quantity", "\(item.quantity)")
        fields.set("product_id", item.productIdentifier)
        fields.set("transaction_id", item.transactionIdentifier)
        fields.set("original_transaction_id", item.originalTransactionIdentifier)
        fields.set("purchase_date", item.purchaseDate)
        fields.set("original_purchase_date", item.originalPurchaseDate)
        fields.set("is_trial_period", item.isTrialPeriod ?? false)
        fields.set("in_app_ownership_type", item.ownershipType)
        if item.type == .autoRenewable {
            fields.set("is_in_intro_offer_period", item.isInIntroOfferPeriod ?? false)
            fields.set("web_order_line_item_id", item.webOrderLineItemIdentifier)
        }
        if let expiresDate = item.expiresDate { fields.set("expires_date", expiresDate) }
        if let cancellationDate = item.cancellationDate { fields.set("cancellation_date", cancellationDate) }
        fields.set("cancellation_reason", item.cancellationReason.map { "\($0.serverNumber)" })
        return fields
    }
}

/// A subscription's renewal with Apple's member names: an element of `pending_renewal_info`.
enum RenewalFields {
    static func json(_ subscription: Subscription) -> JSONValue {
        var fields = AppleObject()
        fields.set("product_id", subscription.productIdentifier)
        fields.set("auto_renew_product_id", subscription.autoRenewProductIdentifier)
        fields.set("original_transaction_id", subscription.originalTransactionIdentifier)
        // Apple's pages disagree about the place of this member, so both places have it (M122).
        fields.set("subscription_group_identifier", subscription.subscriptionGroupIdentifier)
        fields.set("auto_renew_status", digit: subscription.willAutoRenew)
        setState(of: subscription, in: &fields)
        if let until = subscription.gracePeriodExpiresDate, subscription.state == .inGracePeriod {
            fields.set("grace_period_expires_date", until)
        }
        // Only for a price increase that requires consent: 1 when the subscriber has agreed.
        if let increase = subscription.priceIncrease {
            fields.set("price_consent_status", digit: increase.status == .agreed)
            fields.set("price_increase_status", digit: increase.status == .agreed)
        }
        PurchaseFields.set(subscription.offer, in: &fields)
        return fields.json
    }

    /// Sets the state of a subscription whose period is over: whether renewal is still tried, and why it ended.
    private static func setState(of subscription: Subscription, in fields: inout AppleObject) {
        switch subscription.state {
        case .subscribed, .revoked: return
        case .inBillingRetryPeriod, .inGracePeriod:
            fields.set("is_in_billing_retry_period", digit: true)
            fields.set("expiration_intent", "\(Subscription.number(of: .billingError))")
        case .expired:
            fields.set("is_in_billing_retry_period", digit: false)
            fields.set("expiration_intent", "\(Subscription.number(of: subscription.expirationReason ?? .other))")
        }
    }
}

/// A JSON object of `verifyReceipt`, where nearly every value is text, also numbers and booleans.
struct AppleObject {
    private var members: [String: JSONValue] = [:]

    var json: JSONValue { .object(members) }

    subscript(name: String) -> JSONValue? {
        get { members[name] }
        set { members[name] = newValue }
    }

    mutating func set(_ name: String, _ text: String?) {
        if let text { members[name] = .string(text) }
    }

    /// Sets `"true"` or `"false"`.
    mutating func set(_ name: String, _ flag: Bool) { set(name, flag ? "true" : "false") }

    /// Sets `"1"` or `"0"`, as Apple encodes the flags of subscriptions.
    mutating func set(_ name: String, digit flag: Bool) { set(name, flag ? "1" : "0") }

    /// Sets three members for an instant: in GMT, in milliseconds and in California's time. The time is in whole
    /// seconds, as in the receipt.
    mutating func set(_ name: String, _ instant: Timestamp) {
        let instant = instant.wholeSeconds
        set(name, "\(Self.text(instant)) Etc/GMT")
        set("\(name)_ms", "\(instant.milliseconds)")
        set(
            "\(name)_pst",
            "\(Self.text(instant + .seconds(CaliforniaTime.secondsFromGMT(at: instant)))) America/Los_Angeles")
    }

    /// `2026-11-21 10:00:00`
    private static func text(_ instant: Timestamp) -> String {
        let text = instant.description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }
}

/// California's time, which receipts have beside GMT.
enum CaliforniaTime {
    /// Returns the seconds to add to GMT: seven hours less in summer, else eight.
    ///
    /// Summer is from the second Sunday of March to the first of November, at 2:00 there. That is the law since 2007, and
    /// the App Store is of 2008.
    static func secondsFromGMT(at instant: Timestamp) -> Int {
        let (hour, day) = (3_600, 86_400)
        let seconds = Int(instant.milliseconds / 1_000)
        let year = CivilDate(daysSince1970: seconds / day).year
        let begin = (firstSunday(ofMonth: 3, year) + 7) * day + 10 * hour
        let end = firstSunday(ofMonth: 11, year) * day + 9 * hour
        return (begin..<end).contains(seconds) ? -7 * hour : -8 * hour
    }

    /// Returns the days since 1 January 1970, which was a Thursday.
    private static func firstSunday(ofMonth month: Int, _ year: Int) -> Int {
        let first = CivilDate(year: year, month: month, day: 1).daysSince1970
        return first + (10 - first % 7) % 7
    }
}
