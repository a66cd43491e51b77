import EventLoop
import StoreModels

/// Where customers were seen to shop, so that a quote can be looked for before the database is asked. Only a hint: the
/// commit compares it with the customer's row.
final class StorefrontHints: Sendable {
    /// Customers remembered; when there are more, all go.
    static let customersMax = 10_000

    private let storefronts = Locked<[CustomerReference: String]>([:])

    func of(_ customer: CustomerReference) -> String? { storefronts.withLock { $0[customer] } }

    func keep(_ storefront: String, of customer: CustomerReference) {
        storefronts.withLock { storefronts in
            if storefronts.count >= Self.customersMax { storefronts.removeAll() }
            storefronts[customer] = storefront
        }
    }
}
