import StoreHTTP
import StoreModels

/// Operator's requests about apps and their products.
extension StoreAPI {
    /// `GET /admin/v1/apps`: all of them.
    func apps() async throws(CLIError) -> [App] {
        let pages = try await pages(\AppsPage.after) { after throws(CLIError) in
            try await call(AppRoutes.list, query: ["after": after, "limit": "100"])
        }
        return pages.flatMap(\.apps)
    }

    /// `GET /admin/v1/apps/{bundleId}`
    func app(_ bundleId: String) async throws(CLIError) -> App {
        try await call(AppRoutes.get, [.bundleId: bundleId])
    }

    /// `PUT /admin/v1/apps/{bundleId}`: all of it.
    func putApp(_ bundleId: String, _ settings: AppSettings) async throws(CLIError) -> App {
        try await call(
            AppRoutes.put, [.bundleId: bundleId], body: settings)
    }

    /// `PUT /admin/v1/apps/{bundleId}/catalog`
    /// - Parameter isTrial: Whether the file is only checked; a store without that feature rejects it.
    func importCatalog(
        _ bytes: [UInt8], fileName: String, bundleId: String, isTrial: Bool = false
    ) async throws(CLIError) -> ImportReport {
        let endpoint = AppRoutes.importCatalog
        var request = request(
            endpoint, [.bundleId: bundleId], query: ["fileName": fileName, "dryRun": isTrial ? "true" : nil],
            timeout: .seconds(120))
        request.body = bytes
        return try decode(endpoint, await exchange(request))
    }

    /// `GET /admin/v1/apps/{bundleId}/catalog`: the file in force, as it was imported.
    func exportCatalog(_ bundleId: String) async throws(CLIError) -> [UInt8] {
        try await exchange(request(AppRoutes.exportCatalog, [.bundleId: bundleId], timeout: .seconds(120))).body
    }

    /// `GET /admin/v1/apps/{bundleId}/products`: all of them, in the catalogue's order.
    func catalogProducts(_ bundleId: String, storefront: String) async throws(CLIError) -> [Product] {
        let pages = try await pages(\ProductsPageResponse.after) { after throws(CLIError) in
            try await call(
                AppRoutes.products, [.bundleId: bundleId],
                query: ["storefront": storefront, "limit": "100", "after": after])
        }
        return pages.flatMap(\.products)
    }

    /// `GET /admin/v1/apps/{bundleId}/products/{id}/explain`
    func explain(
        _ product: String, bundleId: String, storefront: String?
    ) async throws(CLIError) -> ProductExplanation {
        try await call(AppRoutes.explain, [.bundleId: bundleId, .id: product], query: ["storefront": storefront])
    }

    /// `GET /admin/v1/apps/{bundleId}/products/{id}/offers`
    func offers(
        _ product: String, bundleId: String, storefront: String
    ) async throws(CLIError) -> ProductOffers {
        try await call(AppRoutes.offers, [.bundleId: bundleId, .id: product], query: ["storefront": storefront])
    }

    /// `GET /admin/v1/apps/{bundleId}/products/{id}/prices`
    func prices(
        _ product: String, bundleId: String, storefronts: [String]
    ) async throws(CLIError) -> ProductPrices {
        try await call(
            AppRoutes.prices, [.bundleId: bundleId, .id: product],
            query: ["storefronts": storefronts.isEmpty ? nil : storefronts.joined(separator: ",")],
            timeout: .seconds(30))
    }

    /// `GET /admin/v1/storefronts`
    func storefronts() async throws(CLIError) -> [StorefrontDescription] {
        try await call(AppRoutes.storefronts).storefronts
    }

    // MARK: Hosted content

    /// `PUT /admin/v1/apps/{bundleId}/products/{id}/content?version=`
    /// - Returns: The content in force, and whether it has replaced another.
    func putContent(
        _ file: UploadFile, of product: String, version: String, bundleId: String, timeout: Duration
    ) async throws(CLIError) -> (content: HostedContent, isReplaced: Bool) {
        let (content, status) = try await upload(
            file, to: ContentRoutes.put, [.bundleId: bundleId, .id: product], query: ["version": version],
            timeout: timeout)
        return (content, status == 200)
    }

    /// `GET /admin/v1/apps/{bundleId}/products/{id}/content?version=`
    func content(of product: String, version: String, bundleId: String) async throws(CLIError) -> HostedContent {
        try await call(ContentRoutes.get, [.bundleId: bundleId, .id: product], query: ["version": version])
    }

    // MARK: Keys

    /// `GET /admin/v1/apps/{bundleId}/keys`, and `GET /admin/v1/keys` without an app.
    func keys(_ bundleId: String?) async throws(CLIError) -> [AppKey] {
        guard let bundleId else { return try await call(KeyRoutes.listOfAccount).keys }
        return try await call(KeyRoutes.list, [.bundleId: bundleId]).keys
    }

    /// `POST /admin/v1/apps/{bundleId}/keys`, and `POST /admin/v1/keys` without an app; the only response with the secret.
    func createKey(_ kind: KeyKind, bundleId: String?) async throws(CLIError) -> Received<NewKeyResponse> {
        let endpoint = bundleId == nil ? KeyRoutes.createForAccount : KeyRoutes.create
        let request = request(endpoint, bundleId.map { [.bundleId: $0] } ?? [:]).with(KeyRequest(kind: kind))
        return try decode(endpoint, as: Received.self, await exchange(request))
    }

    /// `DELETE /admin/v1/apps/{bundleId}/keys/{keyIdentifier}`, and `DELETE /admin/v1/keys/{keyIdentifier}`.
    func revokeKey(_ identifier: String, bundleId: String?) async throws(CLIError) {
        guard let bundleId else { return try await call(KeyRoutes.revokeOfAccount, [.keyIdentifier: identifier]) }
        try await call(KeyRoutes.revoke, [.bundleId: bundleId, .keyIdentifier: identifier])
    }
}
