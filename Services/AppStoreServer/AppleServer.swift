import BusService
import Signing
import StoreHTTP
import StoreModels

/// Answers the requests that Apple's server answers.
///
/// It has the parts that handlers need. Each area is an extension with its handlers and a list of its routes.
struct AppleServer: Sendable {
    /// Calls PaymentQueue and Catalog, and retries safe requests.
    let services: ServiceCaller
    let keys: KeyStore
    let serverApps: ServerApps
    let serverAPIFaults: ServerAPIFaults
    let signing: SigningKeys
    let storefronts: StorefrontDirectory
    let notifications: NotificationCalls
    /// The receipt environment.
    let environment: ReceiptEnvironment

    /// The wall clock, for tokens and certificates.
    var now: @Sendable () -> Timestamp { keys.now }

    /// All routes that the gateway passes on.
    var routes: [ServerRoute] {
        serverAPIRoutes + serverNotificationRoutes + serverWriteRoutes + receiptRoutes + settingsRoutes + faultRoutes
            + signingRoutes + triggerRoutes
    }

    /// Finds the key that has signed the token of a request, in the store of the request.
    /// - Throws: ``ServerAPITokens/Rejection``, or `notFound` for a store of another app than the key's.
    func key(of request: HTTPExchangeRequest) async throws -> AppKeyRecord {
        guard let authorization = request.authorization else {
            throw ServerAPITokens.Rejection(reason: "the Authorization header is missing", isMissing: true)
        }
        guard let token = BearerToken.text(of: authorization) else {
            throw ServerAPITokens.Rejection(
                reason: "the Authorization header must be one bearer token", isMissing: true)
        }
        var key = try await ServerAPITokens(keys: keys, apps: serverApps, now: now).key(of: token)
        guard let store = request.store.flatMap({ IsolatedApp($0) }) else { return key }
        guard key.bundleId.isExactly(store.bundleId) || key.bundleId.isExactly(store.shownBundleId) else {
            throw StoreError(
                .notFound, "the isolated store '\(store.store)' is one of \(store.shownBundleId), not of the key's app")
        }
        key.bundleId = store.bundleId
        return key
    }

    /// Reads the time by an app's clock.
    func clock(of bundleId: String, _ context: CallContext) async throws(StoreError) -> Timestamp {
        try await services.call(SubscriptionEndpoints.getClock, AppRequest(bundleId: bundleId), context: context).now
    }
}

/// The functions for notifications that handlers of HTTP requests call.
struct NotificationCalls: Sendable {
    var get: @Sendable (NotificationRequest, ContinuousClock.Instant) async throws -> ServerNotification
    var history: @Sendable (NotificationHistoryRequest) async throws -> NotificationHistoryPage
    var test: @Sendable (AppRequest, ContinuousClock.Instant) async throws -> TestNotificationReply
    var trigger: @Sendable (TriggerNotificationRequest, ContinuousClock.Instant) async throws -> ServerNotification
    var endpoint: @Sendable (AppRequest) async throws -> NotificationEndpointReply
    var putEndpoint: @Sendable (PutNotificationEndpointRequest) async throws -> NotificationEndpointReply
}
