import BusService
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    var testURLRoutes: [Route] {
        [
            Route(PromotionRoutes.testURL) { [self] in
                try await testURL($0)
            }
        ]
    }

    /// Responds with the URL that starts a promoted purchase without the store. The product must only be in the
    /// catalogue (M109).
    private func testURL(_ call: Call) async throws -> Reply<RawBody> {
        let product = try call.product()
        let format = try TestURLFormat(call)
        _ = try await services.call(
            CatalogEndpoints.productPromotion,
            ProductPromotionRequest(
                bundleId: product.bundleId, productIdentifier: product.productIdentifier,
                storefront: Self.defaultStorefront),
            context: call.context())
        let url = PurchaseIntentURL(
            bundleId: IsolatedApp.shown(product.bundleId), productIdentifier: product.productIdentifier)
        let text: String
        switch format {
        case .text: text = url.description
        case .svg:
            // A catalogue's identifiers have at most 100 characters, so the longest URL has 1 500 bytes.
            guard let code = QRCode(url.description) else {
                throw StoreError(.internal, "a URL does not fit a QR code")
            }
            text = code.svg(title: url.description)
        }
        return Reply(
            bytes: Array(text.utf8), contentType: format.contentType,
            headers: [.vary: "Accept", .cacheControl: "no-store"])
    }
}
