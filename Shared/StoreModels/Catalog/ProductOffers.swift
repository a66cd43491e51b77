/// `{"bundleId":"com.example.app","productIdentifier":"com.example.pro.monthly","storefront":"FRA"}`
public struct ProductOffersRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var productIdentifier: String
    /// Alpha-3 country code. Nil for the storefront of the app's testers.
    public var storefront: String?
}

/// All offers of a product in one storefront, for the operator:
///
/// ```json
/// {"productIdentifier":"com.example.pro.monthly","storefront":"FRA","introductoryPrice":{…},"discounts":[…],
///  "redeemableOffers":[{"type":"code","offer":{…},"audiences":["new"],"isStackable":true}]}
/// ```
public struct ProductOffers: Hashable, Sendable, Codable {
    public var productIdentifier: String
    /// Alpha-3 country code of the storefront whose prices the offers have.
    public var storefront: String
    /// Absent if the subscription has no such offer, and for other products.
    public var introductoryPrice: ProductDiscount?
    /// Promotional offers.
    public var discounts: [ProductDiscount]
    /// Offer codes and win-back offers.
    public var redeemableOffers: [RedeemableOffer]
}
