import StoreModels

/// An offer of any kind, as its file describes it.
struct CatalogOffer: Hashable, Sendable {
    /// Nil for the introductory offer. Offer codes have their reference name.
    let identifier: String?
    let paymentMode: ProductDiscount.PaymentMode
    /// Price of one charge; zero for a free trial.
    let prices: StorefrontPrices
    let period: SubscriptionPeriod
    let numberOfPeriods: Int
}
