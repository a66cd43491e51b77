import BusService
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `transaction.viewed` and `transaction.outcomes`: a customer's purchases as StoreKit 2 lists them.
extension ServerAPIService {
    /// Reads a page of a customer's purchases, newest first.
    /// - Throws: `requestInvalid`, or `notFound` for an unknown customer.
    func viewed(_ request: ViewedTransactionsRequest) async throws -> ViewedTransactions {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        return try await database.read { reader in
            guard let customer = try await CustomerRepository.find(request.customer, in: reader) else {
                throw Self.unknownCustomer
            }
            let found = try await download(of: customer.id, in: reader)
            // An account token of a finished transaction, and its deletion, move the second number only.
            var page = ViewedTransactions(
                customer: found.reply, seq: customer.headSeq, revision: "\(customer.headSeq)-\(customer.modifiedSeq)",
                isUnchanged: false, transactions: [])
            if let known = request.revision, known.utf8.elementsEqual(page.revision.utf8) {
                page.isUnchanged = true
                return page
            }
            let view = PurchaseView(request)
            let rows =
                switch request.view {
                case .all, .unfinished: try await view.scan(in: reader)
                case .entitlements: try await view.entitlements(in: reader)
                case .latest: try await view.newest(in: reader)
                }
            for row in rows.rows.prefix(request.limit) {
                if let value = ServerTransaction(row, storefront: found.storefront) { page.transactions.append(value) }
            }
            page.transactions = try ReplyBudget.fitting(page.transactions)
            let last = rows.rows.prefix(page.transactions.count).last
            if page.transactions.count < rows.rows.count {
                page.after = last.flatMap(view.position)
            } else {
                page.after = rows.after
            }
            return page
        }
    }

    /// Reads what payments have bought, or found the customer to hold.
    /// - Throws: `requestInvalid`, or `notFound` for an unknown customer.
    func outcomes(_ request: PaymentOutcomesRequest) async throws -> PaymentOutcomes {
        guard request.ids.count <= Self.pageMax else {
            throw StoreError(
                .requestInvalid, "ids must be 0 to \(Self.pageMax), not \(request.ids.count)",
                details: ["path": .string("$.ids")])
        }
        return try await database.read { reader in
            let customer = request.customer
            let found = try await download(of: customer, in: reader)
            let payments = try await Self.read(
                request.ids.map { TransactionRepository.find($0, of: customer) }, in: reader
            ).compactMap { $0 }
            var outcomes: [PaymentOutcome] = []
            for (payment, shown) in zip(payments, try await Self.shown(payments, of: customer, in: reader)) {
                guard let shown, let value = ServerTransaction(shown, storefront: found.storefront) else { continue }
                outcomes.append(
                    PaymentOutcome(
                        id: payment.id, transaction: value, isHeld: !shown.id.isExactly(payment.id),
                        wasDeferred: payment.wasDeferred))
            }
            return PaymentOutcomes(customer: found.reply, outcomes: outcomes)
        }
    }

    /// Finds the transactions that payments have bought, or that the customer holds. Equal places belong together.
    /// - Returns: Nil for a payment that has neither, and for what was deleted since.
    private static func shown(
        _ payments: [StoredTransaction], of customer: CustomerReference, in reader: SQLReader
    ) async throws -> [StoredTransaction?] {
        var subscriptions = KnownSubscriptions()
        if payments.contains(where: { $0.outcome == .subscription }) {
            let (all, paid) = (SubscriptionRepository.all(of: customer), SubscriptionGroupRepository.all(of: customer))
            let rows = try await reader.start([all.key, paid.key]).rows()
            subscriptions = KnownSubscriptions(
                all: try all.answer(rows[all.key] ?? []), paid: try paid.answer(rows[paid.key] ?? []))
        }
        let lookups = payments.map { payment -> SQLLookup<StoredTransaction?>? in
            switch payment.outcome {
            case nil, .own: return nil
            case .owned(let identifier): return TransactionRepository.find(identifier: identifier, of: customer)
            case .subscription:
                return subscriptions.subscription(of: payment).map {
                    TransactionRepository.find($0.period.transactionID, of: customer)
                }
            }
        }
        let held = try await read(lookups.compactMap { $0 }, in: reader)
        var next = held.startIndex
        return zip(payments, lookups).map { payment, lookup in
            guard lookup != nil else { return payment.outcome == .own ? payment : nil }
            defer { next += 1 }
            return held[next]
        }
    }

    /// Reads transactions in one round trip.
    private static func read(
        _ lookups: [SQLLookup<StoredTransaction?>], in reader: SQLReader
    ) async throws -> [StoredTransaction?] {
        guard !lookups.isEmpty else { return [] }
        let rows = try await reader.start(lookups.map(\.key)).rows()
        return try lookups.map { try $0.answer(rows[$0.key] ?? []) }
    }
}

extension StoredTransaction {
    /// The purchase that is the outcome of a payment.
    fileprivate enum Outcome: Hashable {
        /// The payment's own.
        case own
        /// The purchase by which the customer owns the product, by its `transactionIdentifier`.
        case owned(String)
        /// The present or last period of the customer's subscription.
        case subscription
    }

    /// Nil for a payment that has bought nothing, and found nothing that the customer holds.
    fileprivate var outcome: Outcome? {
        switch transaction.transactionState {
        case .purchasing, .deferred, .restored: return nil
        case .purchased:
            if let identifier = terms?.ownedSince { return .owned(identifier) }
            return isOfHeld ? .subscription : .own
        case .failed: return transaction.error?.isAlreadySubscribed == true ? .subscription : nil
        }
    }
}

/// A customer's subscriptions, with the products that each was paid for.
private struct KnownSubscriptions {
    var all: [StoredSubscription] = []
    var paid: [SubscriptionGroupRepository.Row] = []

    /// Finds the subscription that a payment has found, also if it has another product now.
    func subscription(of payment: StoredTransaction) -> StoredSubscription? {
        if let key = payment.subscriptionKey { return all.first { $0.group.isExactly(key) } }
        // A payment that failed as already subscribed has no terms. Its product was the subscription's, or its next.
        let product = payment.transaction.payment.productIdentifier
        if let present = all.first(where: { $0.product.isExactly(product) }) { return present }
        if let scheduled = all.first(where: { $0.productAfterwards.isExactly(product) }) { return scheduled }
        let earlier = paid.filter { $0.product.isExactly(product) }
        return all.first { known in earlier.contains { $0.originalID.isExactly(known.originalID) } }
    }
}

/// One view of a customer's purchases, from a place on. Purchases that gave nothing new are in none.
private struct PurchaseView {
    let request: ViewedTransactionsRequest

    /// Purchases, newest first, at most one more than the page has, and the place behind them if more may follow.
    typealias Rows = (rows: [StoredTransaction], after: Int64?)

    init(_ request: ViewedTransactionsRequest) { self.request = request }

    private var wanted: Int { request.limit + 1 }
    private var before: Int64 { request.after ?? .max }

    /// A purchase's place in the view.
    func position(_ stored: StoredTransaction) -> Int64? {
        request.view == .unfinished ? stored.createdSeq : stored.historySeq
    }

    /// Reads all purchases, or the unfinished ones.
    func scan(in reader: SQLReader) async throws -> Rows {
        var filter = ServerTransactionFilter()
        filter.leavesOutFinishedConsumables = request.view == .all && request.hasFinishedConsumables != true
        var (rows, seen, place): ([StoredTransaction], Int, Int64) = ([], 0, before)
        while seen < ServerAPIService.scanMax {
            let read = try await PurchaseViewRepository.purchased(
                request.customer, product: request.productIdentifier, before: place,
                isUnfinished: request.view == .unfinished, limit: ServerAPIService.pageMax, in: reader)
            for row in read {
                place = position(row) ?? place
                guard let item = ReceiptRules.item(row), filter.matches(item, isFinished: row.isFinished) else {
                    continue
                }
                rows.append(row)
                if rows.count == wanted { return (rows, nil) }
            }
            seen += read.count
            if read.count < ServerAPIService.pageMax { return (rows, nil) }
        }
        return (rows, place)
    }

    /// Reads the newest purchase of each product.
    func newest(in reader: SQLReader) async throws -> Rows {
        let rows = try await PurchaseViewRepository.newest(
            request.customer, product: request.productIdentifier, isEntitlement: false, before: before, limit: wanted,
            in: reader)
        return (rows, nil)
    }

    /// Reads the purchases that give the customer access now.
    func entitlements(in reader: SQLReader) async throws -> Rows {
        let (customer, product) = (request.customer, request.productIdentifier)
        let held = try await PurchaseViewRepository.held(
            customer, product: product, before: before, limit: wanted, in: reader)
        let others = try await PurchaseViewRepository.newest(
            customer, product: product, isEntitlement: true, before: before, limit: wanted, in: reader)
        let rows = (held + others).sorted { ($0.historySeq ?? 0) > ($1.historySeq ?? 0) }
        return (Array(rows.prefix(wanted)), nil)
    }
}

/// Reads a customer's purchases before a place, newest first.
private enum PurchaseViewRepository {
    /// Reads all purchases.
    /// - Parameter isUnfinished: Whether to read unfinished ones only, whose place is `created_seq`.
    static func purchased(
        _ customer: CustomerReference, product: String?, before: Int64, isUnfinished: Bool, limit: Int,
        in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        let place = isUnfinished ? "created_seq" : "history_seq"
        return try await reader.query(
            """
            SELECT * FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND \(place) < ? AND listed_type IS NOT NULL
                \(isUnfinished ? "AND is_finished = 0" : "")
                \(product == nil ? "" : "AND product_identifier = ?")
            ORDER BY \(place) DESC LIMIT ?
            """,
            arguments: [customer.bundleId, customer.customerIdentifier, before] + (product.map { [$0] } ?? [])
                + [limit]
        ).map(StoredTransaction.init)
    }

    /// Reads the newest purchase of each product.
    ///
    /// The engine looks through all purchases of the customer, and returns the page alone.
    /// - Parameter isEntitlement: Whether to read non-renewing subscriptions that were not taken back only.
    static func newest(
        _ customer: CustomerReference, product: String?, isEntitlement: Bool, before: Int64, limit: Int,
        in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        let condition =
            isEntitlement ? "listed_type = 'nonRenewable' AND is_taken_back = 0" : "listed_type IS NOT NULL"
        let (bundleId, identifier) = (customer.bundleId, customer.customerIdentifier)
        var arguments: [any SQLValueConvertible] = [bundleId, identifier, before, bundleId, identifier]
        if let product { arguments.append(product) }
        arguments.append(limit)
        return try await reader.query(
            """
            SELECT * FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND history_seq < ? AND history_seq IN (
                SELECT MAX(history_seq) FROM payment_transaction
                WHERE bundle_id = ? AND customer_identifier = ? AND history_seq IS NOT NULL AND \(condition)
                    \(product == nil ? "" : "AND product_identifier = ?")
                GROUP BY product_identifier)
            ORDER BY history_seq DESC LIMIT ?
            """, arguments: arguments
        ).map(StoredTransaction.init)
    }

    /// Reads the purchases by which the customer owns non-consumables, and the present ones of active subscriptions.
    /// Those that the customer's family shares are among them.
    static func held(
        _ customer: CustomerReference, product: String?, before: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        let (bundleId, identifier) = (customer.bundleId, customer.customerIdentifier)
        var arguments: [any SQLValueConvertible] = [
            bundleId, identifier, bundleId, identifier, bundleId, identifier, before,
        ]
        if let product { arguments.append(product) }
        arguments.append(limit)
        return try await reader.query(
            """
            SELECT t.* FROM (
                SELECT transaction_id AS id FROM owned_product WHERE bundle_id = ? AND customer_identifier = ?
                UNION ALL
                SELECT active_id AS id FROM subscription
                WHERE bundle_id = ? AND customer_identifier = ? AND state IN ('subscribed', 'inGracePeriod')
                UNION ALL
                SELECT s.transaction_id AS id FROM shared_purchase s
                LEFT JOIN subscription u ON u.original_id = s.buyer_original AND u.active_id = s.buyer_transaction
                WHERE s.bundle_id = ? AND s.customer_identifier = ? AND s.is_revoked = 0
                    AND (s.buyer_original IS NULL OR u.state IN ('subscribed', 'inGracePeriod'))
            ) AS held JOIN payment_transaction t ON t.id = held.id
            WHERE t.history_seq < ? AND t.listed_type IS NOT NULL AND t.is_taken_back = 0
                \(product == nil ? "" : "AND t.product_identifier = ?")
            ORDER BY t.history_seq DESC LIMIT ?
            """, arguments: arguments
        ).map(StoredTransaction.init)
    }
}
