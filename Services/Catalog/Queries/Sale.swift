import StoreModels

/// The products on sale in one app and storefront, for one request.
struct Sale: Sendable {
    /// A product as the storefront shows it.
    struct Offer: Sendable {
        let product: Product
        fileprivate let presented: PresentedCatalog
        fileprivate let position: Int
        /// An upper bound of the product's size on the wire.
        let byteCount: Int

        /// Returns the product's JSON, which is encoded once.
        func json() throws(StoreError) -> RawJSON { try presented.json(at: position) }
    }

    private let snapshot: AppSnapshot
    private let policy: AvailabilityPolicy
    private let presented: PresentedCatalog

    init(_ snapshot: AppSnapshot, _ policy: AvailabilityPolicy, _ entry: StorefrontEntry) {
        self.snapshot = snapshot
        self.policy = policy
        presented = snapshot.products(in: entry)
    }

    /// Returns a product on sale, if the app has it and it can be bought.
    func offer(_ productIdentifier: String) -> Offer? {
        snapshot.position(of: productIdentifier).flatMap { offer(at: $0) }
    }

    /// Returns the product at a position of the catalogue, if it can be bought.
    func offer(at position: Int) -> Offer? {
        guard policy.isAvailable(snapshot.catalog.products[position]) else { return nil }
        return Offer(
            product: presented.products[position], presented: presented, position: position,
            byteCount: presented.byteCounts[position])
    }
}
