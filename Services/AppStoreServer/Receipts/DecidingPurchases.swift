import BusService
import StoreModels

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
