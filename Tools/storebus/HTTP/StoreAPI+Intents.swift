import StoreHTTP
import StoreModels

/// Requests about purchases that begin in the store.
extension StoreAPI {
    /// `POST /v1/store-page/purchase`: a customer taps Buy.
    func tapBuy(
        _ product: String, source: PurchaseIntent.Source, token: String
    ) async throws(CLIError) -> StartPurchaseReply {
        // Omitted for the page, because stores of earlier versions do not read it.
        let view = source == .storePage ? nil : StorePurchase.Source(rawValue: source.rawValue)
        return try await call(
            StorePageRoutes.purchase, token: token, body: StorePurchase(productIdentifier: product, source: view))
    }

    /// `POST /v1/open-url`: a customer opens a link on the device.
    func openURL(_ link: String, token: String) async throws(CLIError) -> StartPurchaseReply {
        try await call(StorePageRoutes.openURL, token: token, body: URLToOpen(url: link))
    }

    /// `GET …/products/{id}/test-url` as text: the link alone.
    func testURL(of product: String, bundleId: String) async throws(CLIError) -> String {
        var text = String(decoding: try await testURL(of: product, bundleId, as: "text/plain"), as: UTF8.self)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// The test URL as a QR code in SVG.
    func testURLCode(of product: String, bundleId: String) async throws(CLIError) -> [UInt8] {
        try await testURL(of: product, bundleId, as: "image/svg+xml")
    }

    private func testURL(
        of product: String, _ bundleId: String, as contentType: String
    ) async throws(CLIError) -> [UInt8] {
        var request = request(PromotionRoutes.testURL, [.bundleId: bundleId, .id: product])
        request.headers["Accept"] = contentType
        return try await exchange(request).body
    }

    /// `GET /admin/v1/intents`: one page, oldest first.
    func intents(_ query: IntentListRequest) async throws(CLIError) -> IntentsPage {
        try await call(
            IntentRoutes.search,
            query: [
                "bundleId": query.bundleId, "account": query.account, "deviceId": query.deviceId,
                "state": query.state?.rawValue, "after": query.after, "limit": "\(query.limit)",
            ])
    }

    /// Finds one intent for the operator. Lists are in the order of identifiers, so it begins a page.
    func intent(_ identifier: String) async throws(CLIError) -> PurchaseIntent? {
        let page = try await intents(IntentListRequest(after: String(identifier.dropLast()), limit: 32))
        return page.intents.first { $0.intentIdentifier.isExactly(identifier) }
    }

    /// `POST /v1/intents/{id}/decision`: the app's answer, which is safe to repeat.
    func decide(
        _ intent: String, _ decision: DecideIntentRequest.Decision, feedback: String? = nil, token: String,
        timeout: Duration = .seconds(10)
    ) async throws(CLIError) -> IntentDecisionResponse {
        try await call(
            IntentRoutes.decide, [.id: intent], token: token,
            body: DecisionRequest(decision: decision, feedback: feedback), timeout: timeout)
    }
}
