import StoreModels

/// How facts of a subscription read in sentences and tables.
enum SubscriptionWords {
    /// `trial`, `introductory offer`, `promotional offer loyal`
    static func offer(_ offer: AppliedOffer) -> String {
        let name: String
        switch offer.type {
        case .introductory: return offer.paymentMode == .freeTrial ? "trial" : "introductory offer"
        case .subscription: name = "promotional offer"
        case .code: name = "offer code"
        case .winBack: name = "win-back offer"
        }
        return offer.identifier.map { "\(name) \($0)" } ?? name
    }

    /// What is worth knowing beside an event's kind, product and amount.
    /// - Parameter before: the offer of the period before it.
    static func remark(
        _ event: SubscriptionEvent, after before: AppliedOffer?, _ instant: (Timestamp) -> String
    ) -> String {
        var remarks: [String] = []
        if let offer = event.offer { remarks.append(self.offer(offer)) }
        if let expires = event.expiresDate, event.kind != .expired { remarks.append("until \(instant(expires))") }
        if event.beginsPeriod, event.offer == nil, let before { remarks.append("\(self.offer(before)) ended") }
        if let detail = detail(event) { remarks.append(detail) }
        return remarks.joined(separator: ", ")
    }

    private static func detail(_ event: SubscriptionEvent) -> String? {
        // The processor's own words are in the JSON; in each of ten lines they say no more than this.
        if event.kind == .billingFailed { return "declined" }
        guard let detail = event.detail, !detail.isEmpty else { return nil }
        return switch event.kind {
        case .changeScheduled: "to \(detail) at the next renewal"
        case .changeReverted: "no more to \(detail)"
        default: detail
        }
    }

    /// What comes next, without a full stop: `renews 2027-02-28 10:00:04Z for 9.99 USD`.
    static func standing(_ subscription: Subscription) -> String {
        let end = Words.time(subscription.expiresDate)
        switch subscription.state {
        case .subscribed:
            guard subscription.willAutoRenew else { return "ends \(end)" }
            let other = subscription.autoRenewProductIdentifier
            let product = other.isExactly(subscription.productIdentifier) ? "" : " as \(other)"
            return "renews \(end)\(product)" + (subscription.renewalPrice.map { " for \(Words.price($0))" } ?? "")
                + consent(subscription)
        case .inGracePeriod:
            let until = Words.time(subscription.gracePeriodExpiresDate ?? subscription.expiresDate)
            return "access until \(until), the charge is tried again"
        case .inBillingRetryPeriod: return "no access, the charge is tried again"
        case .expired:
            return "ended \(end)" + (subscription.expirationReason.map { ", \(reason($0))" } ?? "")
        case .revoked: return "the period would have gone to \(end)"
        }
    }

    /// What the subscriber says to a higher price: `, if the price is agreed to, up from 9.99 USD`.
    private static func consent(_ subscription: Subscription) -> String {
        guard let increase = subscription.priceIncrease else { return "" }
        let former = Words.price(increase.formerPrice)
        return switch increase.status {
        case .pending: ", if the price is agreed to, up from \(former)"
        case .agreed: ", agreed, up from \(former)"
        case .declined: ", which was declined: it ends then"
        }
    }

    /// Why it ended.
    static func reason(_ reason: Subscription.ExpirationReason) -> String {
        switch reason {
        case .cancelled: "auto-renew was off"
        case .billingError: "the charge was declined to the end"
        case .priceIncreaseRefused: "the higher price was not accepted"
        case .productNotAvailable: "the product was not for sale"
        case .other: "ended by the store"
        }
    }
}
