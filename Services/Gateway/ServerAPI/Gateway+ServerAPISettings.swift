import BusService
import HTTPTypes
import Hummingbird
import NIOCore
import Signing
import StoreHTTP
import StoreModels

extension Gateway {
    /// Settings for the App Store Server API, and the responder that its certificates name.
    var serverAPISettingsRoutes: [Route] {
        [
            Route(AppStoreServerRoutes.settings) { [self] in
                try await serverApps.settings(of: try await existingApp($0))
            },
            Route(AppStoreServerRoutes.putSettings) { [self] in try await putServerAPISettings($0) },
            Route(AppStoreServerRoutes.signedTransaction) { [self] in try await signedTransaction($0) },
            Route(AppStoreServerRoutes.signedAppTransaction) { [self] in try await signedAppTransaction($0) },
            Route(AppStoreServerRoutes.certificateStatus) { [self] call in
                let request = try await call.bodyBytes()
                return try await certificateStatus(request, call)
            },
            Route(AppStoreServerRoutes.certificateStatusByGet) { [self] call in
                // RFC 6960 A.1: Base64, percent-encoded.
                let text = try call.parameter(.ocspRequest, of: "path").drop { $0 == "/" }.filter { $0 != "=" }
                guard let request = Base64URL.decode(text.replacing("+", with: "-").replacing("/", with: "_")) else {
                    throw StoreError.invalid("path", "is not Base64 of an OCSP request")
                }
                return try await certificateStatus(request, call)
            },
        ]
    }

    private func putServerAPISettings(_ call: Call) async throws -> ServerAPISettings {
        let settings = try await call.body(of: AppStoreServerRoutes.putSettings)
        let bundleId = try await existingApp(call)
        try await serverApps.put(settings, of: bundleId)
        try await followEnvironment(settings.environment, of: bundleId, call)
        return settings
    }

    // MARK: For apps

    private func signedTransaction(_ call: Call) async throws -> TransactionInfoResponse {
        let session = call.session
        let transaction = try await services.call(PaymentEndpoints.getTransaction, try call.ownTransaction(), for: call)
        guard let identifier = transaction.transactionIdentifier, transaction.isVisible(to: session.deviceId) else {
            throw StoreError.notFound("purchased transaction")
        }
        let found = try await services.call(
            ServerAPIEndpoints.lookup, TransactionLookupRequest(bundleId: session.bundleId, identifier: identifier),
            for: call)
        guard let value = found.transaction else { throw StoreError.notFound("purchased transaction") }
        let signed = try await sign(
            [value], found, try await serverApps.app(session.bundleId), call, at: found.businessNow)
        return TransactionInfoResponse(signedTransactionInfo: signed[0])
    }

    private func signedAppTransaction(_ call: Call) async throws -> AppTransactionInfoResponse {
        let session = call.session
        let found = try await download(of: session.customerIdentifier, in: session.bundleId, call)
        return AppTransactionInfoResponse(
            signedAppTransactionInfo: try await signedAppTransaction(
                found, try await serverApps.app(session.bundleId), call))
    }

    // MARK: Certificates

    private func certificateStatus(_ request: [UInt8], _ call: Call) async throws -> Reply<RawBody> {
        let appStore = try await signing.appStore()
        switch appStore.state.mode {
        case .unavailable:
            throw StoreError(.serviceUnavailable, "the operator has set the OCSP responder to unavailable")
        case .slow: try await Task.sleep(until: call.deadline - Self.beforeDeadline, clock: .continuous)
        case .good, .revoked, .unknown, .stale, .wrongSigner, .malformed: break
        }
        return Reply(
            bytes: try appStore.responder.response(to: request, mode: appStore.state.mode, now: now()),
            contentType: "application/ocsp-response")
    }

    /// The time a slow response leaves for its way to the client.
    private static let beforeDeadline = Duration.milliseconds(100)
}

extension ServerAPISettings: CheckedBody {
    func validate() throws(StoreError) {
        if let appAppleId, appAppleId < 1 { throw .invalid("$.appAppleId", "must be 1 or more") }
        guard environment != .production || appAppleId != nil else {
            throw .invalid("$.appAppleId", "is missing: in Production signed payloads name the app by it")
        }
    }
}
