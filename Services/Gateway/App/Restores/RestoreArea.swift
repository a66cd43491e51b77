import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes by which an app restores its customer's purchases.
struct RestoreArea: Area {
    let services: ServiceCaller

    var routes: [Route] {
        [
            Route(RestoreRoutes.start) { try await startRestore($0) },
            services.forward(RestoreRoutes.get, to: PaymentEndpoints.getRestore) {
                RestoreRequest(of: $0.session, try $0.parameter(.restoreIdentifier, of: "restore"))
            },
        ]
    }

    /// Starts restoring the customer's purchases on this device. The stream sends the transactions and the end.
    ///
    /// The response to the same key is the same however far the restore is, and does not contain its end. So it never
    /// has `Idempotent-Replayed`, which is for responses stored when an operation ended.
    /// - Throws: `outcomeUnknown` when the request was sent but no reply says whether it was accepted. The same key is
    ///   safe.
    private func startRestore(_ call: Call) async throws -> Reply<RestoreAccepted> {
        let key = try IdempotencyKey.read(call.request.headers)
        let body = try await call.body(of: RestoreRoutes.start)
        let session = call.session
        let request = StartRestoreRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            requestIdentifier: key, applicationUsername: body.applicationUsername)
        let restore = try await services.call(
            PaymentEndpoints.startRestore, request, for: call, idempotencyKey: key,
            else: "the restore was requested, but it is not known whether it has begun")
        return try Reply(RestoreAccepted(restoreIdentifier: restore.restoreIdentifier), status: .accepted)
    }
}

extension RestoreRequest {
    /// Creates a restore for a session's device.
    init(of session: Session, _ restoreIdentifier: String) {
        self.init(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            restoreIdentifier: restoreIdentifier)
    }
}

extension NewRestore: CheckedBody {
    package func validate() throws(StoreError) {
        if let applicationUsername { try Identifier.check(applicationUsername, at: "$.applicationUsername") }
    }
}
