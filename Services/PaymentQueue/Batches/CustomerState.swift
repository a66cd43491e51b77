import PlantedBugs
import ServiceDatabase
import StoreModels

/// Everything that a decision about a customer may ask, and the decisions of the batch so far. No I/O, nothing async.
struct CustomerState: Sendable {
    let account: Customer
    let clock: AppClock
    /// As an operator has set them for the account.
    let settings: TesterSettings
    /// The payments of the batch's keys, as they were read, and as this batch has decided.
    var payments: [ExactText: StoredPayment] = [:]
    /// The number of unfinished transactions, up to the app's limit. Nil if no command needs it.
    var unfinishedCount: Int?
    /// The number of the last journal row.
    private(set) var headSeq: Int64
    /// The last place among the changes of the customer's transactions.
    private(set) var modifiedSeq: Int64

    init(account: Customer, clock: AppClock, settings: TesterSettings) {
        self.account = account
        self.clock = clock
        self.settings = settings
        (headSeq, modifiedSeq) = (account.headSeq, account.modifiedSeq)
    }

    /// Whether the batch has changed the customer's row.
    var hasChanged: Bool { headSeq != account.headSeq }

    /// Decides about an authorized purchase.
    ///
    /// A command that fails leaves the state and the changes as they were. At most a number is lost.
    mutating func handle(
        _ command: PurchaseCommand, wall: Timestamp, numbers: inout TransactionNumbers, changes: inout Changes
    ) throws -> PurchaseCommand.Outcome {
        let purchase = command.purchase
        let key = ExactText(purchase.payment.requestIdentifier)
        if let known = payments[key] { return .existing(known) }
        guard account.storefront.isExactly(command.storefront) else { return .moved(to: account.storefront) }
        let now = clock.now(wall: wall)
        guard let terms = command.authorization.terms(of: plan(purchase, at: now)) else { return .otherTerms }
        let sale = try ConcludedPurchase(purchase, terms, command.authorization, of: self, at: now) {
            "\(try numbers.next(for: account.id.bundleId))"
        }
        try changes.append(sale, of: account.id, wall: wall)
        headSeq += Int64(sale.entries.count)
        if let seq = sale.stored.modifiedSeq {
            modifiedSeq = seq
            if let count = unfinishedCount { unfinishedCount = count + 1 }
        }
        if !PlantedBug.isActive(.checkThenInsert), let fingerprint = purchase.fingerprint {
            payments[key] = StoredPayment(
                fingerprint: fingerprint, transactionID: sale.stored.id,
                reply: AddPaymentReply(
                    status: PaymentRepository.endedStatus, transaction: sale.stored.transaction, isReplayed: true))
        }
        return .sold(.init(output: sale.stored, changes: sale.entries.map(\.published), woken: []))
    }

    /// Plans a purchase of a product that a customer may have many of. Nothing else of the customer counts for it.
    private func plan(_ purchase: NewPurchase, at now: Timestamp) -> PurchasePlan {
        let tester = settings.over(purchase.quote.testerDefaults).over(.standard)
        var context = PurchasePolicy.Context(
            canMakePayments: tester.canMakePayments ?? true, rate: tester.subscriptionRenewalRate ?? .realTime)
        if let unfinishedCount { context.unfinishedCount = unfinishedCount }
        return PurchasePlan(
            payment: purchase.payment, purchase.request, quote: purchase.quote, context: context, tester: tester,
            storefront: account.storefront, now: now)
    }
}

/// Buys a product whose charge was authorized or declined before its batch.
struct PurchaseCommand: Sendable {
    /// The result of a command.
    enum Outcome: Sendable {
        /// The purchase is committed as sold, or as failed when the processor has declined.
        case sold(CustomerTransaction.Committed<StoredTransaction>)
        /// The key was used before, possibly by an earlier command of the batch.
        case existing(StoredPayment)
        /// The customer's storefront is not the quote's.
        case moved(to: String)
        /// The customer's rows lead to other terms than the authorized ones. Nothing is written.
        case otherTerms
        /// The batch has left the command out: for another transaction's lock, or because it was refused as a whole.
        case alone
    }

    var customer: CustomerReference
    /// Its identifier is the authorization's.
    var purchase: NewPurchase
    /// The storefront of the purchase's quote.
    var storefront: String
    var authorization: PurchaseAuthorization
    /// The caller's deadline. A command that waits longer is not performed.
    var deadline: ContinuousClock.Instant
}

/// A whole purchase: its rows, with both revisions in the journal.
struct ConcludedPurchase: Sendable {
    let purchase: NewPurchase
    let stored: StoredTransaction
    /// The transaction's JSON.
    let body: String
    let entries: [JournalEntry]
    /// The JSON of the event for apps' servers, or nil for a purchase that failed.
    let serverEvent: String?
    /// Whether the authorized charge is to be captured.
    let isCharged: Bool

    /// - Parameter nextIdentifier: Takes the identifier of a purchased transaction.
    fileprivate init(
        _ purchase: NewPurchase, _ terms: PurchaseTerms, _ authorization: PurchaseAuthorization,
        of state: CustomerState, at now: Timestamp, nextIdentifier: () throws -> String
    ) throws {
        let customer = state.account.id
        var machine = purchase.machine(terms)
        let begun = try JournalEntry.change(
            .updated, machine.transaction, of: customer, seq: state.headSeq + 1, event: .purchasing)
        var stored = StoredTransaction(
            customer: customer, transaction: machine.transaction, phase: .settled, createdSeq: state.headSeq + 1,
            terms: terms, request: purchase.request, chargeKey: authorization.chargeKey)
        let event: TransactionStateMachine.Event
        switch authorization.reply {
        case .approved:
            event = .purchase(terms.purchase(transactionIdentifier: try nextIdentifier(), at: now, original: nil))
            (stored.historySeq, stored.modifiedSeq) = (state.headSeq + 2, state.modifiedSeq + 1)
        case .failed(let error): event = .fail(error)
        case .mismatch, .undecided: throw StoreError(.internal, "a charge that was neither authorized nor declined")
        }
        guard case .changed = machine.handle(event) else {
            throw StoreError(.internal, "a new purchase that does not end")
        }
        stored.transaction = machine.transaction
        let value = machine.transaction
        let ended = try JournalEntry.change(
            .updated, value, of: customer, seq: state.headSeq + 2, event: StoreEvent.Kind(value.transactionState))
        let isLost = PlantedBug.isActive(.journalRowMissing) && value.transactionState == .failed
        self.purchase = purchase
        self.stored = stored
        body = ended.body
        entries = isLost ? [begun] : [begun, ended]
        isCharged = authorization.reply == .approved
        serverEvent = try ServerTransaction(stored, storefront: state.account.storefront).map { transaction in
            try StoredJSON.text(
                StoredServerEvent(
                    account: state.account.account, appTransaction: state.account.appTransaction, at: now,
                    changes: [.init(kind: .purchased, transaction: transaction)]))
        }
    }
}
