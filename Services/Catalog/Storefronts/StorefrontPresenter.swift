import StoreModels

/// Converts a catalogue's products for one storefront. They get its currency and price locale (M10, M11) and its
/// language (M12).
struct StorefrontPresenter: Sendable {
    let entry: StorefrontEntry
    let defaultLocale: LocaleName?

    func product(_ product: CatalogProduct) -> Product {
        let text = localization(of: product)
        let subscription = product.subscription
        let content = product.conditions.hostedContent
        return with(
            Product(
                productIdentifier: product.productIdentifier, type: product.type,
                localizedTitle: text.map(\.title).flatMap { $0.isEmpty ? nil : $0 } ?? product.referenceName,
                localizedDescription: text?.description ?? "", price: product.prices.money(in: entry),
                priceLocale: entry.priceLocale, subscriptionPeriod: subscription?.period,
                subscriptionGroupIdentifier: subscription?.groupIdentifier)
        ) {
            $0.introductoryPrice = subscription?.introductoryOffer.map { discount($0, .introductory) }
            $0.discounts = subscription?.promotionalOffers.map { discount($0, .subscription) } ?? []
            $0.isFamilyShareable = product.isFamilyShareable
            $0.isDownloadable = content != nil
            $0.downloadContentLengths = content.map { [$0.length] } ?? []
            $0.downloadContentVersion = content?.version ?? ""
        }
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
        ProductDiscount(
            identifier: offer.identifier, type: type, price: offer.prices.money(in: entry),
            priceLocale: entry.priceLocale, paymentMode: offer.paymentMode, subscriptionPeriod: offer.period,
            numberOfPeriods: offer.numberOfPeriods)
    }

    /// Chooses the texts by the storefront's languages, then the file's language, then the first localization.
    private func localization(of product: CatalogProduct) -> CatalogProduct.Localization? {
        for wanted in entry.languages + (defaultLocale.map { [$0] } ?? []) {
            let closest = product.localizations.map { ($0, $0.locale.closeness(to: wanted)) }.max { $0.1 < $1.1 }
            if let closest, closest.1 > 0 { return closest.0 }
        }
        return product.localizations.first
    }
}
