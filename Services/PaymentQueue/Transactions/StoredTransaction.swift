import Persistence
import ServiceDatabase
import StoreModels

/// A transaction's row: the transaction, its customer, and the state of its processing.
struct StoredTransaction: Hashable, Sendable {
    /// The next step of the service with a transaction.
    enum Phase: String, Sendable {
        /// It waits for another purchase or a renewal to end.
        case waiting
        /// The processor is asked until it replies.
        case charging
        /// The purchase costs nothing: only the second commit is missing.
        case granting
        /// The processor replied with another amount. An operator has to decide.
        case quarantined
        /// Purchased, failed or restored.
        case settled
    }

    var customer: CustomerReference
    /// The transaction, with `deliveries` as of the read.
    @Boxed var transaction: PaymentTransaction
    var phase: Phase
    /// Whether a person has to answer a prompt first. Processes leave `phase` alone until then.
    var awaitsAnswer = false
    var isFinished = false
    /// Whether it is or was deferred.
    var wasDeferred = false
    /// The obstacle a waiting purchase waits for. Until it has ended, sweeps leave the purchase out.
    ///
    /// Nil when several commits may end the waiting, as while a renewal is due. Its `isForPerson` is known to the
    /// commit that planned the purchase, and not stored.
    var obstacle: PurchaseObstacle?
    /// The journal row of its first revision: its place in the customer's queue.
    var createdSeq: Int64
    /// The journal row of its purchase or restore: its place in the customer's history. Nil before that.
    var historySeq: Int64?
    /// Its position among the changes of its customer's purchases. Nil for one that is not purchased.
    var modifiedSeq: Int64?
    /// Its `modifiedSeq` at its refund: its place among the refunds of its customer. Nil for one that is not refunded.
    var refundSeq: Int64?
    /// The agreed terms. Nil while it waits, and for a purchase that failed before them.
    @Boxed var terms: PurchaseTerms?
    /// The quote to plan with again. It is kept while the purchase waits, and when it was interrupted.
    @Boxed var quote: Quote?
    /// The offer request to plan with again, kept like the quote.
    var request: OfferRequest?
    /// The fingerprint of the request that created it (``RequestFingerprint``). Nil for one without an idempotency key.
    var fingerprint: String?
    /// The key of its charge: a renewal's is its period's, a purchase's is made of its `id`.
    var chargeKey: String

    var id: String { transaction.id }

    /// Its position in one of the orders of the App Store Server API.
    func position(in order: ModifiedTransactionsRequest.Order) -> Int64? {
        switch order {
        case .changes: modifiedSeq
        case .refunds: refundSeq
        }
    }

    /// Returns the key of a purchase's charge.
    static func chargeKey(of id: String) -> String { chargeKeyPrefix + id }

    private static let chargeKeyPrefix = "purchase:"

    /// Finds the transaction of a purchase's charge key.
    /// - Returns: Nil for any other key.
    static func id(ofChargeKey key: String) -> String? {
        key.hasPrefix(chargeKeyPrefix) ? String(key.dropFirst(chargeKeyPrefix.count)) : nil
    }

    /// The key of the subscription it pays. Nil also while it waits and nothing is agreed.
    var subscriptionKey: String? { terms?.subscription?.key }

    /// Whether the service has finished its work on it.
    var isAtRest: Bool { phase == .settled || phase == .quarantined || awaitsAnswer }

    /// Whether it is a purchase that gave nothing new: of a product that the customer owned, or a note for a renewal.
    var isOfHeld: Bool { terms?.ownedSince != nil || terms?.change?.isNote == true }

    /// Whether the store has made it by renewing a subscription, also one that a family shares.
    var isRenewal: Bool {
        RenewalAttempt.originalID(ofChargeKey: chargeKey) != nil || terms?.shared?.isRenewal == true
    }

    /// The product's type, if it is a purchase that StoreKit 2 lists.
    var listedType: ProductType? {
        transaction.transactionState == .purchased && !isOfHeld ? terms?.productType : nil
    }

    /// Whether StoreKit 2 has no transaction for its end.
    /// - Parameter keepsQuote: Whether it was interrupted and may be continued.
    func leavesNothing(keepsQuote: Bool) -> Bool {
        guard transaction.payment.returnsOutcome == true else { return false }
        return switch transaction.transactionState {
        case .failed: !keepsQuote
        case .purchased: isOfHeld
        case .purchasing, .deferred, .restored: false
        }
    }

    /// Whether it waits for a person to act, so that requests do not wait.
    var isWithPerson: Bool { isAtRest || obstacle?.isForPerson == true }
}

extension StoredTransaction.Phase: SQLValueConvertible {}

extension StoredTransaction {
    init(_ row: SQLRow) throws {
        let body: String = try row["body"]
        var transaction = try StoredJSON.value(PaymentTransaction.self, body)
        transaction.deliveries = try row["deliveries"]
        let waitsFor: String? = try row["waits_for"]
        let terms: String? = try row["terms"]
        let (quote, request): (String?, String?) = (try row["quote"], try row["offer_request"])
        customer = try CustomerReference(row)
        _transaction = Boxed(wrappedValue: transaction)
        phase = try row["phase"]
        awaitsAnswer = try row["awaits_answer"]
        isFinished = try row["is_finished"]
        wasDeferred = try row["was_deferred"]
        obstacle = waitsFor.map { PurchaseObstacle(id: $0, isForPerson: false) }
        createdSeq = try row["created_seq"]
        historySeq = try row["history_seq"]
        modifiedSeq = try row["modified_seq"]
        refundSeq = try row["refund_seq"]
        _terms = Boxed(wrappedValue: try terms.map { try StoredJSON.value(PurchaseTerms.self, $0) })
        _quote = Boxed(wrappedValue: try quote.map { try StoredJSON.value(Quote.self, $0) })
        self.request = try request.map { try StoredJSON.value(OfferRequest.self, $0) }
        fingerprint = try row["fingerprint"]
        chargeKey = try row["charge_key"]
    }
}

/// Decides which items receipts and the App Store Server API list, without I/O.
enum ReceiptRules {
    /// Whether receipts leave it out, as a finished consumable. The App Store Server API lists it.
    static func isUsedUp(_ stored: StoredTransaction) -> Bool {
        stored.terms?.productType == .consumable && stored.isFinished
    }

    /// Makes the item of a transaction.
    /// - Returns: The item, or nil for a transaction that is not purchased, and for a change that was only noted.
    static func item(_ stored: StoredTransaction) -> ReceiptItem? {
        let value = stored.transaction
        guard value.transactionState == .purchased, let terms = stored.terms, terms.change?.isNote != true,
            let identifier = value.transactionIdentifier, let date = value.transactionDate
        else { return nil }
        let isSubscription = terms.productType == .autoRenewable
        let original = value.original?.transaction
        return with(
            ReceiptItem(
                transactionIdentifier: identifier,
                originalTransactionIdentifier: value.originalTransactionIdentifier ?? identifier,
                productIdentifier: value.payment.productIdentifier, type: terms.productType,
                quantity: value.payment.quantity, purchaseDate: date,
                originalPurchaseDate: original?.transactionDate ?? date, expiresDate: value.expiresDate,
                subscriptionGroupIdentifier: terms.subscription?.group)
        ) {
            $0.webOrderLineItemIdentifier = isSubscription ? lineItem(of: identifier) : nil
            $0.isTrialPeriod = value.isTrialPeriod
            $0.isInIntroOfferPeriod = value.isInIntroOfferPeriod
            $0.isUpgraded = value.isUpgraded
            $0.cancellationDate = value.revocationDate
            $0.cancellationReason = value.revocationReason
            $0.revocationType = value.revocationType
            $0.revocationPercentage = value.revocationPercentage
            $0.offer = value.offer
            $0.appAccountToken = value.payment.appAccountToken
            $0.isFamilyShared = value.isFamilyShared
            $0.billingPlanType = terms.subscription?.billingPlan
            $0.commitment = value.commitment
        }
    }

    /// Returns the line item of a period: decimal digits that never change.
    ///
    /// It never equals a transaction's identifier: those begin at 2 000 000 000 000 000, line items at 1 000 000 000
    /// 000 000 (our choice).
    static func lineItem(of identifier: String) -> String? {
        Int64(identifier).map { "\($0 - 1_000_000_000_000_000)" }
    }
}

extension ServerTransaction {
    /// Makes the content of a signed transaction.
    /// - Parameter storefront: The customer's, for purchases that were stored without one.
    /// - Returns: Nil for a transaction that every list leaves out.
    init?(_ stored: StoredTransaction, storefront: String) {
        guard let item = ReceiptRules.item(stored) else { return nil }
        self.init(
            item: item, price: stored.transaction.price, storefront: stored.terms?.storefront ?? storefront,
            reason: stored.isRenewal ? .renewal : .purchase,
            modifiedSeq: stored.modifiedSeq ?? 0)
    }
}

/// Keeps a large value on the heap, because its owner is passed through many calls.
///
/// Copies share it until one of them is changed.
@propertyWrapper
struct Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    private var storage: Storage

    /// Unchecked, because the value is changed only while one reference to it is left.
    private final class Storage: @unchecked Sendable {
        var value: Value

        init(_ value: Value) { self.value = value }
    }

    init(wrappedValue: Value) { storage = Storage(wrappedValue) }

    var wrappedValue: Value {
        _read { yield storage.value }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
            yield &storage.value
        }
    }

    static func == (left: Boxed, right: Boxed) -> Bool {
        left.storage === right.storage || left.storage.value == right.storage.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(storage.value) }
}
