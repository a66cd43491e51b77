extension Product.PurchaseOption {
    /// A promotional offer without a signature, for `SKTestSession.buyProduct` only.
    public static func promotionalOffer(id: String) -> Product.PurchaseOption { .test(.promotionalOffer(id)) }

    /// An offer code by its reference name, for `SKTestSession.buyProduct` only.
    public static func codeOffer(referenceName: String) -> Product.PurchaseOption { .test(.codeOffer(referenceName)) }

    /// A past date of a subscription's first purchase, for `SKTestSession.buyProduct` only.
    public static func purchaseDate(
        _ date: Date, renewalBehavior: SubscriptionRenewalBehavior = .renewUntilNow
    ) -> Product.PurchaseOption { .test(.purchaseDate(date, renews: renewalBehavior == .renewUntilNow)) }

    /// The renewals of a subscription that was bought in the past.
    public enum SubscriptionRenewalBehavior: Codable, Hashable, Sendable {
        /// It has one period.
        case cancelImmediately
        /// It has renewed until now.
        case renewUntilNow
    }
}
