import StoreModels

/// The life of one transaction, without I/O. An event goes in; a new revision and the actions for the same commit come
/// out. Edges that StoreKit does not have are refused for every caller (M27, M53; P7).
///
/// ```
/// purchasing ──▶ purchased ┐
///     │  ├─────▶ failed    ├─ finish ─▶ out of the queue
///     ▼  │         ▲       │
///  deferred ───────┘ (or purchased)
/// ```
/// `restored` has no edge into it: such a transaction is born in that state.
struct TransactionStateMachine: Hashable, Sendable {
    /// What happened to the transaction.
    enum Event: Hashable, Sendable {
        /// The payment was received, or nothing had to be paid.
        case purchase(Purchase)
        /// It ends without a purchase; nothing stays charged.
        case fail(TransactionError)
        /// A parent has to agree first.
        case `defer`
        /// The app has to say whether it goes on in another storefront.
        case ask(StorefrontChange)
        /// It goes on there.
        case goOn
        /// The app has delivered what was bought, or has taken note of the failure.
        case finish
    }

    /// What a purchase adds to the transaction.
    struct Purchase: Hashable, Sendable {
        var transactionIdentifier: String
        var transactionDate: Timestamp
        /// What was paid, all in all.
        var price: Money
        /// The first one of the same subscription or non-consumable, when there was one.
        var original: PaymentTransaction?
        /// Set for a non-consumable that was owned already: its first transaction's identifier (P8).
        var originalTransactionIdentifier: String?
        var expiresDate: Timestamp?
        var isTrialPeriod: Bool?
        var isInIntroOfferPeriod: Bool?
        /// Of a change of product that is only noted.
        var effectiveDate: Timestamp?
        var subscriptionGroupIdentifier: String?
        /// The hosted content that comes with it.
        var content: PurchaseTerms.Content?
    }

    /// What has to be done in the commit that writes the new revision.
    enum Action: Hashable, Sendable {
        /// Append the transaction, as it is now, to its customer's journal.
        case journal(CustomerChange.Kind)
        /// The introductory offer is used up, for good.
        case consumeOffer
        /// The introductory offer is free again.
        case releaseOffer
        /// The next purchase of the same product may go on.
        case releaseSlot
        /// The product is the customer's from now on.
        case grant
        /// Keep this status and the transaction as the answer to every repetition of the request.
        case storeAnswer(status: Int)
    }

    enum Refusal: Hashable, Sendable {
        /// `finish` on purchasing or deferred.
        case notFinishable
        /// An edge the state machine does not have.
        case illegal(from: TransactionState)
    }

    enum Outcome: Hashable, Sendable {
        case changed([Action])
        /// The event had happened already; there is nothing to write and nothing to send.
        case unchanged
        case refused(Refusal)
    }

    private(set) var transaction: PaymentTransaction
    /// Out of the queue.
    private(set) var isFinished: Bool

    /// A transaction as it was stored.
    init(_ transaction: PaymentTransaction, isFinished: Bool) {
        self.transaction = transaction
        self.isFinished = isFinished
    }

    /// A new purchase, at revision 1.
    /// - Parameter supersedes: The interrupted transaction whose place it takes.
    static func purchasing(
        id: String, payment: Payment, deviceId: String, supersedes: String? = nil, price: Money?, offer: AppliedOffer?
    ) -> TransactionStateMachine {
        TransactionStateMachine(
            with(
                PaymentTransaction(
                    id: id, transactionState: .purchasing, payment: payment, revision: 1, originDeviceId: deviceId,
                    price: price)
            ) {
                $0.supersedes = supersedes
                $0.offer = offer
            },
            isFinished: false)
    }

    mutating func handle(_ event: Event) -> Outcome {
        switch event {
        case .purchase(let purchase): move(to: .purchased) { $0.apply(purchase) }
        case .fail(let error): move(to: .failed) { $0.apply(error) }
        case .defer: move(to: .deferred) { _ in }
        case .ask(let change): ask(change)
        case .goOn: ask(nil)
        case .finish: finish()
        }
    }

    /// Writes the question and its end as separate revisions. So observers are notified of both.
    private mutating func ask(_ change: StorefrontChange?) -> Outcome {
        let state = transaction.transactionState
        guard state == .purchasing || state == .deferred else { return .refused(.illegal(from: state)) }
        guard transaction.storefrontChange != change else { return .unchanged }
        transaction.storefrontChange = change
        transaction.revision += 1
        return .changed([.journal(.updated)])
    }

    private mutating func move(to state: TransactionState, _ apply: (inout PaymentTransaction) -> Void) -> Outcome {
        let from = transaction.transactionState
        guard from.canBecome(state), !isFinished else { return .refused(.illegal(from: from)) }
        transaction.transactionState = state
        transaction.storefrontChange = nil
        transaction.revision += 1
        apply(&transaction)
        return .changed(actions(entering: state))
    }

    private func actions(entering state: TransactionState) -> [Action] {
        switch state {
        case .purchased: [.journal(.updated), .consumeOffer, .releaseSlot, .grant, .storeAnswer(status: 201)]
        case .failed: [.journal(.updated), .releaseOffer, .releaseSlot, .storeAnswer(status: 201)]
        case .deferred, .purchasing, .restored: [.journal(.updated)]
        }
    }

    private mutating func finish() -> Outcome {
        guard transaction.transactionState.isFinishable else { return .refused(.notFinishable) }
        guard !isFinished else { return .unchanged }
        isFinished = true
        return .changed([.journal(.removed)])
    }
}

extension PaymentTransaction {
    fileprivate mutating func apply(_ purchase: TransactionStateMachine.Purchase) {
        transactionIdentifier = purchase.transactionIdentifier
        transactionDate = purchase.transactionDate
        price = purchase.price
        original = purchase.original.map(OriginalTransaction.init)
        originalTransactionIdentifier =
            purchase.originalTransactionIdentifier ?? purchase.original?.transactionIdentifier
        expiresDate = purchase.expiresDate
        isTrialPeriod = purchase.isTrialPeriod
        isInIntroOfferPeriod = purchase.isInIntroOfferPeriod
        effectiveDate = purchase.effectiveDate
        subscriptionGroupIdentifier = purchase.subscriptionGroupIdentifier
        downloads = purchase.content.map { [Download(waiting: $0, with: self)] } ?? []
    }

    /// A failed purchase cost nothing, so no price stays on it.
    fileprivate mutating func apply(_ failure: TransactionError) {
        error = failure
        price = nil
        offer = nil
    }
}

extension Download {
    /// A product has one package, named after it (M25); on every device it waits at first.
    fileprivate init(waiting content: PurchaseTerms.Content, with transaction: PaymentTransaction) {
        self.init(
            id: Identifiers.download(of: transaction.id), transactionId: transaction.id, state: .waiting,
            contentIdentifier: transaction.payment.productIdentifier, contentVersion: content.version,
            contentLength: content.length)
    }
}
