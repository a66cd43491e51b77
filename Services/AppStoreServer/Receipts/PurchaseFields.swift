import Signing
import StoreModels

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
        // This store has no Family Sharing.
        fields.set("in_app_ownership_type", "PURCHASED")
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
