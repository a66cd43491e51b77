import BusService
import Signing
import StoreModels

/// Reads receipts from clients, and accepts only this store's own.
struct ReceiptReader: Sendable {
    let keys: SigningKeys
    let services: ServiceCaller
    /// The environment of the receipts that this store creates.
    let environment: ReceiptEnvironment

    /// Returns a receipt's purchases and the app's business clock.
    ///
    /// The data is as old as the receipt: it contains nothing bought, refunded or retried since.
    /// - Parameters:
    ///   - receiptData: The receipt in Base64, as from `GET /v1/receipt`.
    ///   - bundleId: The requesting app.
    ///   - context: The context of the request for the clock.
    /// - Throws: ``ReceiptError`` for an invalid receipt, or ``StoreError`` when the clock or the keys cannot be read.
    func history(
        of receiptData: String, bundleId: String, context: CallContext
    ) async throws -> ReceiptHistory {
        let document = try await read(receiptData)
        guard document.environment == environment else { throw ReceiptError.environment }
        guard document.bundleId.isExactly(IsolatedApp.shown(bundleId)) else { throw ReceiptError.bundleId }
        let clock = try await services.call(
            SubscriptionEndpoints.getClock, AppRequest(bundleId: bundleId), context: context)
        // Only subscriptions decide about offers. A receipt's SET has no order, so they are sorted.
        let items = document.purchases.filter { $0.type == .autoRenewable }.map(\.item)
        return ReceiptHistory(items: items.sorted { $0.order < $1.order }, now: clock.now)
    }

    /// Decodes a receipt after verifying its signature.
    /// - Throws: ``ReceiptError`` `malformed` or `signature`, or ``StoreError`` when the keys cannot be read.
    func read(_ receiptData: String) async throws -> ReceiptDocument {
        try await ReceiptVerifier(root: keys.authority().root).verify(receiptData: receiptData)
    }
}

extension ReceiptItem {
    /// Orders by date, then identifier. A shorter decimal is a smaller one.
    fileprivate var order: (Timestamp, Int, String) {
        (purchaseDate, transactionIdentifier.utf8.count, transactionIdentifier)
    }
}

extension ReceiptError {
    /// The error `receiptInvalid` (422), with the reason as a member.
    var problem: StoreError {
        let words =
            switch self {
            case .malformed: "it is not a receipt"
            case .signature: "this store did not sign it, or it was changed since"
            case .bundleId: "it is another app's"
            case .environment: "it is of the other environment"
            }
        return StoreError(.receiptInvalid, words, details: ["reason": .string(rawValue)])
    }
}
