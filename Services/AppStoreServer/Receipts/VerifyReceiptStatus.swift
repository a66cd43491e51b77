import Signing
import StoreHTTP

/// Statuses of `verifyReceipt` other than 0 (Apple, "status").
///
/// The gateway answers 21000 to a request that is not a POST. Apple no longer sends 21001, and 21006 only for receipts of iOS 6, which this store never creates. 21100 to 21199
/// are Apple's internal errors, and this store's are 21009.
enum VerifyReceiptStatus: Int, Error, CaseIterable {
    /// `receipt-data` is missing or not a receipt.
    case malformed = 21002
    /// The signature is not this store's, or the receipt was changed.
    case notAuthenticated = 21003
    /// The password is not one of the app's shared secrets.
    case sharedSecretMismatch = 21004
    /// A service is away. The same request may succeed later.
    case unavailable = 21005
    case sandboxReceiptInProduction = 21007
    case productionReceiptInSandbox = 21008
    /// An internal error. The log has the details.
    case fault = 21009
    /// The customer is unknown, or was cleared.
    case accountNotFound = 21010

    /// The response `{"status":21002}`, with HTTP's 200 as Apple does it.
    var response: VerifyReceiptResponse { VerifyReceiptResponse(status: rawValue) }

    init(_ error: ReceiptError) {
        self = error == .malformed ? .malformed : .notAuthenticated
    }

    /// Status for a receipt of the wrong endpoint.
    static func wrongEndpoint(for receipt: ReceiptEnvironment) -> VerifyReceiptStatus {
        switch receipt {
        case .sandbox: .sandboxReceiptInProduction
        case .production: .productionReceiptInSandbox
        }
    }
}
