/// The names of earlier SDKs, as the listings of Apple's articles have them.
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

    /// The older article omits a letter of the label.
    public func fetchStorePromotionOrder(
        completionHander completionHandler: @escaping @Sendable ([SKProduct], (any Error)?) -> Void
    ) {
        fetchStorePromotionOrder(completionHandler: completionHandler)
    }
}
