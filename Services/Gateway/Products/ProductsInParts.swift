import BusService
import StoreModels

/// A query for products, sent to Catalog in parts. A whole reply may exceed one message of the bus. The parts are
/// requested concurrently and joined in the order of the query.
struct ProductsInParts: Sendable {
    /// The number of identifiers in one part. Products with long descriptions and many offers have a few kilobytes
    /// each, so this number fits in 512 KiB.
    static let partSize = 100

    typealias Reply = ProductsReplyOf<PresentedProduct>

    let services: ServiceCaller
    let bundleId: String
    let storefront: String
    /// The requested identifiers without duplicates (M7), compared byte by byte, as the catalogue does.
    let identifiers: [String]

    init(services: ServiceCaller, customer: RequestCustomer, identifiers: [String]) {
        self.init(
            services: services, bundleId: customer.bundleId, storefront: customer.storefront, identifiers: identifiers)
    }

    init(services: ServiceCaller, bundleId: String, storefront: String, identifiers: [String]) {
        self.services = services
        self.bundleId = bundleId
        self.storefront = storefront
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
        let request = ProductsRequest(bundleId: bundleId, productIdentifiers: part, storefront: storefront)
        do throws(StoreError) {
            let endpoint = CatalogEndpoints.queryProducts(as: PresentedProduct.self)
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
