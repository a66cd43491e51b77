import StoreModels

/// The App Store app on a device.
package enum StorePageRoutes {
    /// Lists the promoted products in the device's order.
    package static let page = HTTPEndpoint<Empty, StorePageResponse<Promotion>>(
        "getStorePage", .get, "/v1/store-page", .appOrStore)
    /// Searches the store by words, among promoted products only.
    package static let search = HTTPEndpoint<Empty, StorePageResponse<Promotion>>(
        "search", .get, "/v1/search", .appOrStore,
        parameters: [.words])
    /// Lists those of the featured tab's products that are on this device's page.
    package static let featured = HTTPEndpoint<Empty, StorePageResponse<Promotion>>(
        "getFeatured", .get, "/v1/featured", .appOrStore)
    /// Taps Buy on a promoted product.
    ///
    /// Repeating it while the purchase is pending returns the same purchase. With its key it always does.
    package static let purchase = HTTPEndpoint<StorePurchase, StartPurchaseReply>(
        "buyFromStorePage", .post, "/v1/store-page/purchase", .appOrStore,
        parameters: [.startKey], urgency: .purchase,
        responses: [
            .ok(links: [Link("intent", to: "getIntent", ["id": "$response.body#/intentIdentifier"], "The purchase")])
        ],
        errors: [.invalidOrKey, .productNotFound, .promotionUnsupported, .notPromotable, .tooManyOpen, .outcomeUnknown])
    /// Opens a test URL on the session's device.
    ///
    /// The URL is exactly `itms-services://?action=purchaseIntent&bundleId=…&productIdentifier=…`. It works as Buy in
    /// the store, also for products that are not for sale yet.
    package static let openURL = HTTPEndpoint<URLToOpen, StartPurchaseReply>(
        "openURL", .post, "/v1/open-url", .appOrStore,
        parameters: [.startKey],
        responses: [
            .ok(links: [Link("intent", to: "getIntent", ["id": "$response.body#/intentIdentifier"], "The purchase")])
        ], errors: [.invalidOrKey, .productNotFound, .promotionUnsupported, .urlInvalid, .tooManyOpen, .outcomeUnknown])
}
