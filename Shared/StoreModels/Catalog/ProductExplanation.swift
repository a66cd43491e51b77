/// Asks why a product can or cannot be bought (M5): `{"bundleId":"…","productIdentifier":"…","storefront":"FRA"}`.
public struct ExplainProductRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Any text. An unknown product is explained, too.
    public var productIdentifier: String
    /// Alpha-3 country code. Nil asks for the app's default storefront.
    public var storefront: String?
}

/// Whether a product can be bought in one storefront, and every reason why not:
///
/// ```json
/// {"productIdentifier":"com.example.pro","storefront":"FRA","available":false,"reasons":["notClearedForSale"],
///  "details":["clearedForSale is false; set it to true and import again."]}
/// ```
public struct ProductExplanation: Hashable, Sendable, Codable {
    /// App Store Connect's conditions, in the order in which they are checked.
    public enum Reason: String, CaseIterable, Sendable, Codable {
        /// The app has no such product.
        case unknown
        /// Another app of this store has it.
        case wrongBundle
        /// Its `state` is not yet `approved`.
        case notApproved
        case removedFromSale
        case notClearedForSale
        /// The app's agreements are not active.
        case agreementInactive
        case storefrontUnavailable
        /// The product refers to hosted content that has not been uploaded.
        case hostedContentMissing
        /// Its `availableFrom` lies ahead.
        case notPropagated
    }

    public var productIdentifier: String
    /// The storefront of the explanation, or the default one if the request named none.
    public var storefront: String
    /// Whether a customer of the storefront can buy the product now.
    public var available: Bool
    /// Empty exactly when `available`.
    public var reasons: [Reason]
    /// One sentence for each reason, in the same order, with the change to make.
    public var details: [String]
    /// The reasons why it is not on the store page. Absent for an unknown product.
    public var promotion: PromotionExplanation?

    public init(
        productIdentifier: String, storefront: String, reasons: [Reason], details: [String],
        promotion: PromotionExplanation? = nil
    ) {
        self.productIdentifier = productIdentifier
        self.storefront = storefront
        self.available = reasons.isEmpty
        self.reasons = reasons
        self.details = details
        self.promotion = promotion
    }
}
