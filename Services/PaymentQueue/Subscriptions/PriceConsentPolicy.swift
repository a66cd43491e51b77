import StoreModels

/// Decides the effect of a price increase since the subscriber's consent, without I/O.
///
/// A lower price, another currency and a product the subscriber has chosen themselves need no consent.
enum PriceConsentPolicy {
    /// The charge that the next renewal may make.
    enum Renewal: Hashable, Sendable {
        /// Charge the product's price.
        case charge
        /// Charge the agreed price once more and ask: the subscriber was not asked in time.
        case askFirst(PriceIncrease)
        /// Charge nothing, because the subscriber has not agreed.
        case refuse
    }

    /// Returns the change to make before the renewal is due.
    /// - Returns: The change, or nil when the subscription needs none.
    static func change(
        of value: StoredSubscription, _ quote: Quote, _ consent: TesterSettings.PriceConsent
    ) -> SubscriptionTransition? {
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

    /// Decides which price the renewal charges when it is due.
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

    /// Returns the price increase that needs the subscriber's consent, if any.
    private static func raised(_ value: StoredSubscription, _ quote: Quote) -> PriceIncrease? {
        guard quote.availability == .available, let price = quote.product?.price, let agreed = value.agreedPrice,
            value.renewProduct.isExactly(value.product), price.currency == agreed.currency,
            price.minorUnits > agreed.minorUnits
        else { return nil }
        return PriceIncrease(status: .pending, price: price, formerPrice: agreed)
    }
}
