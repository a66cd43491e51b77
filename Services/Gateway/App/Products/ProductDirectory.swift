import BusService
import GatewayEdge
import StoreModels

/// Cache of products as Catalog presented them, by app, storefront and language, with the app's version. An entry is valid while
/// the app has that version, for a second at most, because some products become available by date.
final class ProductDirectory: Sendable {
    /// Lifetime of an entry of the current version, counted from its request.
    static let freshFor = Duration.seconds(1)
    /// Maximum number of cached products and unknown identifiers. At the bound all are dropped and requested again.
    static let rememberedMax = 20_000

    private struct Key: Hashable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
        @ExactText var productIdentifier: String
        var language: String?

        /// Leaves the app out: apps have products of their own, as a rule.
        func hash(into hasher: inout Hasher) {
            hasher.combine(_productIdentifier)
            hasher.combine(_storefront)
        }
    }

    private struct Entry {
        /// Nil for an identifier without a product there.
        let product: EncodedProduct?
        let version: AppVersion
    }

    private let entries: ExpiringCache<Key, Entry>

    /// - Parameter now: The clock for the age of entries. Tests pass their own.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        entries = ExpiringCache(max: Self.rememberedMax, freshFor: Self.freshFor, now: now)
    }

    /// Answers a query from the cache, or returns nil when Catalog has to be asked.
    /// - Parameter version: The app's version, requested after the client's request arrived. Nil when it is unknown.
    func known(_ query: ProductsInParts, at version: AppVersion?) -> ProductsInParts.Reply? {
        guard let version else { return nil }
        let keys = query.identifiers.map { Self.key($0, query) }
        guard let found = entries.fresh(keys, where: { $0.version == version }) else { return nil }
        var result = ProductsInParts.Reply(
            products: [], invalidProductIdentifiers: [], catalogVersion: version.catalogVersion)
        for (identifier, entry) in zip(query.identifiers, found) {
            if let product = entry.product {
                result.products.append(product)
            } else {
                result.invalidProductIdentifiers.append(identifier)
            }
        }
        return result
    }

    /// Asks Catalog, and caches the result under the version.
    /// - Parameter version: As for ``known(_:at:)``, so never newer than the reply.
    /// - Throws: `serviceUnavailable` and the like: an outdated price is not shown.
    func ask(
        _ query: ProductsInParts, at version: AppVersion?, _ context: CallContext
    ) async throws(StoreError) -> ProductsInParts.Reply {
        let ticket = entries.ticket()
        let reply = try await query.run(context)
        guard let version, version.catalogVersion == reply.catalogVersion else { return reply }
        let found =
            reply.products.map { ($0.productIdentifier, $0) }
            + reply.invalidProductIdentifiers.map { ($0, nil) }
        entries.insert(found.map { (Self.key($0, query), Entry(product: $1, version: version)) }, ticket)
        return reply
    }

    private static func key(_ identifier: String, _ query: ProductsInParts) -> Key {
        Key(
            bundleId: query.bundleId, storefront: query.storefront, productIdentifier: identifier,
            language: query.language)
    }
}

/// A query for products, sent to Catalog in parts. A whole reply may exceed one message of the bus. The parts are
/// requested concurrently and joined in the order of the query.
struct ProductsInParts: Sendable {
    /// The number of identifiers in one part. Products with long descriptions and many offers have a few kilobytes
    /// each, so this number fits in 512 KiB.
    static let partSize = 100

    typealias Reply = ProductsReplyOf<EncodedProduct>

    let services: ServiceCaller
    let bundleId: String
    let storefront: String
    /// As `ProductsQuery.language`.
    let language: String?
    /// The requested identifiers without duplicates (M7), compared byte by byte, as the catalogue does.
    let identifiers: [String]

    init(services: ServiceCaller, customer: RequestCustomer, identifiers: [String], language: String? = nil) {
        self.init(
            services: services, bundleId: customer.bundleId, storefront: customer.storefront, identifiers: identifiers,
            language: language)
    }

    init(
        services: ServiceCaller, bundleId: String, storefront: String, identifiers: [String], language: String? = nil
    ) {
        self.services = services
        self.bundleId = bundleId
        self.storefront = storefront
        self.language = language
        var seen: Set<ExactText> = []
        self.identifiers = identifiers.filter { seen.insert($0).inserted }
    }

    /// Requests all parts.
    /// - Throws: Catalog's error for any part: a reply with a missing part is not used.
    func run(_ context: CallContext) async throws(StoreError) -> Reply {
        let parts = try await askAll(context)
        // A catalogue may take effect between two parts; requested again, the parts are of one version.
        let isOfOne = parts.allSatisfy { $0.catalogVersion == parts[0].catalogVersion }
        return Self.joined(isOfOne ? parts : try await askAll(context))
    }

    private func askAll(_ context: CallContext) async throws(StoreError) -> [Reply] {
        let starts = stride(from: 0, to: identifiers.count, by: Self.partSize)
        let answers = await withTaskGroup(of: (Int, Result<Reply, StoreError>).self) { group in
            for start in starts {
                let part = Array(identifiers[start..<min(start + Self.partSize, identifiers.count)])
                group.addTask { (start, await ask(part, context)) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var parts: [Reply] = []
        for (_, answer) in answers.sorted(by: { $0.key < $1.key }) { parts.append(try answer.get()) }
        return parts
    }

    private func ask(_ part: [String], _ context: CallContext) async -> Result<Reply, StoreError> {
        let request = ProductsRequest(
            bundleId: bundleId, productIdentifiers: part, storefront: storefront, language: language)
        do throws(StoreError) {
            let endpoint = CatalogEndpoints.queryProducts(as: EncodedProduct.self)
            return .success(try await services.call(endpoint, request, context: context))
        } catch {
            return .failure(error)
        }
    }

    private static func joined(_ parts: [Reply]) -> Reply {
        Reply(
            products: parts.flatMap(\.products),
            invalidProductIdentifiers: parts.flatMap(\.invalidProductIdentifiers),
            catalogVersion: parts.first?.catalogVersion ?? 0)
    }
}
