import Hummingbird
import Signing

/// What `verifyReceipt` says when it does not say 0 (Apple, "status").
///
/// 21001 is no longer sent by Apple, 21006 only for receipts of iOS 6, which this store never makes; 21100 to 21199 are
/// Apple's own faults, ours are 21009.
enum VerifyReceiptStatus: Int, Error, CaseIterable {
    /// The request is no POST.
    case notPost = 21000
    /// `receipt-data` is missing or no receipt.
    case malformed = 21002
    /// The signature is not this store's, or the receipt was changed.
    case notAuthenticated = 21003
    /// The password is none of the app's shared secrets.
    case sharedSecretMismatch = 21004
    /// PaymentQueue is away; the same request may succeed later.
    case unavailable = 21005
    case sandboxReceiptInProduction = 21007
    case productionReceiptInSandbox = 21008
    /// A fault of ours; the log has it.
    case fault = 21009
    /// The customer is unknown, or was cleared.
    case accountNotFound = 21010

    /// `{"status":21002}`, with HTTP's 200 as Apple does it.
    func response() throws -> Response { try Reply.json(["status": rawValue]) }

    init(_ error: ReceiptError) {
        self = error == .malformed ? .malformed : .notAuthenticated
    }

    /// A receipt of the wrong endpoint.
    static func wrongEndpoint(for receipt: ReceiptEnvironment) -> VerifyReceiptStatus {
        switch receipt {
        case .sandbox: .sandboxReceiptInProduction
        case .production: .productionReceiptInSandbox
        }
    }
}
