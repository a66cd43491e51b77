import StoreModels

/// Catalog's table of storefronts, cached for a minute. It does not change while a store runs, so an old copy is used
/// while Catalog is away.
package final class StorefrontDirectory: Sendable {
    private enum Table: Hashable { case all }

    private let services: ServiceCaller
    private let endpoint: Endpoint<Empty, StorefrontsReply>
    private let tables = ExpiringCache<Table, [ExactText: Storefront]>(max: 1, freshFor: .seconds(60))

    /// - Parameter endpoint: Catalog's, named where it is called, so that permissions can be compared with the code.
    package init(services: ServiceCaller, from endpoint: Endpoint<Empty, StorefrontsReply>) {
        self.services = services
        self.endpoint = endpoint
    }

    /// Finds a storefront by its alpha-3 country code.
    /// - Parameter path: The path named in the error for an unknown storefront.
    /// - Throws: `requestInvalid` for a code that is not in the table, `serviceUnavailable` when the table has never
    ///   been read and cannot be.
    package func find(
        _ countryCode: String, at path: String, _ context: CallContext
    ) async throws(StoreError) -> Storefront {
        guard let storefront = try await storefront(countryCode, context) else {
            throw .invalid(path, "'\(countryCode.prefix(16))' is not the alpha-3 code of a storefront, such as USA")
        }
        return storefront
    }

    /// - Returns: Nil for a code that is not in the table.
    /// - Throws: As ``find(_:at:_:)``, without `requestInvalid`.
    package func storefront(_ countryCode: String, _ context: CallContext) async throws(StoreError) -> Storefront? {
        try await table(context)[countryCode]
    }

    /// Returns the whole table by country code. Empty when it has never been read and cannot be.
    package func all(_ context: CallContext) async -> [ExactText: Storefront] { (try? await table(context)) ?? [:] }

    private func table(_ context: CallContext) async throws(StoreError) -> [ExactText: Storefront] {
        do {
            return try await tables.value(for: .all) { () async throws(StoreError) in
                let reply = try await services.call(endpoint, Empty(), context: context)
                return Dictionary(exactly: reply.storefronts.map { ($0.countryCode, $0) })
            }
        } catch {
            guard error.meansAway, let table = tables.last(.all), !table.isEmpty else { throw error }
            return table
        }
    }
}
