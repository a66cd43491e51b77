import BusService
import Persistence
import StoreModels

/// Handles `receipt.facts`: a customer's transactions and subscriptions, in pages. Each page is one snapshot.
struct ReceiptService: QueuePart {
    /// Maximum number of items in one page.
    static let pageMax = 500
    /// Maximum number of transactions one page reads, whether the receipt lists them or not.
    static let scanMax = 2_000
    /// Maximum number of subscriptions, which come with the first page.
    static let subscriptionsMax = 100

    let context: QueueContext

    /// Reads one page.
    /// - Throws: `requestInvalid`, or `notFound` for an unknown customer.
    func facts(_ request: ReceiptFactsRequest) async throws -> ReceiptFactsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        guard let after = Int64(request.after ?? "0") else {
            throw StoreError(.requestInvalid, "'after' does not name a page", details: ["path": .string("$.after")])
        }
        let customer = request.customer
        return try await database.read { reader in
            guard let firstSeen = try await CustomerRepository.firstSeen(customer, in: reader) else {
                throw StoreError(.notFound, "no such customer")
            }
            let now = clock.now(try await CustomerRepository.clock(of: customer.bundleId, in: reader))
            var subscriptions: [StoredSubscription] = []
            if request.after == nil {
                subscriptions = try await reader.read(SubscriptionRepository.all(of: customer))
                subscriptions += try await SharedPurchaseRepository.subscriptions(of: customer, in: reader)
                    .compactMap { $0.seen(at: now) }
            }
            let (items, next) = try await Self.items(of: customer, after: after, limit: request.limit, in: reader)
            return ReceiptFactsPage(
                items: items, subscriptions: subscriptions.prefix(Self.subscriptionsMax).map(\.wire), after: next,
                firstSeen: firstSeen, businessNow: now)
        }
    }

    /// Reads the items after a place in the history, and the next page's place.
    ///
    /// A page may be short, because finished consumables and restored transactions are skipped.
    private static func items(
        of customer: CustomerReference, after: Int64, limit: Int, in reader: SQLReader
    ) async throws -> ([ReceiptItem], String?) {
        var (items, position, seen): ([ReceiptItem], Int64, Int) = ([], after, 0)
        while seen < scanMax {
            let rows = try await reader.read(
                TransactionRepository.history(of: customer, after: position, limit: limit))
            seen += rows.count
            for row in rows {
                guard let seq = row.historySeq else { continue }
                if !ReceiptRules.isUsedUp(row), let item = ReceiptRules.item(row) {
                    items.append(item)
                    let page = items.count > limit ? Array(items.prefix(limit)) : try ReplyBudget.fitting(items)
                    if page.count < items.count { return (page, "\(position)") }
                }
                position = seq
            }
            if rows.count < limit { return (items, nil) }
        }
        return (items, "\(position)")
    }
}

extension StoredSubscription {
    /// Returns the subscription as receipts list it, without the facts that only the catalogue has.
    var wire: Subscription {
        with(
            Subscription(
                originalTransactionIdentifier: originalIdentifier, subscriptionGroupIdentifier: paidGroup,
                productIdentifier: product, state: state, willAutoRenew: willAutoRenew,
                autoRenewProductIdentifier: renewProduct, latest: period)
        ) {
            $0.gracePeriodExpiresDate = retry.graceUntil
            $0.priceIncrease = priceIncrease
            $0.expirationReason = expirationReason
            $0.offer = offer?.applied
            ($0.billingPlanType, $0.renewalBillingPlanType) = (plan?.present, plan?.next)
            ($0.commitment, $0.commitmentRenewal) = (plan?.commitment, commitmentRenewal)
        }
    }
}
