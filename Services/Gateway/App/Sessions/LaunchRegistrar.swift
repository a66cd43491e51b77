import BusService
import GatewayEdge
import Logging
import StoreHTTP
import StoreModels

/// Notifies PromotionController of launches. A session without PromotionController can still buy.
struct LaunchRegistrar: Sendable {
    let services: ServiceCaller
    let delivery: DeliveryHub
    let logger: Logger

    /// Notifies PromotionController of a session that began while it was away.
    /// - Throws: `serviceUnavailable` and the like while it is away, or `notFound` for a customer of a deleted app.
    func registerLaunchIfNeeded(_ call: Call) async throws(StoreError) {
        let session = call.session
        // A superseded launch's data about the installation is outdated. The store's sessions are not launches.
        guard session.isLaunchPending, session.client == .store || !delivery.isSuperseded(session) else { return }
        try await checkCustomer(call)
        try await registerLaunch(session, call, deadline: call.deadline)
    }

    /// Checks that the session's customer is not gone with a deleted app, so far as PaymentQueue answers.
    ///
    /// Else an old session would launch the app that has its name now.
    private func checkCustomer(_ call: Call) async throws(StoreError) {
        let session = call.session
        do {
            _ = try await services.call(
                PaymentEndpoints.getAccount,
                GetAccountRequest(bundleId: session.bundleId, customerIdentifier: session.customerIdentifier),
                context: call.context(deadline: call.optionalDeadline))
        } catch {
            guard error.code != .notFound else { throw error }
            logger.debug("the launch's customer is not checked", metadata: ["code": "\(error.code)"])
        }
    }

    /// Notifies PromotionController of the launch, or of the device the store is opened on, unless it is away.
    /// - Returns: Whether it was notified.
    func registerIfAvailable(_ session: Session, _ call: Call) async throws(StoreError) -> Bool {
        try await degrading(.promotionController, logger) { () async throws(StoreError) in
            try await registerLaunch(session, call, deadline: call.optionalDeadline)
        } != nil
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
    /// The session's launch for PromotionController. Nil for the store's sessions.
    fileprivate var launch: DeviceLaunch? {
        guard client == .app, let appVersion else { return nil }
        return DeviceLaunch(
            bundleId: bundleId, deviceId: deviceId, platform: platform, osVersion: osVersion, appVersion: appVersion,
            promotedPurchases: promotedPurchases)
    }
}
