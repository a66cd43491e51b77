/// The shop of one country: `{"countryCode":"FRA","identifier":"143442","currency":"EUR"}`, as `SKStorefront`.
public struct Storefront: Hashable, Sendable, Codable {
    /// ISO 3166-1 alpha-3.
    public var countryCode: String
    /// Apple's number for it, as text.
    public var identifier: String
    /// The currency of its prices. Absent for a storefront that the store does not know any more.
    public var currency: Currency?
}
