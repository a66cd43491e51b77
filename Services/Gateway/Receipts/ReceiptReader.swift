import BusService
import Signing
import StoreModels

/// Reads receipts that customers bring, and believes only this store's own.
struct ReceiptReader: Sendable {
    let keys: SigningKeys
    let services: ServiceCaller
    /// Which receipts this gateway makes.
    let environment: ReceiptEnvironment

    /// What a receipt says of its customer's purchases, and the app's business clock.
    ///
    /// As much as the receipt knew when it was made: nothing that was bought, refunded or retried since.
    /// - Parameters:
    ///   - receiptData: Base64, as `GET /v1/receipt` gives it.
    ///   - bundleId: The app that asks.
    ///   - context: For the question after the clock.
    /// - Throws: ``ReceiptError`` for a receipt that is not believed; ``StoreError`` when the clock or the keys cannot be
    ///   asked.
    func history(
        of receiptData: String, bundleId: String, context: CallContext
    ) async throws -> ReceiptHistory {
        let document = try await read(receiptData)
        guard document.environment == environment else { throw ReceiptError.environment }
        guard document.bundleId.isExactly(bundleId) else { throw ReceiptError.bundleId }
        let clock = try await services.call(
            SubscriptionEndpoints.getClock, AppRequest(bundleId: bundleId), context: context)
        // Only subscriptions decide, and a receipt's SET has no order of its own.
        let items = document.purchases.filter { $0.type == .autoRenewable }.map(\.item)
        return ReceiptHistory(
            items: items.sorted {
                ($0.purchaseDate, $0.transactionIdentifier) < ($1.purchaseDate, $1.transactionIdentifier)
            },
            now: clock.now)
    }

    /// The receipt, once its signature has been verified.
    /// - Throws: ``ReceiptError`` `malformed` or `signature`; ``StoreError`` when the keys cannot be read.
    func read(_ receiptData: String) async throws -> ReceiptDocument {
        try await ReceiptVerifier(root: keys.authority().root).verify(receiptData: receiptData)
    }
}

extension ReceiptError {
    /// 422 `receiptInvalid`, with the reason as a member.
    var problem: StoreError {
        let words =
            switch self {
            case .malformed: "it is no receipt"
            case .signature: "this store did not sign it, or it was changed since"
            case .bundleId: "it is another app's"
            case .environment: "it is of the other environment"
            }
        return StoreError(.receiptInvalid, words, details: ["reason": .string(rawValue)])
    }
}
