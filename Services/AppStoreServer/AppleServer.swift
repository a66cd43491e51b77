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

    /// Reads the time by an app's clock.
    func clock(of bundleId: String, _ context: CallContext) async throws(StoreError) -> Timestamp {
        try await services.call(SubscriptionEndpoints.getClock, AppRequest(bundleId: bundleId), context: context).now
    }

    // MARK: Apple's words

    /// Runs a function of this service, with its refusals in Apple's words.
    func server<Response>(
        _ errors: [StoreErrorCode: ServerAPIError], _ operation: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await operation()
        } catch let error as StoreError {
            throw errors[error.code].map { $0 as any Error } ?? error
        }
    }

    /// Calls a service, with its refusals in Apple's words.
    func server<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, _ call: ServerCall,
        _ errors: [StoreErrorCode: ServerAPIError]
    ) async throws -> Response {
        do {
            return try await services.call(endpoint, request, for: call)
        } catch {
            throw errors[error.code].map { $0 as any Error } ?? error
        }
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
