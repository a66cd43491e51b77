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
