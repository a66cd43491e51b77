import BusService
import Hummingbird
import Logging
import Signing
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Gateway {
    var sessionRoutes: [Route] {
        // In production only the app's server opens sessions, because clients cannot prove which customer they are.
        [
            Route(SessionRoutes.open, access: environment == .sandbox ? .open : .server) { [self] in
                try await openSession($0)
            }
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
        let defaults = try await apps.testerDefaults(of: request.bundleId, call)
        if let storefront = request.storefront {
            _ = try await storefronts.find(storefront, at: "$.storefront", call.context())
        }
        let account = try await services.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(
                bundleId: request.bundleId, account: request.account, deviceId: request.deviceId,
                storefront: request.storefront, defaults: defaults, launches: request.client != .store), for: call)
        let storefront = try await storefronts.find(account.storefront, at: "storefront", call.context())
        var session = Session(request, account, identifier: "s_\(UUID().uuidString.lowercased())", startedAt: now())
        accounts.expire(session.customer)
        session.isLaunchPending = try await !tell(of: session, call)
        let (token, expiresAt) = try await tokens.issue(session)
        if session.client == .app { delivery.sessionOpened(session) }
        let reply = SessionResponse(
            token: token, expiresAt: expiresAt, storefront: storefront, canMakePayments: account.canMakePayments,
            degraded: session.isLaunchPending ? [ServiceName.promotionController].compactMap(\.degradedName) : [])
        return try Reply(reply, status: .created)
    }

    /// Notifies PromotionController of the launch, or of the device the store is opened on.
    /// - Returns: Whether it was notified. A session without PromotionController can still buy.
    private func tell(of session: Session, _ call: Call) async throws(StoreError) -> Bool {
        try await degrading(.promotionController) { () async throws(StoreError) in
            try await registerLaunch(session, call, deadline: call.optionalDeadline)
        } != nil
    }

    /// Notifies PromotionController of a session that began while it was away.
    /// - Throws: `serviceUnavailable` and the like while it is away.
    func registerLaunchIfNeeded(_ call: Call) async throws(StoreError) {
        let session = call.session
        // A superseded launch's data about the installation is outdated. The store's sessions are not launches.
        guard session.isLaunchPending, session.client == .store || !delivery.isSuperseded(session) else { return }
        try await registerLaunch(session, call, deadline: call.deadline)
    }

    /// Sends PromotionController the session's launch, or the device of a store session.
    /// - Throws: PromotionController's error, except for a version of the store's device that it cannot read.
    func registerLaunch(_ session: Session, _ call: Call, deadline: ContinuousClock.Instant) async throws(StoreError) {
        let context = call.context(deadline: deadline)
        if let launch = session.launch {
            _ = try await services.call(PromotionEndpoints.deviceLaunched, launch, context: context)
            return
        }
        let device = PutDeviceRequest(
            ScopedIdentifier(session.deviceId, in: IsolationScope(of: session.bundleId)), platform: session.platform,
            osVersion: session.osVersion)
        do {
            _ = try await services.call(PromotionEndpoints.putDevice, device, context: context)
        } catch  where error.code == .requestInvalid {
            logger.debug("a device's version cannot be read", metadata: ["deviceId": "\(session.deviceId)"])
        }
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

    /// The session's launch for PromotionController. Nil for the store's sessions.
    fileprivate var launch: DeviceLaunch? {
        guard client == .app, let appVersion else { return nil }
        return DeviceLaunch(
            bundleId: bundleId, deviceId: deviceId, platform: platform, osVersion: osVersion, appVersion: appVersion,
            promotedPurchases: promotedPurchases)
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
