import StoreModels

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
