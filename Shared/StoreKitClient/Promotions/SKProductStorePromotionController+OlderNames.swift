/// The method names of earlier SDKs, as in the listings of Apple's articles.
extension SKProductStorePromotionController {
    public func fetchStorePromotionVisibility(
        forProduct product: SKProduct,
        completionHandler: (@Sendable (SKProductStorePromotionVisibility, (any Error)?) -> Void)? = nil
    ) {
        fetchStorePromotionVisibility(for: product, completionHandler: completionHandler)
    }

    public func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility, forProduct product: SKProduct,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        update(storePromotionVisibility: promotionVisibility, for: product, completionHandler: completionHandler)
    }

    public func updateStorePromotionOrder(
        _ promotionOrder: [SKProduct], completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        update(storePromotionOrder: promotionOrder, completionHandler: completionHandler)
    }

    /// The method with the misspelled label of an Apple article.
    public func fetchStorePromotionOrder(
        completionHander completionHandler: @escaping @Sendable ([SKProduct], (any Error)?) -> Void
    ) {
        fetchStorePromotionOrder(completionHandler: completionHandler)
    }
}
