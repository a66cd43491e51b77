import Persistence
import ServiceDatabase
import StoreModels

/// A transaction's row: the transaction, whose it is, and what the service itself has to remember of it.
struct StoredTransaction: Hashable, Sendable {
    /// What a transaction that has not ended is about, or that it has ended.
    enum Phase: String, Sendable {
        /// Another purchase of the same product has to end first.
        case waiting
        /// The processor is being asked, again and again until it answers.
        case charging
        /// Nothing has to be paid: only the second commit is missing.
        case granting
        /// The processor answered about another amount. Stays until a person has looked.
        case quarantined
        /// Purchased, failed or restored.
        case settled
    }

    var customer: CustomerReference
    /// `deliveries` included, as of the moment of reading.
    var transaction: PaymentTransaction
    var phase: Phase
    /// A person has to answer a prompt first; until then no process acts on `phase`.
    var awaitsAnswer: Bool
    var isFinished: Bool
    /// It is deferred, or was before it went on.
    var wasDeferred: Bool
    /// The transaction whose end a waiting purchase waits for; until then no sweep looks at it. Nil where no one commit
    /// ends the waiting, as while a renewal is due.
    var waitsFor: String?
    /// What it waits for goes on only when a person has acted. Known to the commit that planned it, and not stored.
    var waitsForPerson = false
    /// The journal row of its first revision: its place in the customer's queue.
    var createdSeq: Int64
    /// The journal row it was purchased or restored with: its place in the customer's history. Nil before that.
    var historySeq: Int64?
    /// Nil while it waits, and for a purchase that failed before there were any.
    var terms: PurchaseTerms?
    /// What the purchase was planned with; kept while it waits and when it was interrupted, to be planned again.
    var quote: Quote?
    /// What came with the payment about an offer; kept, like the payment, to be planned again.
    var request: OfferRequest?
    /// The key of its charge: a renewal has its period's, a purchase one made of its `id`.
    var chargeKey: String

    /// - Parameter chargeKey: The charge's key; nil for a purchase's.
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

    /// The key of a purchase's charge.
    static func chargeKey(of id: String) -> String { chargeKeyPrefix + id }

    private static let chargeKeyPrefix = "purchase:"

    /// The transaction a charge key of ours is about.
    /// - Returns: Nil for a key this service did not make.
    static func id(ofChargeKey key: String) -> String? {
        key.hasPrefix(chargeKeyPrefix) ? String(key.dropFirst(chargeKeyPrefix.count)) : nil
    }

    /// What the subscription is kept by that it is a purchase of; nil also while it waits and nothing is agreed.
    var subscriptionKey: String? { terms?.subscription?.key }

    /// Nothing more happens to it by itself.
    var isAtRest: Bool { phase == .settled || phase == .quarantined || awaitsAnswer }

    /// Nothing happens to it before a person has acted: no request waits for that.
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
