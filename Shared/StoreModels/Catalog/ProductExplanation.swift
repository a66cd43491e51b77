/// Asks why a product can or cannot be bought (M5): `{"bundleId":"…","productIdentifier":"…","storefront":"FRA"}`.
public struct ExplainProductRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Any text; an unknown product is explained, too.
    public var productIdentifier: String
    /// Alpha-3 country code; nil asks for the app's default storefront.
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
        /// No app of this store has such a product.
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
        /// It refers to hosted content that has not been uploaded.
        case hostedContentMissing
        /// Its `availableFrom` lies ahead.
        case notPropagated
    }

    public var productIdentifier: String
    /// The storefront the explanation is for; the default one where none was named.
    public var storefront: String
    /// Whether a customer of the storefront can buy the product now.
    public var available: Bool
    /// Empty exactly when `available`.
    public var reasons: [Reason]
    /// One sentence for each reason, in the same order, saying what to change.
    public var details: [String]
    /// The reasons why it is not on the store page; absent for an unknown product.
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
