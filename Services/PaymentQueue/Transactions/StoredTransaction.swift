import Persistence
import ServiceDatabase
import StoreModels

/// A transaction's row: the transaction, its customer, and the state of its processing.
struct StoredTransaction: Hashable, Sendable {
    /// What the service does next with a transaction.
    enum Phase: String, Sendable {
        /// It waits for another purchase or a renewal to end.
        case waiting
        /// The processor is asked until it replies.
        case charging
        /// Nothing has to be paid: only the second commit is missing.
        case granting
        /// The processor replied with another amount. An operator has to decide.
        case quarantined
        /// Purchased, failed or restored.
        case settled
    }

    var customer: CustomerReference
    /// The transaction, with `deliveries` as of the read.
    var transaction: PaymentTransaction
    var phase: Phase
    /// Whether a person has to answer a prompt first; until then no process acts on `phase`.
    var awaitsAnswer: Bool
    var isFinished: Bool
    /// Whether it is or was deferred.
    var wasDeferred: Bool
    /// The transaction whose end a waiting purchase waits for; until then no sweep reads it.
    ///
    /// Nil when no single commit ends the waiting, as while a renewal is due.
    var waitsFor: String?
    /// Whether the waiting ends only when a person has acted.
    ///
    /// Set by the commit that planned the purchase, and not stored.
    var waitsForPerson = false
    /// The journal row of its first revision: its place in the customer's queue.
    var createdSeq: Int64
    /// The journal row of its purchase or restore: its place in the customer's history; nil before that.
    var historySeq: Int64?
    /// Nil while it waits, and for a purchase that failed before there were any.
    var terms: PurchaseTerms?
    /// The quote to plan with again; kept while the purchase waits, and when it was interrupted.
    var quote: Quote?
    /// The offer request to plan with again; kept like the quote.
    var request: OfferRequest?
    /// The key of its charge: a renewal's is its period's, a purchase's is made of its `id`.
    var chargeKey: String

    /// Creates a row.
    /// - Parameter chargeKey: Nil for a purchase, whose key is made of its `id`.
    init(
        customer: CustomerReference, transaction: PaymentTransaction, phase: Phase, awaitsAnswer: Bool = false,
        isFinished: Bool = false, wasDeferred: Bool = false, waitsFor: String? = nil, createdSeq: Int64,
        historySeq: Int64? = nil,
        terms: PurchaseTerms?, quote: Quote? = nil, request: OfferRequest? = nil, chargeKey: String? = nil
    ) {
        self.customer = customer
        self.transaction = transaction
        self.phase = phase
        self.awaitsAnswer = awaitsAnswer
        self.isFinished = isFinished
        self.wasDeferred = wasDeferred
        self.waitsFor = waitsFor
        self.createdSeq = createdSeq
        self.historySeq = historySeq
        self.terms = terms
        self.quote = quote
        self.request = request
        self.chargeKey = chargeKey ?? Self.chargeKey(of: transaction.id)
    }

    var id: String { transaction.id }

    /// Returns the key of a purchase's charge.
    static func chargeKey(of id: String) -> String { chargeKeyPrefix + id }

    private static let chargeKeyPrefix = "purchase:"

    /// Finds the transaction of a purchase's charge key.
    /// - Returns: Nil for any other key.
    static func id(ofChargeKey key: String) -> String? {
        key.hasPrefix(chargeKeyPrefix) ? String(key.dropFirst(chargeKeyPrefix.count)) : nil
    }

    /// The key of the subscription it pays; nil also while it waits and nothing is agreed.
    var subscriptionKey: String? { terms?.subscription?.key }

    /// Whether the service has nothing more to do about it.
    var isAtRest: Bool { phase == .settled || phase == .quarantined || awaitsAnswer }

    /// Whether nothing happens before a person has acted, so that no request waits.
    var isWithPerson: Bool { isAtRest || waitsForPerson }
}

extension StoredTransaction.Phase: SQLValueConvertible {}

extension StoredTransaction {
    init(_ row: SQLRow) throws {
        let body: String = try row["body"]
        var transaction = try StoredJSON.value(PaymentTransaction.self, body)
        transaction.deliveries = try row["deliveries"]
        let terms: String? = try row["terms"]
        let (quote, request): (String?, String?) = (try row["quote"], try row["offer_request"])
        self.init(
            customer: try CustomerReference(row),
            transaction: transaction, phase: try row["phase"], awaitsAnswer: try row["awaits_answer"],
            isFinished: try row["is_finished"], wasDeferred: try row["was_deferred"],
            waitsFor: try row["waits_for"], createdSeq: try row["created_seq"], historySeq: try row["history_seq"],
            terms: try terms.map { try StoredJSON.value(PurchaseTerms.self, $0) },
            quote: try quote.map { try StoredJSON.value(Quote.self, $0) },
            request: try request.map { try StoredJSON.value(OfferRequest.self, $0) },
            chargeKey: try row["charge_key"])
    }
}
