import StoreModels

/// Converts a catalogue's products for one storefront. They get its currency and price locale (M10, M11) and its
/// language (M12).
struct StorefrontPresenter: Sendable {
    let entry: StorefrontEntry
    let defaultLocale: LocaleName?

    func product(_ product: CatalogProduct) -> Product {
        let text = localization(among: product.localizations)
        let price = product.prices.money(in: entry)
        let subscription = product.subscription
        let content = product.conditions.hostedContent
        return with(
            Product(
                productIdentifier: product.productIdentifier, type: product.type,
                localizedTitle: text.map(\.title).flatMap { $0.isEmpty ? nil : $0 } ?? product.referenceName,
                localizedDescription: text?.description ?? "", price: price,
                priceLocale: entry.priceLocale, subscriptionPeriod: subscription?.period,
                subscriptionGroupIdentifier: subscription?.groupIdentifier)
        ) {
            $0.introductoryPrice = subscription?.introductoryOffer.map { discount($0, .introductory) }
            $0.discounts = subscription?.promotionalOffers.map { discount($0, .subscription) } ?? []
            $0.isFamilyShareable = product.isFamilyShareable
            $0.isDownloadable = content != nil
            $0.downloadContentLengths = content.map { [$0.length] } ?? []
            $0.downloadContentVersion = content?.version ?? ""
            $0.displayPrice = entry.pricePattern.text(of: price)
            $0.winBackOffers = subscription?.redeemableOffers.filter { $0.type == .winBack }.map {
                discount($0.offer, .subscription)
            }
            $0.pricingTerms = subscription.flatMap { pricingTerms(of: $0, upFront: price) }
            $0.subscriptionGroupLevel = subscription?.level
            $0.subscriptionGroupDisplayName = subscription.map { subscription in
                let title = localization(among: subscription.groupLocalizations)?.title ?? ""
                return title.isEmpty ? subscription.groupReferenceName : title
            }
        }
    }

    /// Returns the terms of both billing plans, up front first.
    /// - Returns: Nil for a subscription that is not sold in monthly payments in this storefront.
    private func pricingTerms(of subscription: CatalogProduct.Subscription, upFront price: Money) -> [BillingTerms]? {
        guard !BillingPlan.storefrontsWithoutMonthly.contains(entry.storefront.countryCode),
            let month = subscription.monthlyPrices?.money(in: entry),
            let year = month.times(BillingPlan.paymentsPerCommitment)
        else { return nil }
        return [
            terms(.upFront, price, subscription.period, commitment: price, subscription.period),
            terms(.monthly, month, BillingPlan.monthlyPeriod, commitment: year, subscription.period),
        ]
    }

    private func terms(
        _ plan: BillingPlan, _ price: Money, _ period: SubscriptionPeriod, commitment: Money,
        _ commitmentPeriod: SubscriptionPeriod
    ) -> BillingTerms {
        BillingTerms(
            billingPlanType: plan, price: price, displayPrice: entry.pricePattern.text(of: price), period: period,
            commitmentPrice: commitment, commitmentDisplayPrice: entry.pricePattern.text(of: commitment),
            commitmentPeriod: commitmentPeriod)
    }

    /// Returns win-back offers and offer codes, in the file's order.
    func redeemableOffers(of product: CatalogProduct) -> [RedeemableOffer] {
        (product.subscription?.redeemableOffers ?? []).map { redeemable in
            RedeemableOffer(
                type: redeemable.type, offer: discount(redeemable.offer, .subscription),
                audiences: redeemable.audiences, isStackable: redeemable.isStackable, winBack: redeemable.winBack)
        }
    }

    private func discount(_ offer: CatalogOffer, _ type: ProductDiscount.Kind) -> ProductDiscount {
        let price = offer.prices.money(in: entry)
        return ProductDiscount(
            identifier: offer.identifier, type: type, price: price, priceLocale: entry.priceLocale,
            paymentMode: offer.paymentMode, subscriptionPeriod: offer.period, numberOfPeriods: offer.numberOfPeriods,
            displayPrice: entry.pricePattern.text(of: price))
    }

    /// Chooses texts by the storefront's languages, then the file's language, then the first localization.
    private func localization(
        among localizations: [CatalogProduct.Localization]
    ) -> CatalogProduct.Localization? {
        for wanted in entry.languages + (defaultLocale.map { [$0] } ?? []) {
            let closest = localizations.map { ($0, $0.locale.closeness(to: wanted)) }.max { $0.1 < $1.1 }
            if let closest, closest.1 > 0 { return closest.0 }
        }
        return localizations.first
    }
}
