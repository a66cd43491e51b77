import BusService
import Signing
import StoreHTTP
import StoreModels

/// Handles `POST /verifyReceipt`, from the body to the response.
struct ReceiptVerification: Sendable {
    typealias Making = @Sendable (CustomerReference, ReceiptContents) async throws -> String

    enum Outcome {
        case valid(VerifiedReceipt)
        case refused(VerifyReceiptStatus)

        var response: VerifyReceiptResponse {
            switch self {
            case .valid(let receipt): VerifyReceiptResponse(receipt.json)
            case .refused(let status): status.response
            }
        }
    }

    let reader: ReceiptReader
    let keys: KeyStore
    /// Environment of the called endpoint.
    let environment: ReceiptEnvironment
    /// The isolated store of the request.
    let store: IsolatedApp?

    /// Verifies the receipt of a request body. It never throws: every error is a status.
    /// - Parameter makeReceipt: Creates the customer's current receipt, `latest_receipt`.
    func answer(to body: [UInt8], context: CallContext, _ makeReceipt: Making) async -> Outcome {
        do {
            return .valid(try await verify(VerifyReceiptRequest(body), context, makeReceipt))
        } catch let status as VerifyReceiptStatus {
            return .refused(status)
        } catch let error as ReceiptError {
            return .refused(VerifyReceiptStatus(error))
        } catch let error as StoreError {
            return .refused(Self.status(error))
        } catch {
            return .refused(.fault)
        }
    }

    private func verify(
        _ request: VerifyReceiptRequest, _ context: CallContext, _ makeReceipt: Making
    ) async throws -> VerifiedReceipt {
        let document = try await reader.read(request.receiptData)
        guard document.environment == environment else {
            throw VerifyReceiptStatus.wrongEndpoint(for: document.environment)
        }
        let store = store.flatMap { $0.shownBundleId.isExactly(document.bundleId) ? $0 : nil }
        let customer = CustomerReference(
            bundleId: store?.bundleId ?? document.bundleId, customerIdentifier: document.customerIdentifier)
        let contents = try await ReceiptContents(of: customer, services: reader.services, context: context)
        let hasSubscriptions =
            document.purchases.contains { $0.type == .autoRenewable }
            || contents.items.contains { $0.type == .autoRenewable }
        if hasSubscriptions {
            guard try await keys.accepts(sharedSecret: request.password, of: customer.bundleId) else {
                throw VerifyReceiptStatus.sharedSecretMismatch
            }
        }
        return VerifiedReceipt(
            document: document, contents: contents,
            latestReceipt: hasSubscriptions ? try await makeReceipt(customer, contents) : nil,
            excludesOldTransactions: request.excludesOldTransactions)
    }

    private static func status(_ error: StoreError) -> VerifyReceiptStatus {
        switch error.code {
        case .notFound: .accountNotFound
        case .serviceUnavailable, .deadlineExceeded, .outcomeUnknown: .unavailable
        default: .fault
        }
    }
}

/// The body of `POST /verifyReceipt`. Unknown members are ignored, as Apple does.
///
/// ```json
/// {"receipt-data":"MIIT…","password":"7d1f…","exclude-old-transactions":true}
/// ```
struct VerifyReceiptRequest {
    let receiptData: String
    let password: String?
    /// Limits the response to the latest transaction of each subscription.
    let excludesOldTransactions: Bool

    /// - Throws: `malformed` for a body without `receipt-data`.
    init(_ bytes: [UInt8]) throws(VerifyReceiptStatus) {
        guard let document = try? StrictJSON.parse(bytes), let receiptData = document["receipt-data"]?.stringValue
        else {
            throw .malformed
        }
        self.receiptData = receiptData
        password = document["password"]?.stringValue
        excludesOldTransactions =
            document["exclude-old-transactions"]?.boolValue
            ?? (document["exclude-old-transactions"]?.stringValue?.lowercased() == "true")
    }
}

/// Statuses of `verifyReceipt` other than 0 (Apple, "status").
///
/// The gateway answers 21000 to a request that is not a POST. Apple no longer sends 21001, and 21006 only for receipts
/// of iOS 6, which this store never creates. 21100 to 21199 are Apple's internal errors, and this store's are 21009.
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
