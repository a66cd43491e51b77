import Foundation
internal import StoreModels

/// The shop of one country.
public final class SKStorefront: NSObject, Sendable {
    /// ISO 3166-1 alpha-3.
    public let countryCode: String
    /// The store's number for it.
    public let identifier: String

    init(_ model: Storefront) {
        countryCode = model.countryCode
        identifier = model.identifier
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SKStorefront else { return false }
        return other.countryCode == countryCode && other.identifier == identifier
    }
    public override var hash: Int { identifier.hashValue }
}
