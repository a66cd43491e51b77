import BusService
import HTTPTypes
import Hummingbird
import NIOCore
import Signing
import StoreHTTP
import StoreModels

extension Gateway {
    /// What apps and operators need for the App Store Server API, and the responder that its certificates name.
    var serverAPISettingsRoutes: [Route] {
        [
            Route(AppStoreServerRoutes.settings) { [self] call in
                let bundleId = try call.bundleId()
                try await apps.check(bundleId, call)
                return try await serverApps.settings(of: bundleId)
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
        let bundleId = try call.bundleId()
        let settings = try await call.body(of: AppStoreServerRoutes.putSettings)
        if let number = settings.appAppleId, number < 1 {
            throw StoreError.invalid("$.appAppleId", "must be 1 or more")
        }
        guard settings.environment != .production || settings.appAppleId != nil else {
            throw StoreError.invalid("$.appAppleId", "is missing: in Production signed payloads name the app by it")
        }
        try await apps.check(bundleId, call)
        try await serverApps.put(settings, of: bundleId)
        try await followEnvironment(settings.environment, of: bundleId, call)
        return settings
    }

    // MARK: For apps

    private func signedTransaction(_ call: Call) async throws -> TransactionInfoResponse {
        let session = call.session
        let transaction = try await services.call(
            PaymentEndpoints.getTransaction,
            TransactionRequest(
                bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
                id: try call.parameter(.id, of: "transaction")),
            context: call.context())
        guard let identifier = transaction.transactionIdentifier, transaction.isVisible(to: session.deviceId) else {
            throw StoreError.notFound("purchased transaction")
        }
        let found = try await services.call(
            ServerAPIEndpoints.lookup,
            TransactionLookupRequest(bundleId: session.bundleId, identifier: identifier), context: call.context())
        guard let value = found.transaction else { throw StoreError.notFound("purchased transaction") }
        let signer = try await PayloadSigner(signing, app: try await serverApps.app(session.bundleId))
        return TransactionInfoResponse(
            signedTransactionInfo: try signer.sign(
                signer.transaction(
                    value, appTransactionId: found.appTransactionIdentifier,
                    storefronts: await storefronts.all(call.context()), at: found.businessNow)))
    }

    private func signedAppTransaction(_ call: Call) async throws -> AppTransactionInfoResponse {
        let session = call.session
        let found = try await services.call(
            ServerAPIEndpoints.appTransaction,
            AppTransactionRequest(bundleId: session.bundleId, customerIdentifier: session.customerIdentifier),
            context: call.context())
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
