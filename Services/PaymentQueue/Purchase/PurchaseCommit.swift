import Persistence
import StoreModels

/// The writes of one commit about one customer: rows, journal and claims together, or none of them.
struct PurchaseCommit {
    let transaction: SQLTransaction
    let customer: CustomerID
    let wall: Timestamp
    /// The app's own time in this commit.
    let now: Timestamp
    /// What was journalled; published once the commit stands.
    private(set) var changes: [CustomerChange] = []
    /// Purchases of the same product that need not wait any longer.
    private(set) var woken: [String] = []

    init(_ transaction: SQLTransaction, customer: CustomerID, clock: BusinessClock) async throws {
        self.transaction = transaction
        self.customer = customer
        self.wall = clock.wall()
        self.now = try await CustomerRepository.clock(of: customer.bundleId, in: transaction).now(wall: wall)
    }

    /// Journals the first revision and writes its row.
    mutating func insert(
        _ machine: TransactionStateMachine, phase: StoredTransaction.Phase, awaitsAnswer: Bool = false,
        terms: PurchaseTerms?, quote: Quote?
    ) async throws -> StoredTransaction {
        let change = try await JournalRepository.append(
            .updated, machine.transaction, of: customer, wall: wall, in: transaction)
        changes.append(change)
        let stored = StoredTransaction(
            customer: customer, transaction: machine.transaction, phase: phase, awaitsAnswer: awaitsAnswer,
            createdSeq: change.seq, terms: terms, quote: quote)
        try await TransactionRepository.insert(stored, in: transaction)
        return stored
    }

    /// Takes what the terms need: the offer's claim, and the product's slot where only one purchase may be in flight.
    func reserve(_ terms: PurchaseTerms, offerGroup: String?, for stored: StoredTransaction) async throws {
        if let offerGroup {
            try await EntitlementRepository.reserveOffer(group: offerGroup, for: stored.id, customer, in: transaction)
        }
        if terms.productType == .nonConsumable || terms.productType == .autoRenewable {
            try await EntitlementRepository.takeSlot(
                of: stored.transaction.payment.productIdentifier, for: stored.id, customer, in: transaction)
        }
    }

    /// Lets an event happen to a transaction that was read in this commit.
    /// - Returns: the transaction as it is now: changed, or as it was where the event had happened already or the state
    ///   has no such edge, which is how a second writer learns that another was first.
    mutating func apply(
        _ event: TransactionStateMachine.Event, to stored: StoredTransaction
    ) async throws -> StoredTransaction {
        var machine = TransactionStateMachine(stored.transaction, isFinished: stored.isFinished)
        guard case .changed(let actions) = machine.handle(event) else { return stored }
        var next = stored
        next.transaction = machine.transaction
        next.isFinished = machine.isFinished
        if machine.transaction.transactionState.isTerminal {
            (next.phase, next.awaitsAnswer, next.quote) = (.settled, false, nil)
        }
        guard try await TransactionRepository.advance(next, from: stored.transaction.transactionState, in: transaction) else {
            return try await TransactionRepository.find(stored.id, of: customer, in: transaction) ?? stored
        }
        for action in actions { try await perform(action, next) }
        return next
    }

    private mutating func perform(_ action: TransactionStateMachine.Action, _ stored: StoredTransaction) async throws {
        let value = stored.transaction
        switch action {
        case .journal(let kind):
            changes.append(try await JournalRepository.append(kind, value, of: customer, wall: wall, in: transaction))
        case .consumeOffer: try await EntitlementRepository.consumeOffer(of: value, in: transaction)
        case .releaseOffer: try await EntitlementRepository.releaseOffer(of: value, in: transaction)
        case .releaseSlot:
            try await EntitlementRepository.releaseSlot(of: value, in: transaction)
            woken += try await EntitlementRepository.waiting(
                for: value.payment.productIdentifier, customer, in: transaction)
        case .grant:
            guard let terms = stored.terms else { throw StoreError(.internal, "a purchase without terms") }
            try await EntitlementRepository.grant(value, terms: terms, to: customer, in: transaction)
        case .storeAnswer(let status): try await PaymentRepository.storeAnswer(status: status, value, in: transaction)
        }
    }

    /// The event that ends a paid or free purchase, with the next identifier.
    func purchase(of stored: StoredTransaction) async throws -> TransactionStateMachine.Event {
        guard let terms = stored.terms else { throw StoreError(.internal, "a purchase without terms") }
        return .purchase(
            terms.purchase(
                transactionIdentifier: try await TransactionRepository.nextIdentifier(in: transaction), at: now,
                original: try await original(terms)))
    }

    /// Whoever subscribes to a group again continues their first subscription of it.
    private func original(_ terms: PurchaseTerms) async throws -> PaymentTransaction? {
        guard let group = terms.subscription?.group,
            let subscription = try await EntitlementRepository.subscription(group: group, customer, in: transaction)
        else { return nil }
        return try await TransactionRepository.find(subscription.originalID, of: customer, in: transaction)?.transaction
    }
}
