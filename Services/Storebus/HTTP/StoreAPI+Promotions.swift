import StoreHTTP
import StoreModels

/// What the operator sets up, and what the store on a device shows of it.
extension StoreAPI {
    // MARK: The operator's list

    /// `GET /admin/v1/apps/{bundleId}/promotions`
    func promotions(_ bundleId: String) async throws(CLIError) -> PromotionSetup {
        try await get(PromotionRoutes.setup, [.bundleId: bundleId])
    }

    /// `PUT /admin/v1/apps/{bundleId}/promotions`: the whole list.
    func putPromotions(
        _ entries: [PromotionEntry], bundleId: String
    ) async throws(CLIError) -> PromotionSetup {
        try await put(PromotionRoutes.putSetup, [.bundleId: bundleId], body: .array(entries.map { JSONText.value($0) }))
    }

    /// `GET /admin/v1/featured`
    func featured() async throws(CLIError) -> [ProductReference] {
        let list: FeaturedList = try await get(PromotionRoutes.featured)
        return list.products
    }

    /// `PUT /admin/v1/featured`: the whole tab, of all apps.
    func putFeatured(_ products: [ProductReference]) async throws(CLIError) -> [ProductReference] {
        let list: FeaturedList = try await put(
            PromotionRoutes.putFeatured, body: .array(products.map { JSONText.value($0) }))
        return list.products
    }

    private func put<CommandResult: Decodable>(
        _ route: HTTPRoute, _ values: [PathParameter: String] = [:], body: JSONValue
    ) async throws(CLIError) -> CommandResult {
        let request = request(route, values, body: Array(JSONText.line(body).utf8))
        return try decode(CommandResult.self, await exchange(request))
    }

    // MARK: Images

    /// `PUT …/products/{id}/promotion-image`
    func putImage(
        _ file: UploadFile, of product: String, bundleId: String, timeout: Duration
    ) async throws(CLIError) -> PromotionImage {
        let request = request(
            ImageRoutes.put, [.bundleId: bundleId, .id: product],
            headers: ["Content-Type": "application/octet-stream"], timeout: timeout)
        let response = try await transport.upload(request, file)
        guard (200..<300).contains(response.status) else { throw CLIError(refusal: response, at: url) }
        return try decode(PromotionImage.self, response)
    }

    /// `POST …/products/{id}/promotion-image/{approve,reject}`
    func reviewImage(
        of product: String, bundleId: String, isApproved: Bool, reason: String? = nil
    ) async throws(CLIError) -> PromotionImage {
        try await call(
            isApproved ? ImageRoutes.approve : ImageRoutes.reject, [.bundleId: bundleId, .id: product],
            body: reason.map { ["reason": .string($0)] })
    }

    /// `GET …/products/{id}/promotion-image`: the bytes as they were uploaded.
    func image(of product: String, bundleId: String) async throws(CLIError) -> [UInt8] {
        try await exchange(request(ImageRoutes.get, [.bundleId: bundleId, .id: product], timeout: .seconds(60))).body
    }

    // MARK: The store on a device

    /// Which part of the store is looked at.
    enum StoreView: Hashable, Sendable {
        case page, featured
        case search(String)

        /// Where a purchase that begins there comes from.
        var source: PurchaseIntent.Source {
            switch self {
            case .page: .storePage
            case .featured: .featured
            case .search: .search
            }
        }
    }

    /// `GET /v1/store-page`, `/v1/featured` or `/v1/search?q=`
    func view(_ view: StoreView, token: String) async throws(CLIError) -> StorePageResponse {
        switch view {
        case .page: try await get(StorePageRoutes.page, token: token)
        case .featured: try await get(StorePageRoutes.featured, token: token)
        case .search(let words): try await get(StorePageRoutes.search, query: ["q": words], token: token)
        }
    }
}

/// What the store shows on a device: `{"promotions":[{"product":{…},"owned":false}],"degraded":["eligibility"]}`
struct StorePageResponse: Hashable, Sendable, Codable {
    var promotions: [Promotion]
    /// What it had to do without.
    var degraded: [String] = []
}
