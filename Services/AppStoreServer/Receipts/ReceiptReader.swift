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
        let clock = try await readClock(of: bundleId, context)
        // Only the customer's own subscriptions decide about offers. A receipt's SET has no order, so they are sorted.
        let items = document.purchases.filter { $0.type == .autoRenewable && $0.isFamilyShared != true }.map(\.item)
        return ReceiptHistory(items: items.sorted { $0.order < $1.order }, now: clock.now)
    }

    /// - Throws: The error of the call, which says that PaymentQueue is the missing service.
    private func readClock(of bundleId: String, _ context: CallContext) async throws(StoreError) -> AppClockState {
        do {
            return try await services.call(
                SubscriptionEndpoints.getClock, AppRequest(bundleId: bundleId), context: context)
        } catch {
            throw with(error) { $0.missingService = .paymentQueue }
        }
    }

    /// Decodes a receipt after verifying its signature.
    /// - Throws: ``ReceiptError`` `malformed` or `signature`, or ``StoreError`` when the keys cannot be read.
    func read(_ receiptData: String) async throws -> ReceiptDocument {
        try ReceiptVerifier(root: await keys.authority().root).verify(receiptData: receiptData)
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

extension ReceiptHistory {
    /// Returns the same history with only the purchases that decide about introductory offers.
    ///
    /// A receipt may have hundreds of renewals. Of each subscription, in each product and group, at most four decide. A
    /// purchase with identifiers of 100 letters has less than 700 bytes, so a reply has room for 650.
    /// - Precondition: The purchases are in order, oldest first.
    /// - Throws: `bodyTooLarge` for more than a reply has room for.
    func deciding() throws -> ReceiptHistory {
        var found: [PurchaseKey: Deciding] = [:]
        for (index, item) in items.enumerated() {
            found[PurchaseKey(item), default: Deciding()].add(item, at: index, now: now)
        }
        let kept = Set(found.values.flatMap(\.indices)).sorted().map { items[$0] }
        guard try ReplyBudget.fitting(kept).count == kept.count else {
            throw StoreError(.bodyTooLarge, "the receipt has too many subscriptions to decide about")
        }
        return ReceiptHistory(items: kept, now: now, renewals: renewals)
    }
}

/// A subscription in one of its products, in one of the product's groups.
private struct PurchaseKey: Hashable {
    @ExactText var originalTransactionIdentifier: String
    @ExactText var productIdentifier: String
    @ExactText var group: String

    init(_ item: ReceiptItem) {
        originalTransactionIdentifier = item.originalTransactionIdentifier
        productIdentifier = item.productIdentifier
        group = item.subscriptionGroupIdentifier ?? ""
    }
}

/// The purchases of a place that decide, by their indices.
private struct Deciding {
    private var latest: Int?
    /// The latest one that was neither revoked nor replaced by an upgrade.
    private var latestKept: Int?
    private var firstWithOffer: Int?
    /// The first one that gives access now.
    private var firstActive: Int?

    var indices: [Int] { [latest, latestKept, firstWithOffer, firstActive].compactMap(\.self) }

    /// Adds a purchase that is later than those before.
    mutating func add(_ item: ReceiptItem, at index: Int, now: Timestamp) {
        latest = index
        if item.usedIntroductoryOffer, firstWithOffer == nil { firstWithOffer = index }
        guard item.cancellationDate == nil, item.isUpgraded != true else { return }
        latestKept = index
        if let end = item.expiresDate, end > now, firstActive == nil { firstActive = index }
    }
}
