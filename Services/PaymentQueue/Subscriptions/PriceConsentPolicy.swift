import StoreModels

/// Decides the effect of a price increase since the subscriber's consent, without I/O. A lower price, another currency
/// and a product the subscriber has chosen themselves need no consent.
enum PriceConsentPolicy {
    /// What the next renewal may do.
    enum Renewal: Hashable, Sendable {
        /// It costs what the product costs.
        case charge
        /// The subscriber was not asked in time: it costs the agreed price once more, and they are asked.
        case askFirst(PriceIncrease)
        /// There is no consent.
        case refuse
    }

    /// What is to be done as long as the renewal is not due.
    /// - Returns: Nil when the subscription is as it should be.
    static func change(
        of value: StoredSubscription, _ quote: Quote, _ consent: TesterSettings.PriceConsent
    ) -> SubscriptionChange? {
        guard let raised = raised(value, quote), consent != .agree else {
            return value.priceIncrease == nil ? nil : .priceRaised(nil)
        }
        var wanted = raised
        wanted.status = consent == .decline ? .declined : .pending
        if let known = value.priceIncrease, known.price == raised.price,
            consent == .interactive || known.status == .declined
        {
            return nil
        }
        return .priceRaised(wanted)
    }

    static func renewal(
        of value: StoredSubscription, _ quote: Quote, _ consent: TesterSettings.PriceConsent
    ) -> Renewal {
        guard let raised = raised(value, quote) else { return .charge }
        switch consent {
        case .agree: return .charge
        case .decline: return .refuse
        case .interactive:
            guard let known = value.priceIncrease, known.price == raised.price else { return .askFirst(raised) }
            return known.status == .agreed ? .charge : .refuse
        }
    }

    /// What the subscriber would have to agree to.
    private static func raised(_ value: StoredSubscription, _ quote: Quote) -> PriceIncrease? {
        guard quote.availability == .available, let price = quote.product?.price, let agreed = value.agreedPrice,
            value.renewProduct.isExactly(value.product), price.currency == agreed.currency,
            price.minorUnits > agreed.minorUnits
        else { return nil }
        return PriceIncrease(status: .pending, price: price, formerPrice: agreed)
    }
}
