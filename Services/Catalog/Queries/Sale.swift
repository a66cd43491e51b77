import StoreModels

/// What can be bought of one app in one storefront at one moment. Lives as long as a request.
struct Sale: Sendable {
    /// A product as the storefront shows it.
    struct Offer: Sendable {
        let product: Product
        fileprivate let presented: PresentedCatalog
        fileprivate let position: Int
        /// At most how large it is on the wire.
        let byteCount: Int

        /// The product as it stands in an answer; written once and sent often.
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

    /// - Returns: nil when the app has no such product or it cannot be bought.
    func offer(_ productIdentifier: String) -> Offer? {
        snapshot.position(of: productIdentifier).flatMap { offer(at: $0) }
    }

    /// - Returns: nil when the product at that place of the catalogue cannot be bought.
    func offer(at position: Int) -> Offer? {
        guard policy.isAvailable(snapshot.catalog.products[position]) else { return nil }
        return Offer(
            product: presented.products[position], presented: presented, position: position,
            byteCount: presented.byteCounts[position])
    }
}
