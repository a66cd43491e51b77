import BusService
import FoundationEssentials
import GatewayEdge
import Hummingbird
import Signing
import StoreHTTP
import StoreModels

/// The route that opens sessions.
struct SessionArea: Area {
    let services: ServiceCaller
    let directories: Directories
    let environment: ReceiptEnvironment
    let tokens: SessionTokens
    let delivery: DeliveryHub
    let launches: LaunchRegistrar
    /// The wall clock, for the beginning of sessions.
    let now: @Sendable () -> Timestamp

    var routes: [Route] {
        // In production only the app's server opens sessions, because clients cannot prove which customer they are.
        [
            Route(SessionRoutes.open, access: environment == .sandbox ? .open : .server) { try await openSession($0) },
            Route(SessionRoutes.sync) { call in
                _ = try await call.body(of: SessionRoutes.sync)
                try await directories.accounts.readAgain(call)
                return .noContent
            },
        ]
    }

    /// Opens the session of a launched app, or of the store on a device. PaymentQueue identifies the customer, and
    /// PromotionController is notified of the launch.
    private func openSession(_ call: Call) async throws -> Reply<SessionResponse> {
        var request = try await call.body(of: SessionRoutes.open)
        request.bundleId = try call.app(request.bundleId)
        if case .server(let key) = call.principal, !key.bundleId.utf8.elementsEqual(request.bundleId.utf8) {
            throw StoreError.notFound("app")
        }
        let defaults = try await directories.apps.testerDefaults(of: request.bundleId, call)
        if let storefront = request.storefront {
            _ = try await directories.storefronts.find(storefront, at: "$.storefront", call.context())
        }
        let opened = request
        async let trusted = trust(in: opened, call)
        let account = try await services.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(
                bundleId: request.bundleId, account: request.account, deviceId: request.deviceId,
                storefront: request.storefront, defaults: defaults, launches: request.client != .store), for: call)
        let storefront = try await directories.storefronts.find(
            account.storefront, at: "storefront", call.context())
        var session = Session(request, account, identifier: "s_\(UUID().uuidString.lowercased())", startedAt: now())
        directories.accounts.expire(session.customer)
        session.isLaunchPending = try await !launches.registerIfAvailable(session, call)
        let (token, expiresAt) = try tokens.issue(session)
        if session.client == .app { delivery.sessionOpened(session) }
        let facts = await trusted
        let reply = SessionResponse(
            token: token, expiresAt: expiresAt, storefront: storefront, canMakePayments: account.canMakePayments,
            deviceVerificationId: session.installation.verificationIdentifier, environment: facts?.environment,
            rootCertificate: environment == .production ? nil : facts?.rootCertificate,
            degraded: session.isLaunchPending ? [ServiceName.promotionController].compactMap(\.degradedName) : [])
        return try Reply(reply, status: .created)
    }

    /// Reads what the app verifies its signed data with. Nil while AppStoreServer is away, and for the App Store app.
    private func trust(in request: SessionRequest, _ call: Call) async -> TrustFacts? {
        guard request.client != .store else { return nil }
        return try? await directories.trust.facts(of: request.bundleId, until: call.optionalDeadline)
    }
}

extension Session {
    fileprivate init(
        _ request: SessionRequest, _ account: OpenAccountReply, identifier: String, startedAt: Timestamp
    ) {
        self.init(
            identifier: identifier, startedAt: startedAt, bundleId: request.bundleId,
            customerIdentifier: account.customerIdentifier, account: request.account, deviceId: request.deviceId,
            client: request.client ?? .app, storefront: account.storefront, platform: request.platform,
            promotedPurchases: request.promotedPurchases ?? .none, osVersion: request.osVersion,
            appVersion: request.appVersion, launchNumber: account.launch ?? 0)
    }
}

extension SessionRequest: CheckedBody {
    /// - Throws: `requestInvalid` that names the member, or `promotionUnsupported` for `PurchaseIntent` on systems
    ///   without it (M59).
    package func validate() throws(StoreError) {
        try Identifier.check(bundleId, as: .bundle, at: "$.bundleId")
        try Identifier.check(deviceId, as: .device, at: "$.deviceId")
        try Identifier.check(account, as: .account, at: "$.account")
        try Identifier.check(osVersion, at: "$.osVersion", lengthMax: 64)
        if let appVersion { try Identifier.check(appVersion, at: "$.appVersion", lengthMax: 64) }
        switch client ?? .app {
        case .app:
            guard appVersion != nil else { throw .invalid("$.appVersion", "is missing") }
            guard promotedPurchases == .purchaseIntent else { return }
            try PromotionSupport.checkPurchaseIntent(platform: platform, osVersion: osVersion)
        case .store:
            guard appVersion == nil else { throw .invalid("$.appVersion", "is not for a session of the store") }
            guard promotedPurchases == nil else {
                throw .invalid("$.promotedPurchases", "is not for a session of the store")
            }
        }
    }
}
