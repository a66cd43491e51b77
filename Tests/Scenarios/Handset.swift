import NIOHTTP1
import StoreModels
import StorebusTesting

/// A device in the hands of one account: the App Store app is on it, and perhaps the app.
struct Handset: Sendable {
    let store: StoreStack
    let deviceId: String
    var account = "alice"
    var platform = "iOS"
    var osVersion = "17.4"
    /// Counts only when the account is new.
    var storefront: String?

    init(
        _ store: StoreStack, _ deviceId: String, account: String = "alice", platform: String = "iOS",
        osVersion: String = "17.4", storefront: String? = nil
    ) {
        self.store = store
        self.deviceId = deviceId
        self.account = account
        self.platform = platform
        self.osVersion = osVersion
        self.storefront = storefront
    }

    /// Begins a session with more members; the answer, with any status below 500.
    func session(_ members: [String: JSONValue]) async throws -> StoreStack.Answer {
        var body: [String: JSONValue] = [
            "bundleId": .string(StoreStack.app), "deviceId": .string(deviceId), "account": .string(account),
            "platform": .string(platform), "osVersion": .string(osVersion),
        ]
        if let storefront { body["storefront"] = .string(storefront) }
        return try await store.repeated(.POST, "/v1/sessions", .object(body.merging(members) { $1 }))
    }

    /// Launches the app.
    /// - Parameter handler: how it handles promoted purchases.
    func launch(_ handler: String = "delegate", version: String = "1.0") async throws -> ScenarioCustomer {
        ScenarioCustomer(
            store: store,
            token: try await token(["appVersion": .string(version), "promotedPurchases": .string(handler)]))
    }

    /// Opens the App Store app, which launches nothing.
    func openStore() async throws -> AppStoreApp {
        AppStoreApp(store: store, token: try await token(["client": "store"]))
    }

    private func token(_ members: [String: JSONValue]) async throws -> String {
        let answer = try await session(members)
        guard answer.status == 201, let token = answer.json?["token"]?.stringValue else {
            throw StackError("no session: \(answer.status) \(answer.text)")
        }
        return token
    }

    /// The device as the operator sees it.
    func facts() async throws -> Device {
        try await store.must(.GET, "/admin/v1/devices/\(deviceId)").decoded()
    }

    /// The operator installs or upgrades the app, without a launch.
    func install(_ version: String) async throws {
        try await store.must(
            .PUT, "/admin/v1/devices/\(deviceId)/apps/\(StoreStack.app)", .object(["version": .string(version)]))
    }

    func deleteApp() async throws {
        try await store.must(.DELETE, "/admin/v1/devices/\(deviceId)/apps/\(StoreStack.app)")
    }
}

/// The App Store app on a device: the product page, the search and the featured tab, and their Buy buttons.
struct AppStoreApp: Sendable {
    let store: StoreStack
    let token: String

    struct Page: Decodable, Equatable {
        let promotions: [Promotion]
        let degraded: [String]

        var products: [String] { promotions.map(\.product.productIdentifier) }
        var owned: [Bool?] { promotions.map(\.owned) }
        var eligibility: [OfferEligibility?] { promotions.map(\.product.introductoryOfferEligibility) }
    }

    /// - Parameter path: `/v1/store-page`, `/v1/featured` or a search.
    func page(_ path: String = "/v1/store-page") async throws -> Page {
        let answer = try await store.request(.GET, path, token: token)
        guard answer.status == 200 else { throw StackError("\(path): \(answer.status) \(answer.text)") }
        return try answer.decoded()
    }

    func search(_ words: String) async throws -> Page { try await page("/v1/search?q=\(words)") }
    func featured() async throws -> Page { try await page("/v1/featured") }

    /// Taps Buy; the answer, with any status. Repeated while there is none: what is pending is not begun twice.
    func tap(_ product: String, in source: String? = nil, offer: String? = nil) async throws -> StoreStack.Answer {
        var body: [String: JSONValue] = ["productIdentifier": .string(product)]
        if let offer { body["offer"] = .string(offer) }
        if let source { body["source"] = .string(source) }
        return try await store.repeated(.POST, "/v1/store-page/purchase", token: token, .object(body))
    }

    /// Opens a URL out of a message.
    func open(_ url: String) async throws -> StoreStack.Answer {
        try await store.repeated(.POST, "/v1/open-url", token: token, .object(["url": .string(url)]))
    }

    /// Taps Buy and expects what happens next.
    /// - Returns: The intent's identifier.
    func tap(
        _ product: String, in source: String? = nil, offer: String? = nil,
        expecting outcome: StartPurchaseReply.Outcome
    ) async throws -> String {
        try Self.intent(try await tap(product, in: source, offer: offer), expecting: outcome)
    }

    static func intent(
        _ answer: StoreStack.Answer, expecting outcome: StartPurchaseReply.Outcome
    ) throws -> String {
        guard answer.status == 200 else { throw StackError("purchase: \(answer.status) \(answer.text)") }
        let reply: StartPurchaseReply = try answer.decoded()
        guard reply.outcome == outcome, let identifier = reply.intentIdentifier else {
            throw StackError("purchase: \(answer.text) instead of \(outcome)")
        }
        return identifier
    }
}
