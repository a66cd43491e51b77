import StoreModels

/// Decides without I/O how a purchase that begins in the store continues (M65, M72–M75, M109).
enum StartPolicy {
    /// Checks that the product may be bought on the device.
    ///
    /// A test URL also starts products that are not promoted.
    /// - Throws: `promotionUnsupported`, `productNotPromotable` with the reason.
    static func check(_ request: StartPurchaseRequest, on promotions: DevicePromotions) throws(StoreError) {
        if let reason = promotions.unsupported { throw StoreError(.promotionUnsupported, reason) }
        guard request.source != .testURL else { return }
        let product = request.facts.product.productIdentifier
        guard request.facts.isPromoted else {
            throw StoreError(.productNotPromotable, "'\(product)' is not promoted; explain says why")
        }
        let hidden = request.facts.isHidden == true ? [product] : []
        guard PromotionArrangement(promoted: [product], hidden: hidden).isVisible(product, with: promotions.overrides)
        else { throw StoreError(.productNotPromotable, "'\(product)' is hidden on this device") }
    }

    /// Decides the store's next step. The intent is stored in every case.
    static func outcome(_ facts: PromotedProductFacts, on installation: StoredInstallation?)
        -> StartPurchaseReply.Outcome
    {
        guard let installation else { return facts.appPrice.isPaid ? .promptBuyApp : .downloading }
        let isTooOld = PromotionSupport.isTooOld(
            appVersion: installation.version, since: facts.promotionsSupportedSince)
        return isTooOld || installation.promotedPurchases == DeviceLaunch.PromotedPurchases.none
            ? .promptUpgrade : .openApp
    }
}

extension Money? {
    fileprivate var isPaid: Bool { (self?.minorUnits ?? 0) > 0 }
}
