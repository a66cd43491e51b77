import StoreHTTP
import StoreModels

/// Requests about the operator's list, and about the store on a device.
extension StoreAPI {
    // MARK: The operator's list

    /// `GET /admin/v1/apps/{bundleId}/promotions`
    func promotions(_ bundleId: String) async throws(CLIError) -> PromotionSetup {
        try await call(PromotionRoutes.setup, [.bundleId: bundleId])
    }

    /// `PUT /admin/v1/apps/{bundleId}/promotions`: the whole list.
    func putPromotions(
        _ entries: [PromotionEntry], bundleId: String
    ) async throws(CLIError) -> PromotionSetup {
        try await call(PromotionRoutes.putSetup, [.bundleId: bundleId], body: entries)
    }

    /// `GET /admin/v1/featured`
    func featured() async throws(CLIError) -> [ProductReference] {
        try await call(PromotionRoutes.featured).products
    }

    /// `PUT /admin/v1/featured`: the whole tab, of all apps.
    func putFeatured(_ products: [ProductReference]) async throws(CLIError) -> [ProductReference] {
        try await call(PromotionRoutes.putFeatured, body: products).products
    }

    // MARK: Images

    /// `PUT …/products/{id}/promotion-image`
    func putImage(
        _ file: UploadFile, of product: String, bundleId: String, timeout: Duration
    ) async throws(CLIError) -> PromotionImage {
        try await upload(file, to: ImageRoutes.put, [.bundleId: bundleId, .id: product], timeout: timeout).response
    }

    /// `POST …/products/{id}/promotion-image/{approve,reject}`
    func reviewImage(
        of product: String, bundleId: String, isApproved: Bool, reason: String? = nil
    ) async throws(CLIError) -> PromotionImage {
        try await call(
            isApproved ? ImageRoutes.approve : ImageRoutes.reject, [.bundleId: bundleId, .id: product],
            body: reason.map { ReviewReason(reason: $0) })
    }

    /// `GET …/products/{id}/promotion-image`: the bytes as they were uploaded.
    func image(of product: String, bundleId: String) async throws(CLIError) -> [UInt8] {
        try await exchange(request(ImageRoutes.get, [.bundleId: bundleId, .id: product], timeout: .seconds(60))).body
    }

    // MARK: The store on a device

    /// A view of the store.
    enum StoreView: Hashable, Sendable {
        case page, featured
        case search(String)

        /// The source of a purchase that begins there.
        var source: PurchaseIntent.Source {
            switch self {
            case .page: .storePage
            case .featured: .featured
            case .search: .search
            }
        }
    }

    /// `GET /v1/store-page`, `/v1/featured` or `/v1/search?q=`
    func view(_ view: StoreView, token: String) async throws(CLIError) -> StorePageResponse<Promotion> {
        switch view {
        case .page: try await call(StorePageRoutes.page, token: token)
        case .featured: try await call(StorePageRoutes.featured, token: token)
        case .search(let words): try await call(StorePageRoutes.search, query: ["q": words], token: token)
        }
    }
}
