import BusService
import Persistence
import StoreModels

extension TransactionService {
    /// Maximum number of owned products that are read. A reply holds more, unless identifiers are very long.
    static let ownedMax = 5_000

    /// Reads a customer's storefront and present entitlements, for a page of the store.
    /// - Throws: `notFound` for an unknown customer.
    func standing(_ request: CustomerStandingRequest) async throws -> CustomerStanding {
        try await database.read { reader in
            let id = request.customer
            guard let customer = try await CustomerRepository.find(id, in: reader) else {
                throw StoreError(.notFound, "no such customer")
            }
            let now = clock.now(try await CustomerRepository.clock(of: id.bundleId, in: reader))
            // A group has one subscription, so these are few; they come first and are never cut off.
            let subscribed = try await SubscriptionRepository.all(of: id, in: reader).filter {
                $0.givesAccess(at: now)
            }
            let owned = try await EntitlementRepository.owned(by: id, limit: Self.ownedMax + 1, in: reader)
            let all = subscribed.map(\.product) + owned
            let listed = ReplyBudget.fitting(Array(all.prefix(Self.ownedMax))) { $0.utf8.count * 6 + 3 }
            return CustomerStanding(
                storefront: customer.storefront, ownedProductIdentifiers: listed,
                isTruncated: listed.count < all.count ? true : nil, businessNow: now)
        }
    }
}

extension StoredSubscription {
    /// Tells whether the subscription gives access. In billing retry it does not.
    /// - Parameter now: The app's clock.
    fileprivate func givesAccess(at now: Timestamp) -> Bool {
        switch state {
        case .subscribed: isActive(at: now)
        case .inGracePeriod: (retry.graceUntil ?? period.end) > now
        case .inBillingRetryPeriod, .expired, .revoked: false
        }
    }
}

extension EntitlementRepository {
    /// Reads the non-consumables the customer owns.
    fileprivate static func owned(
        by customer: CustomerReference, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        var products: [String] = []
        for row in try await reader.query(
            """
            SELECT product_identifier FROM owned_product WHERE bundle_id = ? AND customer_identifier = ?
            ORDER BY product_identifier LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, limit)
        {
            products.append(try row["product_identifier"])
        }
        return products
    }
}
