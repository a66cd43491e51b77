import StoreModels

/// Decides the next revision of a transaction and its actions from an event, without I/O.
///
/// It refuses an edge that StoreKit does not have, for any caller (M27, M53, P7).
///
/// ```
/// purchasing ──▶ purchased ┐
///     │  ├─────▶ failed    ├─ finish ─▶ out of the queue
///     ▼  │         ▲       │
///  deferred ───────┘ (or purchased)
/// ```
/// A restored transaction begins in state `restored`, so the state has no edge into it.
struct TransactionStateMachine: Hashable, Sendable {
    /// An event of the transaction.
    enum Event: Hashable, Sendable {
        /// The payment was received, or the purchase costs nothing.
        case purchase(Purchase)
        /// It ends without a purchase, and nothing stays charged.
        case fail(TransactionError)
        /// A parent has to agree first.
        case `defer`
        /// The app has to say whether the purchase continues in another storefront.
        case ask(StorefrontChange)
        /// The purchase continues there.
        case continuePurchase
        /// The operator gives it to the observers once more, which changes only its revision.
        case redeliver
        /// The app has delivered the purchase, or handled the failure.
        case finish
    }

    /// The facts a purchase adds to the transaction.
    struct Purchase: Hashable, Sendable {
        var transactionIdentifier: String
        var transactionDate: Timestamp
        /// The total price paid.
        var price: Money
        /// The first transaction of the same subscription or non-consumable, if there was one.
        var original: PaymentTransaction?
        /// The first transaction's identifier of a non-consumable owned already. Nil for others (P8).
        var originalTransactionIdentifier: String?
        /// The end of the paid period. Nil for a product that is not a subscription.
        var expiresDate: Timestamp?
        /// Nil for a product that is not a subscription.
        var isTrialPeriod: Bool?
        /// Nil for a product that is not a subscription.
        var isInIntroOfferPeriod: Bool?
        /// When a change of product that is only noted takes effect. Nil for others.
        var effectiveDate: Timestamp?
        var subscriptionGroupIdentifier: String?
        /// The hosted content of the product, if it has any.
        var content: PurchaseTerms.Content?
        /// The first payment of a commitment. Nil for others.
        var commitment: Commitment?
    }

    /// A task of the commit that writes the new revision.
    enum Action: Hashable, Sendable {
        /// Append the transaction to its customer's journal.
        case journal(CustomerChange.Kind)
        /// Consume the introductory offer.
        case consumeOffer
        /// Release the introductory offer.
        case releaseOffer
        /// Release the product's slot, so that the next purchase of it continues.
        case releaseSlot
        /// Give the customer the product.
        case grant

        /// Whether it ends what a purchase in progress has reserved.
        var endsReservation: Bool {
            switch self {
            case .consumeOffer, .releaseOffer, .releaseSlot: true
            case .journal, .grant: false
            }
        }
    }

    enum Refusal: Hashable, Sendable {
        /// `finish` on purchasing or deferred.
        case notFinishable
        /// An edge the state machine does not have.
        case illegal(from: TransactionState)
    }

    enum Outcome: Hashable, Sendable {
        case changed([Action])
        /// The event had happened before, so nothing is written or sent.
        case unchanged
        case refused(Refusal)
    }

    private(set) var transaction: PaymentTransaction
    /// Whether it has left the queue.
    private(set) var isFinished: Bool

    /// Creates the machine of a stored transaction.
    init(_ transaction: PaymentTransaction, isFinished: Bool) {
        self.transaction = transaction
        self.isFinished = isFinished
    }

    /// Creates the machine of a new purchase, at revision 1.
    /// - Parameter supersedes: The interrupted transaction it replaces.
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
        case .continuePurchase: ask(nil)
        case .redeliver: redeliver()
        case .finish: finish()
        }
    }

    /// Writes the question, or its end, as one revision, so that observers receive both.
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
        case .purchased: [.journal(.updated), .consumeOffer, .releaseSlot, .grant]
        case .failed: [.journal(.updated), .releaseOffer, .releaseSlot]
        case .deferred, .purchasing, .restored: [.journal(.updated)]
        }
    }

    private mutating func redeliver() -> Outcome {
        let state = transaction.transactionState
        guard state != .purchasing, !isFinished else { return .refused(.illegal(from: state)) }
        transaction.revision += 1
        return .changed([.journal(.updated)])
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
        commitment = purchase.commitment
        downloads = purchase.content.map { [Download(waiting: $0, with: self)] } ?? []
    }

    /// Records a failure and removes the price, because a failed purchase costs nothing.
    fileprivate mutating func apply(_ failure: TransactionError) {
        error = failure
        price = nil
        offer = nil
    }
}

extension Download {
    /// Makes the product's one package, named after it (M25) and waiting on every device.
    fileprivate init(waiting content: PurchaseTerms.Content, with transaction: PaymentTransaction) {
        self.init(
            id: Identifiers.download(of: transaction.id), transactionId: transaction.id, state: .waiting,
            contentIdentifier: transaction.payment.productIdentifier, contentVersion: content.version,
            contentLength: content.length)
    }
}
