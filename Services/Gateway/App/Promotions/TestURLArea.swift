import BusService
import GatewayEdge
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

/// The route of a product's test URL.
struct TestURLArea: Area {
    let services: ServiceCaller

    var routes: [Route] { [Route(PromotionRoutes.testURL) { try await testURL($0) }] }

    /// Responds with the URL that starts a promoted purchase without the store. The product must only be in the
    /// catalogue (M109).
    private func testURL(_ call: Call) async throws -> Reply<RawBody> {
        let product = try call.product()
        let format = try TestURLFormat(call)
        _ = try await services.call(
            CatalogEndpoints.productPromotion,
            ProductPromotionRequest(
                bundleId: product.bundleId, productIdentifier: product.productIdentifier,
                storefront: Directories.defaultStorefront), for: call)
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

/// The format of a test URL (M107): text for a message, or a QR code to scan.
enum TestURLFormat: String, CaseIterable, Sendable {
    case text, svg

    /// Uses the format of the query, else that of `Accept`, else text.
    /// - Throws: `requestInvalid`.
    init(_ call: Call) throws(StoreError) {
        if let chosen = try call.query.choice("format", TestURLFormat.self) {
            self = chosen
            return
        }
        let accepted = call.request.headers[values: .accept].joined(separator: ",").split(separator: ",").map {
            $0.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        }
        self = accepted.contains("image/svg+xml") && !accepted.contains("text/plain") ? .svg : .text
    }

    var contentType: String {
        switch self {
        case .text: "text/plain; charset=utf-8"
        case .svg: "image/svg+xml"
        }
    }
}
