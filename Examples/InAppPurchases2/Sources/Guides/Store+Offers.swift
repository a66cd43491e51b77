import StoreKit

extension Store {
    /// The best offer for a customer whose subscription has ended. Nil without one.
    package var winBack: (product: Product, offer: Product.SubscriptionOffer)? {
        for id in membership?.renewal.eligibleWinBackOfferIDs ?? [] {
            for product in products {
                if let offer = product.subscription?.winBackOffers.first(where: { $0.id == id }) {
                    return (product, offer)
                }
            }
        }
        return nil
    }

    /// The price that this customer would pay: `free for 1 week, then $9.99 a month`.
    package func priceText(of product: Product) -> String {
        guard let subscription = product.subscription else { return product.displayPrice }
        let regular = "\(product.displayPrice) a \(subscription.subscriptionPeriod.unit)"
        guard isEligibleForIntroOffer, let offer = subscription.introductoryOffer else { return regular }
        return "\(offer.text), then \(regular)"
    }
}

extension Product.SubscriptionOffer {
    /// The offer in words: `free for 1 week`.
    package var text: String {
        let count = period.value * periodCount
        let length = "\(count) \(period.unit)\(count == 1 ? "" : "s")"
        return switch paymentMode {
        case .freeTrial: "free for \(length)"
        case .payUpFront: "\(displayPrice) for \(length)"
        default: "\(displayPrice) a \(period.unit) for \(length)"
        }
    }
}
