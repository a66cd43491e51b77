import BusService
import Hummingbird
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Gateway {
    var sessionRoutes: [Route] {
        [Route(.post, "/v1/sessions", .open) { [self] in try await openSession($0) }]
    }

    /// The app is launched on a device (or the App Store app opened): PaymentQueue says who the customer is,
    /// PromotionController is told of the launch.
    private func openSession(_ call: Call) async throws -> Response {
        let request = try await call.body(SessionRequest.self, members: SessionRequest.members)
        try request.validate()
        let defaults = try await apps.testerDefaults(of: request.bundleId, call)
        if let storefront = request.storefront { _ = try await storefronts.find(storefront, at: "$.storefront", call) }
        let account = try await services.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(
                bundleId: request.bundleId, account: request.account, deviceId: request.deviceId,
                storefront: request.storefront, defaults: defaults),
            context: call.context())
        let storefront = try await storefronts.find(account.storefront, at: "storefront", call)
        let session = Session(
            identifier: "s_\(UUID().uuidString.lowercased())", startedAt: now(), bundleId: request.bundleId,
            customerIdentifier: account.customerIdentifier, account: request.account, deviceId: request.deviceId,
            client: request.client ?? .app, storefront: account.storefront, platform: request.platform,
            promotedPurchases: request.promotedPurchases ?? .none)
        accounts.expire(session.customer)
        let degraded = try await tellOfLaunch(session, request, call)
        let (token, expiresAt) = try await tokens.issue(session)
        if session.client == .app { delivery.sessionOpened(session) }
        let reply = SessionReply(
            token: token, expiresAt: expiresAt, storefront: storefront, canMakePayments: account.canMakePayments,
            degraded: degraded)
        return try Reply.json(reply, status: .created)
    }

    /// - Returns: What the session had to do without. A session without PromotionController can still buy.
    private func tellOfLaunch(_ session: Session, _ request: SessionRequest, _ call: Call) async throws -> [String] {
        guard session.client == .app, let appVersion = request.appVersion else { return [] }
        let launch = DeviceLaunch(
            bundleId: session.bundleId, deviceId: session.deviceId, platform: session.platform,
            osVersion: request.osVersion, appVersion: appVersion, promotedPurchases: session.promotedPurchases)
        let told = try await degrading(.promotionController) { [services] () async throws(StoreError) in
            try await services.call(
                PromotionEndpoints.deviceLaunched, launch, context: call.context(deadline: call.optionalDeadline))
        }
        return told == nil ? [ServiceName.promotionController].compactMap(\.degradedName) : []
    }
}
