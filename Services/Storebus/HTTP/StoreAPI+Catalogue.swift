import StoreModels

/// What the operator may ask about apps and their products.
extension StoreAPI {
    static func appPath(_ bundleId: String) -> String { "/admin/v1/apps/\(PercentEncoding.encode(bundleId))" }

    private static func productPath(_ bundleId: String, _ product: String) -> String {
        "\(appPath(bundleId))/products/\(PercentEncoding.encode(product))"
    }

    /// `GET /admin/v1/apps`: all of them.
    func apps() async throws(CLIError) -> [App] {
        let pages = try await pages(\AppsPage.after) { after throws(CLIError) in
            try await get("/admin/v1/apps", ["after": after, "limit": "100"], token: adminKey)
        }
        return pages.flatMap(\.apps)
    }

    /// `GET /admin/v1/apps/{bundleId}`
    func app(_ bundleId: String) async throws(CLIError) -> App {
        try await get(Self.appPath(bundleId), token: adminKey)
    }

    /// `PUT /admin/v1/apps/{bundleId}`: all of it.
    func putApp(_ bundleId: String, _ settings: AppSettings) async throws(CLIError) -> App {
        try await call(
            .put, Self.appPath(bundleId), token: adminKey, body: JSONText.value(settings).objectValue ?? [:])
    }

    /// `PUT /admin/v1/apps/{bundleId}/catalog`
    /// - Parameter isTrial: the file is to be judged, not imported; a store that cannot do that refuses.
    func importCatalog(
        _ bytes: [UInt8], fileName: String, bundleId: String, isTrial: Bool = false
    ) async throws(CLIError) -> ImportReport {
        let path =
            "\(Self.appPath(bundleId))/catalog"
            + Self.query(["fileName": fileName, "dryRun": isTrial ? "true" : nil])
        return try decode(
            ImportReport.self,
            await exchange(StoreRequest(.put, path, token: adminKey, body: bytes, timeout: .seconds(120))))
    }

    /// `GET /admin/v1/apps/{bundleId}/catalog`: the file in force, as it was imported.
    func exportCatalog(_ bundleId: String) async throws(CLIError) -> [UInt8] {
        let request = StoreRequest(
            .get, "\(Self.appPath(bundleId))/catalog", token: adminKey, timeout: .seconds(120))
        return try await exchange(request).body
    }

    /// `GET /admin/v1/apps/{bundleId}/products`: all of them, in the catalogue's order.
    func catalogProducts(_ bundleId: String, storefront: String) async throws(CLIError) -> [Product] {
        let pages = try await pages(\ProductsPageResponse.after) { after throws(CLIError) in
            try await get(
                "\(Self.appPath(bundleId))/products", ["storefront": storefront, "limit": "100", "after": after],
                token: adminKey)
        }
        return pages.flatMap(\.products)
    }

    /// `GET /admin/v1/apps/{bundleId}/products/{id}/explain`
    func explain(
        _ product: String, bundleId: String, storefront: String?
    ) async throws(CLIError) -> ProductExplanation {
        try await get(
            "\(Self.productPath(bundleId, product))/explain", ["storefront": storefront], token: adminKey)
    }

    /// `GET /admin/v1/apps/{bundleId}/products/{id}/offers`
    func offers(
        _ product: String, bundleId: String, storefront: String
    ) async throws(CLIError) -> ProductOffers {
        try await get("\(Self.productPath(bundleId, product))/offers", ["storefront": storefront], token: adminKey)
    }

    /// `GET /admin/v1/apps/{bundleId}/products/{id}/prices`
    func prices(
        _ product: String, bundleId: String, storefronts: [String]
    ) async throws(CLIError) -> ProductPrices {
        try await get(
            "\(Self.productPath(bundleId, product))/prices",
            ["storefronts": storefronts.isEmpty ? nil : storefronts.joined(separator: ",")], token: adminKey,
            timeout: .seconds(30))
    }

    /// `GET /admin/v1/storefronts`
    func storefronts() async throws(CLIError) -> [StorefrontDescription] {
        let response: StorefrontDescriptions = try await get("/admin/v1/storefronts", token: adminKey)
        return response.storefronts
    }

    // MARK: Hosted content

    private static func contentPath(_ bundleId: String, _ product: String, _ version: String) -> String {
        "\(productPath(bundleId, product))/content" + query(["version": version])
    }

    /// `PUT /admin/v1/apps/{bundleId}/products/{id}/content?version=`
    /// - Returns: what is in force now, and whether it has taken another's place.
    func putContent(
        _ file: UploadFile, of product: String, version: String, bundleId: String, timeout: Duration
    ) async throws(CLIError) -> (content: HostedContent, isReplaced: Bool) {
        let request = StoreRequest(
            .put, Self.contentPath(bundleId, product, version), token: adminKey,
            headers: ["Content-Type": "application/octet-stream"], timeout: timeout)
        let response = try await transport.upload(request, file)
        guard (200..<300).contains(response.status) else { throw Problem.error(of: response, at: url) }
        return (try decode(HostedContent.self, response), response.status == 200)
    }

    /// `GET /admin/v1/apps/{bundleId}/products/{id}/content?version=`
    func content(of product: String, version: String, bundleId: String) async throws(CLIError) -> HostedContent {
        try await get("\(Self.productPath(bundleId, product))/content", ["version": version], token: adminKey)
    }

    // MARK: Keys

    /// `GET /admin/v1/apps/{bundleId}/keys`
    func keys(_ bundleId: String) async throws(CLIError) -> [AppKey] {
        let response: AppKeys = try await get("\(Self.appPath(bundleId))/keys", token: adminKey)
        return response.keys
    }

    /// `POST /admin/v1/apps/{bundleId}/keys`; the only answer that has the secret.
    func createKey(_ kind: String, bundleId: String) async throws(CLIError) -> JSONValue {
        try await call(.post, "\(Self.appPath(bundleId))/keys", token: adminKey, body: ["kind": .string(kind)])
    }

    /// `DELETE /admin/v1/apps/{bundleId}/keys/{keyIdentifier}`
    func revokeKey(_ identifier: String, bundleId: String) async throws(CLIError) {
        let path = "\(Self.appPath(bundleId))/keys/\(PercentEncoding.encode(identifier))"
        _ = try await exchange(StoreRequest(.delete, path, token: adminKey))
    }
}

/// `{"keyIdentifier":"…","kind":"api","createdAt":"…"}`
struct AppKey: Hashable, Sendable, Codable {
    static let kinds = ["api", "sharedSecret", "subscriptionOffer"]

    var keyIdentifier: String
    /// One of ``kinds``.
    var kind: String
    var createdAt: Timestamp
}

/// `{"keys":[…]}`
struct AppKeys: Hashable, Sendable, Codable {
    var keys: [AppKey]
}

/// What a product costs in several storefronts, in the order they were asked for:
///
/// ```json
/// {"productIdentifier":"com.example.pro","prices":[
///   {"storefront":"FRA","available":true,"price":{"amount":"10.99","currency":"EUR"},"priceLocale":"fr_FR@currency=EUR"},
///   {"storefront":"CHN","available":false,"reasons":["storefrontUnavailable"]}]}
/// ```
struct ProductPrices: Hashable, Sendable, Codable {
    struct Price: Hashable, Sendable, Codable {
        var storefront: String
        var available: Bool
        var price: Money?
        var priceLocale: String?
        var introductoryPrice: ProductDiscount?
        var subscriptionPeriod: SubscriptionPeriod?
        /// Why it cannot be bought there.
        var reasons: [String]?
    }

    var productIdentifier: String
    var prices: [Price]

    init(productIdentifier: String, prices: [Price]) {
        self.productIdentifier = productIdentifier
        self.prices = prices
    }
}

/// `{"products":[…],"invalidProductIdentifiers":["…"],"degraded":["eligibility"]}`
struct ProductsResponse: Hashable, Sendable, Codable {
    var products: [Product]
    var invalidProductIdentifiers: [String]
    /// What the answer had to do without.
    var degraded: [String]
}

/// A page of the operator's list: `{"products":[…],"after":"com.example.b"}`
struct ProductsPageResponse: Hashable, Sendable, Codable {
    var products: [Product]
    /// The next page's; absent on the last.
    var after: String?
}
