import StoreModels

/// What the operator sets up, and what the store on a device shows of it.
extension StoreAPI {
    // MARK: The operator's list

    private static func promotionsPath(_ bundleId: String) -> String { "\(appPath(bundleId))/promotions" }

    /// `GET /admin/v1/apps/{bundleId}/promotions`
    func promotions(_ bundleId: String) async throws(CLIError) -> PromotionSetup {
        try await get(Self.promotionsPath(bundleId), token: adminKey)
    }

    /// `PUT /admin/v1/apps/{bundleId}/promotions`: the whole list.
    func putPromotions(
        _ entries: [PromotionEntry], bundleId: String
    ) async throws(CLIError) -> PromotionSetup {
        try await put(Self.promotionsPath(bundleId), .array(entries.map { JSONText.value($0) }))
    }

    /// `GET /admin/v1/featured`
    func featured() async throws(CLIError) -> [ProductReference] {
        let list: FeaturedList = try await get("/admin/v1/featured", token: adminKey)
        return list.products
    }

    /// `PUT /admin/v1/featured`: the whole tab, of all apps.
    func putFeatured(_ products: [ProductReference]) async throws(CLIError) -> [ProductReference] {
        let list: FeaturedList = try await put("/admin/v1/featured", .array(products.map { JSONText.value($0) }))
        return list.products
    }

    private func put<CommandResult: Decodable>(_ path: String, _ body: JSONValue) async throws(CLIError)
        -> CommandResult
    {
        let request = StoreRequest(.put, path, token: adminKey, body: Array(JSONText.line(body).utf8))
        return try decode(CommandResult.self, await exchange(request))
    }

    // MARK: Images

    private static func imagePath(_ bundleId: String, _ product: String) -> String {
        "\(appPath(bundleId))/products/\(PercentEncoding.encode(product))/promotion-image"
    }

    /// `PUT …/products/{id}/promotion-image`
    func putImage(
        _ file: UploadFile, of product: String, bundleId: String, timeout: Duration
    ) async throws(CLIError) -> PromotionImage {
        let request = StoreRequest(
            .put, Self.imagePath(bundleId, product), token: adminKey,
            headers: ["Content-Type": "application/octet-stream"], timeout: timeout)
        let response = try await transport.upload(request, file)
        guard (200..<300).contains(response.status) else { throw Problem.error(of: response, at: url) }
        return try decode(PromotionImage.self, response)
    }

    /// `POST …/products/{id}/promotion-image/{approve,reject}`
    func reviewImage(
        of product: String, bundleId: String, isApproved: Bool, reason: String? = nil
    ) async throws(CLIError) -> PromotionImage {
        try await call(
            .post, "\(Self.imagePath(bundleId, product))/\(isApproved ? "approve" : "reject")", token: adminKey,
            body: reason.map { ["reason": .string($0)] })
    }

    /// `GET …/products/{id}/promotion-image`: the bytes as they were uploaded.
    func image(of product: String, bundleId: String) async throws(CLIError) -> [UInt8] {
        let request = StoreRequest(
            .get, Self.imagePath(bundleId, product), token: adminKey, timeout: .seconds(60))
        return try await exchange(request).body
    }

    // MARK: The store on a device

    /// Which part of the store is looked at.
    enum StoreView: Hashable, Sendable {
        case page, featured
        case search(String)

        var path: String {
            switch self {
            case .page: "/v1/store-page"
            case .featured: "/v1/featured"
            case .search(let words): "/v1/search" + StoreAPI.query(["q": words])
            }
        }

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
        try await get(view.path, token: token)
    }
}

/// What the store shows on a device: `{"promotions":[{"product":{…},"owned":false}],"degraded":["eligibility"]}`
struct StorePageResponse: Hashable, Sendable, Codable {
    var promotions: [Promotion]
    /// What it had to do without.
    var degraded: [String] = []
}
