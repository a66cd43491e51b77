import BusService
import Signing
import StoreHTTP
import StoreModels

extension AppleServer {
    /// Settings for the App Store Server API, and the responder that its certificates name.
    var settingsRoutes: [ServerRoute] {
        [
            ServerRoute(AppStoreServerRoutes.settings) { [self] in
                try await serverApps.settings(of: try $0.bundleId())
            },
            ServerRoute(AppStoreServerRoutes.putSettings) { [self] in try await putServerAPISettings($0) },
            ServerRoute(NotificationRoutes.putEndpoint) { [self] in try await putNotificationEndpoint($0) },
            ServerRoute(reply: AppStoreServerRoutes.certificateStatus) { [self] call in
                let request = call.bodyBytes()
                return try await certificateStatus(request, call)
            },
            ServerRoute(reply: AppStoreServerRoutes.certificateStatusByGet) { [self] call in
                // RFC 6960 A.1: Base64, percent-encoded.
                let text = try call.parameter(.ocspRequest, of: "path").drop { $0 == "/" }.filter { $0 != "=" }
                guard let request = Base64URL.decode(text.replacing("+", with: "-").replacing("/", with: "_")) else {
                    throw StoreError.invalid("path", "is not Base64 of an OCSP request")
                }
                return try await certificateStatus(request, call)
            },
        ]
    }

    private func putServerAPISettings(_ call: ServerCall) async throws -> ServerAPISettings {
        let settings = try call.body(of: AppStoreServerRoutes.putSettings)
        let bundleId = try call.bundleId()
        try await serverApps.put(settings, of: bundleId)
        try await followEnvironment(settings.environment, of: bundleId)
        return settings
    }

    private func putNotificationEndpoint(_ call: ServerCall) async throws -> NotificationEndpoint {
        let body = try call.body(of: NotificationRoutes.putEndpoint)
        let bundleId = try call.bundleId()
        let usual = NotificationEndpoint.Retry.usual(in: try await serverApps.app(bundleId).environment)
        let endpoint = NotificationEndpoint(
            url: body.url, retry: body.retry ?? usual, retryFollowsEnvironment: body.retry == nil ? true : nil,
            timeoutMs: body.timeoutMs ?? NotificationEndpoint.timeoutMsDefault, shuffle: body.shuffle,
            duplicate: body.duplicate)
        let reply = try await notifications.putEndpoint(
            PutNotificationEndpointRequest(bundleId: bundleId, endpoint: endpoint))
        return reply.endpoint ?? endpoint
    }

    /// Gives an app's endpoint the schedule of another environment, unless the operator has chosen one.
    private func followEnvironment(_ environment: AppStoreEnvironment, of bundleId: String) async throws {
        let usual = NotificationEndpoint.Retry.usual(in: environment)
        guard var endpoint = try await notifications.endpoint(AppRequest(bundleId: bundleId)).endpoint,
            endpoint.retryFollowsEnvironment == true, endpoint.retry != usual
        else { return }
        endpoint.retry = usual
        _ = try await notifications.putEndpoint(
            PutNotificationEndpointRequest(bundleId: bundleId, endpoint: endpoint))
    }

    // MARK: Certificates

    private func certificateStatus(_ request: [UInt8], _ call: ServerCall) async throws -> ServerReply {
        let appStore = try await signing.appStore()
        switch appStore.state.mode {
        case .unavailable:
            throw StoreError(.serviceUnavailable, "the operator has set the OCSP responder to unavailable")
        case .slow: try await Task.sleep(until: call.deadline - Self.beforeDeadline, clock: .continuous)
        case .good, .revoked, .unknown, .stale, .wrongSigner, .malformed: break
        }
        return ServerReply(
            bytes: try appStore.responder.response(to: request, mode: appStore.state.mode, now: now()),
            contentType: "application/ocsp-response")
    }

    /// The time a slow response leaves for its way to the client.
    private static let beforeDeadline = Duration.milliseconds(100)
}

extension ServerAPISettings: CheckedBody {
    package func validate() throws(StoreError) {
        if let appAppleId, appAppleId < 1 { throw .invalid("$.appAppleId", "must be 1 or more") }
        guard environment != .production || appAppleId != nil else {
            throw .invalid("$.appAppleId", "is missing: in Production signed payloads name the app by it")
        }
    }
}

extension NotificationEndpointBody: CheckedBody {
    package func validate() throws(StoreError) {
        let range = NotificationEndpoint.timeoutMsRange
        guard let timeoutMs, !range.contains(timeoutMs) else { return }
        throw .invalid("$.timeoutMs", "must be \(range.lowerBound) to \(range.upperBound)")
    }
}
