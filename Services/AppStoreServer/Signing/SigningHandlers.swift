import BusService
import FoundationEssentials
import Signing
import StoreHTTP
import StoreModels

extension AppleServer {
    /// The operator's hand on how the App Store's data is signed.
    var signingRoutes: [ServerRoute] {
        [
            ServerRoute(SigningRoutes.get) { [self] _ in Self.response(try await signing.appStore()) },
            ServerRoute(SigningRoutes.rotate) { [self] call in
                let request = try call.body(of: SigningRoutes.rotate)
                return Self.response(try await signing.rotate(request.authority))
            },
            ServerRoute(SigningRoutes.ocsp) { [self] call in
                let request = try call.body(of: SigningRoutes.ocsp)
                return Self.response(try await signing.setMode(request.mode))
            },
            ServerRoute(SigningRoutes.issue) { [self] in try await issue($0) },
        ]
    }

    private static func response(_ appStore: SigningKeys.AppStore) -> SigningResponse {
        SigningResponse(
            chain: appStore.authority.chainDER.map { Data($0).base64EncodedString() },
            ocsp: .init(mode: appStore.state.mode, url: appStore.authority.ocspURL))
    }

    private func issue(_ call: ServerCall) async throws -> IssueResponse {
        let request = try call.body(of: SigningRoutes.issue)
        let bundleId = try call.bundleId()
        let signer = try await PayloadSigner(signing, app: try await serverApps.app(bundleId))
        let payload = try PayloadSigner.setting(request.set ?? [:], in: try await payload(request, signer, call))
        return IssueResponse(jws: try signer.sign(payload, broken: request.break, at: "$.break"))
    }

    /// Writes the payload that a request names.
    /// - Throws: `notFound`, or `requestInvalid` for one of another kind.
    private func payload(_ request: IssueRequest, _ signer: PayloadSigner, _ call: ServerCall) async throws -> [UInt8] {
        if request.kind == .notification { return try await notification(request, signer, call) }
        let found = try await services.call(
            ServerAPIEndpoints.lookup, TransactionLookupRequest(bundleId: signer.app.bundleId, identifier: request.of),
            for: call)
        let appTransactionId = found.appTransactionIdentifier
        switch request.kind {
        case .appTransaction:
            return try signer.appTransaction(
                found, applicationVersion: await applicationVersion(of: signer.app.bundleId, call))
        case .transaction:
            guard let value = found.transaction else { throw Self.isNone(request, "a transaction") }
            return try signer.transaction(
                value, appTransactionId: appTransactionId, storefronts: await storefronts.all(call.context),
                at: found.businessNow)
        case .renewalInfo:
            let statuses = try await services.call(
                ServerAPIEndpoints.statuses,
                SubscriptionStatusesRequest(
                    bundleId: signer.app.bundleId, customerIdentifier: found.customerIdentifier), for: call)
            let original = found.transaction?.item.originalTransactionIdentifier
            guard
                let value = statuses.subscriptions.first(where: {
                    original.isExactly($0.subscription.originalTransactionIdentifier)
                })
            else { throw Self.isNone(request, "of a subscription") }
            return try signer.renewal(value, appTransactionId: appTransactionId, at: statuses.businessNow)
        case .notification: preconditionFailure("a notification is about no transaction of its own")
        }
    }

    /// Returns the payload of a notification as it was signed.
    private func notification(
        _ request: IssueRequest, _ signer: PayloadSigner, _ call: ServerCall
    ) async throws -> [UInt8] {
        let found = try await notifications.get(
            NotificationRequest(bundleId: signer.app.bundleId, notificationUUID: request.of), call.deadline)
        let parts = found.signedPayload?.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let parts, parts.count == 3, let payload = Base64URL.decode(Substring(parts[1])) else {
            throw StoreError(.internal, "notification \(found.notificationUUID) has no payload")
        }
        return payload
    }

    private static func isNone(_ request: IssueRequest, _ what: String) -> StoreError {
        .invalid("$.of", "is not \(what); a \(request.kind.rawValue) is made of one")
    }
}
