import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes that AppStoreServer answers: Apple's paths, receipts, certificates, and the operator's hand on them.
struct AppStoreArea: Area {
    let services: ServiceCaller
    let directories: Directories

    var routes: [Route] {
        serverAPIRoutes + certificateRoutes + unbuiltRoutes + [
            services.passThrough(AppStoreServerRoutes.settings, app: directories.existingApp),
            services.passThrough(
                AppStoreServerRoutes.putSettings, app: directories.existingApp,
                changed: { directories.trust.forget($0) }),
            services.passThrough(AppStoreServerRoutes.faults, app: directories.existingApp),
            services.passThrough(AppStoreServerRoutes.addFault, app: directories.existingApp),
            services.passThrough(AppStoreServerRoutes.removeFaults, app: directories.existingApp),
            services.passThrough(AppStoreServerRoutes.signedTransaction),
            services.passThrough(AppStoreServerRoutes.signedAppTransaction),
            services.passThrough(SignedRoutes.transactions),
            services.passThrough(SignedRoutes.subscriptions),
            services.passThrough(SigningRoutes.get),
            services.passThrough(SigningRoutes.rotate),
            services.passThrough(SigningRoutes.ocsp),
            services.passThrough(SigningRoutes.issue, isRead: true, app: directories.existingApp),
        ]
    }

    /// The App Store Server API. The service verifies the token, where the key is.
    private var serverAPIRoutes: [Route] {
        [
            services.passThrough(AppStoreServerRoutes.transaction),
            services.passThrough(AppStoreServerRoutes.history),
            services.passThrough(AppStoreServerRoutes.historyV1),
            services.passThrough(AppStoreServerRoutes.statuses),
            services.passThrough(AppStoreServerRoutes.refunds),
            services.passThrough(AppStoreServerRoutes.refundsV1),
            services.passThrough(AppStoreServerRoutes.order),
            services.passThrough(AppStoreServerRoutes.appTransaction),
            services.passThrough(AppStoreServerRoutes.extend),
            services.passThrough(AppStoreServerRoutes.extendAll),
            services.passThrough(AppStoreServerRoutes.extensions),
            services.passThrough(AppStoreServerRoutes.appAccountToken),
            services.passThrough(AppStoreServerRoutes.consumption),
            services.passThrough(AppStoreServerRoutes.consumptionV1),
            services.passThrough(AppStoreServerRoutes.finish),
            services.passThrough(AppStoreServerRoutes.notificationHistory, isRead: true),
            services.passThrough(AppStoreServerRoutes.testNotification),
            services.passThrough(AppStoreServerRoutes.testNotificationStatus),
        ]
    }

    /// The routes of Apple's server libraries that this version does not implement. Each responds 501 `notImplemented`
    /// and names the alternative, so that a client can distinguish a missing feature from a misspelt path.
    private var unbuiltRoutes: [Route] {
        AppStoreServerRoutes.messaging.map { endpoint in
            Route(
                notBuilt: endpoint.route,
                "this store has no retention messaging; the rest of the App Store Server API is built")
        }
    }

    /// Apple's status for a request that is not a POST.
    private static let notPost = 21000
    /// Apple's status for a body that is not a receipt.
    private static let receiptMalformed = 21002
    /// Apple's status for a request that may succeed later.
    private static let receiptServerUnavailable = 21005

    private func verifyReceipt(_ call: Call) async throws -> Response {
        let bytes = try await call.bodyBytes()
        do {
            return try await services.passOn(bytes, of: ReceiptRoutes.verify, isRead: true, about: nil, call)
        } catch let error as StoreError where error.code == .bodyTooLarge {
            // Bytes that are no text, or that JSON has to escape, may not fit into a message.
            return try Reply(VerifyReceiptResponse(status: Self.receiptMalformed)).response
        } catch let error as StoreError where error.meansAway || error.leavesOutcomeUnknown {
            return try Reply(VerifyReceiptResponse(status: Self.receiptServerUnavailable)).response
        }
    }

    private var certificateRoutes: [Route] {
        [
            services.passThrough(AppStoreServerRoutes.certificateStatus, isRead: true),
            services.passThrough(AppStoreServerRoutes.certificateStatusByGet),
            services.passThrough(ReceiptRoutes.root),
            Route(passing: ReceiptRoutes.verify) { try await verifyReceipt($0) },
            // Apple's server answers every method. A status in the body says that POST is required.
            Route(ReceiptRoutes.verifyByGet) { _ in VerifyReceiptResponse(status: Self.notPost) },
            // A tester's refreshes may fail.
            services.passThrough(
                ReceiptRoutes.get,
                app: { call in
                    try await directories.accounts.customer(call).checkMayRefreshReceipt()
                    return call.session.bundleId
                }),
        ]
    }
}
