import StoreHTTP
import StoreModels

/// A product as Catalog presents it, prepared as JSON for each value of eligibility. The gateway reads the members that
/// it sorts and searches by. A response only copies bytes.
struct EncodedProduct: Hashable, Sendable, Codable {
    let productIdentifier: String
    let type: ProductType
    let localizedTitle: String
    let localizedDescription: String
    private let forms: [ForwardedProduct]

    /// - Throws: `internal` for a product that cannot be encoded, which cannot happen.
    init(_ product: Product) throws(StoreError) {
        guard let json = try? RawJSON(encoding: product) else {
            throw StoreError(.internal, "a product has no JSON form")
        }
        productIdentifier = product.productIdentifier
        type = product.type
        localizedTitle = product.localizedTitle
        localizedDescription = product.localizedDescription
        forms = Self.forms(of: json, product.type)
    }

    private enum CodingKeys: String, CodingKey { case productIdentifier, type, localizedTitle, localizedDescription }

    init(from decoder: any Decoder) throws {
        let json = try RawJSON(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        productIdentifier = try container.decode(String.self, forKey: .productIdentifier)
        type = try container.decode(ProductType.self, forKey: .type)
        localizedTitle = try container.decode(String.self, forKey: .localizedTitle)
        localizedDescription = try container.decode(String.self, forKey: .localizedDescription)
        forms = Self.forms(of: json, type)
    }

    /// Writes the last prepared form. Nothing sends an encoded product to a service.
    func encode(to encoder: any Encoder) throws { try forms.last?.encode(to: encoder) }

    /// Only subscriptions have introductory offers, so all other products are ineligible.
    private static func forms(of json: RawJSON, _ type: ProductType) -> [ForwardedProduct] {
        let possible = type == .autoRenewable ? OfferEligibility.allCases : [.ineligible]
        return possible.map { ForwardedProduct(json, $0) }
    }

    /// - Precondition: `eligibility` is `ineligible` for a product that is not a subscription.
    subscript(eligibility: OfferEligibility) -> ForwardedProduct {
        guard let form = forms.first(where: { $0.eligibility == eligibility }) else {
            preconditionFailure("\(productIdentifier) is not a subscription, so it cannot be \(eligibility)")
        }
        return form
    }
}

/// A product as Catalog presents it, forwarded as bytes with the customer's eligibility.
package struct ForwardedProduct: JSONForm, Hashable, Encodable {
    package typealias Body = Product

    let eligibility: OfferEligibility
    private let json: EncodedJSON

    fileprivate init(_ product: RawJSON, _ eligibility: OfferEligibility) {
        self.eligibility = eligibility
        json = product.adding("introductoryOfferEligibility", eligibility.rawValue)
    }

    var bytes: [UInt8] { json.bytes }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

/// Eligibility's reply, or its absence, to be added to products.
struct EligibilityResults: Sendable {
    /// Nil when Eligibility is away.
    let reply: EligibilityReply?

    /// The answers by product, when there are too many to search them one by one.
    private let known: [ExactText: OfferEligibility]?

    /// The number of answers up to which they are searched one by one.
    private static let searchedMax = 32

    init(_ reply: EligibilityReply?) {
        self.reply = reply
        let answers = reply?.eligibility ?? []
        known =
            answers.count > Self.searchedMax
            ? Dictionary(exactly: answers.map { ($0.productIdentifier, $0.eligibility) }) : nil
    }

    /// Names of services missing from these answers.
    var degraded: [String] { reply?.degraded ?? [ServiceName.eligibility].compactMap(\.degradedName) }

    /// Names of services missing from a response. Empty when no product is a subscription.
    func degraded(for products: [EncodedProduct]) -> [String] {
        products.contains { $0.type == .autoRenewable } ? degraded : []
    }

    /// Returns the product's prepared JSON with the customer's eligibility. A product that is not a subscription has no
    /// introductory offer and is `ineligible`. A subscription without an answer is `unknown`.
    func form(of product: EncodedProduct) -> ForwardedProduct {
        product[product.type == .autoRenewable ? eligibility(of: product.productIdentifier) : .ineligible]
    }

    private func eligibility(of productIdentifier: String) -> OfferEligibility {
        if let known { return known[productIdentifier] ?? .unknown }
        return reply?.eligibility.first { $0.productIdentifier.isExactly(productIdentifier) }?.eligibility ?? .unknown
    }
}
