import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// What AppStoreServer answers: Apple's paths, receipts, certificates, and the operator's hand on them.
    var appStoreRoutes: [Route] {
        serverAPIRoutes + certificateRoutes + [
            passThrough(AppStoreServerRoutes.settings, app: existingApp),
            passThrough(AppStoreServerRoutes.putSettings, app: existingApp),
            passThrough(AppStoreServerRoutes.faults, app: existingApp),
            passThrough(AppStoreServerRoutes.addFault, app: existingApp),
            passThrough(AppStoreServerRoutes.removeFaults, app: existingApp),
            passThrough(AppStoreServerRoutes.signedTransaction),
            passThrough(AppStoreServerRoutes.signedAppTransaction),
            passThrough(SigningRoutes.get), passThrough(SigningRoutes.rotate), passThrough(SigningRoutes.ocsp),
            passThrough(SigningRoutes.issue, app: existingApp),
        ]
    }

    /// The App Store Server API. The service verifies the token, where the key is.
    private var serverAPIRoutes: [Route] {
        [
            passThrough(AppStoreServerRoutes.transaction), passThrough(AppStoreServerRoutes.history),
            passThrough(AppStoreServerRoutes.historyV1), passThrough(AppStoreServerRoutes.statuses),
            passThrough(AppStoreServerRoutes.refunds), passThrough(AppStoreServerRoutes.refundsV1),
            passThrough(AppStoreServerRoutes.order), passThrough(AppStoreServerRoutes.appTransaction),
            passThrough(AppStoreServerRoutes.extend), passThrough(AppStoreServerRoutes.extendAll),
            passThrough(AppStoreServerRoutes.extensions), passThrough(AppStoreServerRoutes.appAccountToken),
            passThrough(AppStoreServerRoutes.consumption), passThrough(AppStoreServerRoutes.consumptionV1),
            passThrough(AppStoreServerRoutes.finish), passThrough(AppStoreServerRoutes.notificationHistory),
            passThrough(AppStoreServerRoutes.testNotification),
            passThrough(AppStoreServerRoutes.testNotificationStatus),
        ]
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
            return try await passOn(bytes, of: ReceiptRoutes.verify, about: nil, call)
        } catch let error as StoreError where error.code == .bodyTooLarge {
            // Bytes that are no text, or that JSON has to escape, may not fit into a message.
            return try Reply(VerifyReceiptResponse(status: Self.receiptMalformed)).response
        } catch let error as StoreError where error.meansAway || error.leavesOutcomeUnknown {
            return try Reply(VerifyReceiptResponse(status: Self.receiptServerUnavailable)).response
        }
    }

    private var certificateRoutes: [Route] {
        [
            passThrough(AppStoreServerRoutes.certificateStatus),
            passThrough(AppStoreServerRoutes.certificateStatusByGet), passThrough(ReceiptRoutes.root),
            Route(passing: ReceiptRoutes.verify) { [self] in try await verifyReceipt($0) },
            // Apple's server answers every method. A status in the body says that POST is required.
            Route(ReceiptRoutes.verifyByGet) { _ in VerifyReceiptResponse(status: Self.notPost) },
            // A tester's refreshes may fail.
            passThrough(ReceiptRoutes.get) { [self] call in
                try await accounts.customer(call).checkMayRefreshReceipt()
                return call.session.bundleId
            },
        ]
    }
}
