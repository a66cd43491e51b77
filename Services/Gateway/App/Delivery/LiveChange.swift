import StoreHTTP
import StoreModels

/// A live change that StoreKit 2 reports: of a signed transaction, of the status of its subscription, or both.
struct LiveChange: Hashable {
    let seq: Int64
    /// The event that the change is in the store's log.
    let event: StoreEvent.Kind?
    let transaction: PaymentTransaction
    /// Whether the signed transaction has changed.
    let isOfTransaction: Bool

    /// Makes the change of a row of the journal, as a device gets it.
    /// - Returns: Nil for a change that StoreKit 2 reports nothing about.
    init?(_ change: CustomerChange, for deviceId: String) {
        guard let transaction = change.transaction else { return nil }
        switch (change.kind, transaction.transactionState) {
        case (.updated, .purchased): isOfTransaction = true
        case (.updated, .failed):
            // The customer holds the subscription: the device that wanted to buy it gets the transaction held.
            guard transaction.payment.returnsOutcome == true, transaction.error?.isAlreadySubscribed == true,
                transaction.originDeviceId.isExactly(deviceId)
            else { return nil }
            isOfTransaction = true
        case (.subscriptionChanged, .purchased): isOfTransaction = Self.changesTransaction(change.event)
        case (.updated, _), (.removed, _), (.subscriptionChanged, _), (.restoreEnded, _), (.downloadsUpdated, _),
            (.entitlementsRevoked, _):
            return nil
        }
        seq = change.seq
        event = change.event
        self.transaction = transaction
    }

    /// Whether an event of a finished transaction changes its signed form. The others are about its subscription.
    ///
    /// The later end of an extended period is a change of its own, without an event.
    private static func changesTransaction(_ event: StoreEvent.Kind?) -> Bool {
        switch event {
        case nil, .refunded, .revoked, .shared: true
        default: false
        }
    }

    /// The group whose status may have changed.
    var group: String? { transaction.subscriptionGroupIdentifier }

    /// Whether it takes something back. The refund of a past period leaves its subscription as it is.
    var takesBack: Bool { event == .refunded || event == .revoked }

    /// Makes the event of the signed transaction.
    /// - Returns: Nil for a payment of this device's other front end that found the product held.
    func signedTransaction(_ outcome: SignedChanges.Outcome, for deviceId: String) -> SignedTransactionEvent? {
        if outcome.isHeld {
            guard transaction.payment.returnsOutcome == true, transaction.originDeviceId.isExactly(deviceId) else {
                return nil
            }
        }
        let cause = cause(outcome)
        return SignedTransactionEvent(
            seq: seq, id: transaction.id, cause: cause,
            requestIdentifier: cause.isOfRequest ? transaction.payment.requestIdentifier : nil,
            originDeviceId: transaction.originDeviceId, signedTransaction: outcome.signedTransaction)
    }

    private func cause(_ outcome: SignedChanges.Outcome) -> SignedTransactionEvent.Cause {
        if outcome.isHeld { return .held }
        switch event {
        case .refunded: return .refund
        case .revoked: return .revocation
        case .purchased, .shared: break
        default: return .change
        }
        if outcome.isRenewal { return .renewal }
        if transaction.supersedes != nil { return .resolution }
        if outcome.wasDeferred { return .approval }
        return transaction.originDeviceId.isExactly(PaymentTransaction.outsideDeviceId) ? .outside : .purchase
    }
}

extension SignedTransactionEvent.Cause {
    /// Whether it is the outcome of an app's request.
    fileprivate var isOfRequest: Bool { self == .purchase || self == .held || self == .approval }
}

/// The live changes of one stream that are to be signed, in order. One request at a time asks for the first of them.
struct SigningQueue {
    /// Maximum number of changes that wait while AppStoreServer is away. One more has the stream read everything again.
    static let waitingMax = 256
    /// Maximum number of changes in one request. Each has up to three signed payloads, of about 5 KB each.
    static let batchMax = 25

    private var waiting: [LiveChange] = []
    /// How many of the first changes a request asks for. Nil without a request.
    private var asked: Int?
    /// Whether a request has failed. The next tick asks again.
    private var isResting = false
    /// Number of changes in the next request. Refused requests make it smaller, until the changes that cause the
    /// refusal are alone.
    private var size = batchMax

    /// Whether a request can begin now.
    var isDue: Bool { asked == nil && !isResting && !waiting.isEmpty }

    /// Begins a request.
    /// - Returns: Its changes. Empty when there is nothing to ask for now.
    mutating func ask() -> [LiveChange] {
        guard isDue else { return [] }
        let batch = Array(waiting.prefix(size))
        asked = batch.count
        return batch
    }

    /// - Returns: Whether the change fits. If not, all are dropped.
    mutating func append(_ change: LiveChange) -> Bool {
        guard waiting.count < Self.waitingMax else {
            drop()
            return false
        }
        waiting.append(change)
        return true
    }

    /// Removes the changes that the request has signed.
    mutating func wereSigned() {
        waiting.removeFirst(asked ?? 0)
        asked = nil
        size = min(size * 2, Self.batchMax)
    }

    /// Keeps the request's changes until the next tick, because AppStoreServer is away.
    mutating func wereNotTaken() {
        asked = nil
        isResting = true
    }

    /// Keeps the changes of a request that AppStoreServer has refused. The next tick asks for half of them.
    /// - Returns: Whether changes are kept. If one change alone is refused, all are dropped.
    mutating func wereRefused() -> Bool {
        let count = asked ?? 0
        wereNotTaken()
        guard count != 1 else {
            drop()
            return false
        }
        size = max(count / 2, 1)
        return true
    }

    /// Drops all changes. An answer to the request under way removes nothing more.
    mutating func drop() {
        waiting.removeAll()
        if asked != nil { asked = 0 }
    }

    mutating func wake() { isResting = false }
}

/// The events of signed changes, in the order in which a stream sends them.
enum SignedEvent: Hashable {
    case transaction(SignedTransactionEvent)
    case status(SubscriptionStatusEvent)

    /// Makes the events of changes. A group's status comes once, after the last transaction.
    static func events(
        of changes: [LiveChange], _ signed: SignedChanges, for deviceId: String
    ) -> [SignedEvent] {
        let outcomes = Dictionary(
            signed.outcomes.map { (ExactText($0.id), $0) }, uniquingKeysWith: { first, _ in first })
        var events: [SignedEvent] = []
        for change in changes where change.isOfTransaction {
            guard let outcome = outcomes[ExactText(change.transaction.id)],
                let event = change.signedTransaction(outcome, for: deviceId)
            else { continue }
            events.append(.transaction(event))
        }
        for status in signed.statuses {
            let last = changes.last { change in
                change.group.isExactly(status.groupID)
                    && (!change.takesBack || change.transaction.id.isExactly(status.transactionId))
            }
            guard let last else { continue }
            events.append(
                .status(SubscriptionStatusEvent(seq: last.seq, groupID: status.groupID, status: status.status)))
        }
        return events
    }
}
