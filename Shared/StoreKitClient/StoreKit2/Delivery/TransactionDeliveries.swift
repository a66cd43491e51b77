internal import StoreHTTP

/// The deliveries of ``Transaction/updates`` and of the statuses' updates in one run. The type is pure.
///
/// A transaction is delivered when it is new, and when the store says something else of it. What this device has bought
/// itself is not delivered until it changes: `purchase()` returned it, or the queue's observers have it.
struct TransactionDeliveries: Sendable {
    typealias Result = VerificationResult<Transaction>
    typealias Status = Product.SubscriptionInfo.Status

    /// The last state of each transaction, by its number.
    private var known = LatestStates<Result>()
    /// The delivered transactions that the app has not finished, newest first.
    private var open: [UInt64] = []
    private var finished = BoundedSet<UInt64>(count: ClientLimits.finishedMax)
    /// The keys of the queue's payments in this process.
    private var paymentKeys = BoundedSet<String>(count: ClientLimits.finishedMax)
    /// The transactions that `purchase()` has returned in this process.
    private var returned = BoundedSet<UInt64>(count: ClientLimits.finishedMax)
    /// The transactions that the store has deleted. An event about one may be on its way still.
    private var deleted = BoundedSet<UInt64>(count: ClientLimits.finishedMax)
    /// The keys of the running `purchase()` calls.
    private var running: Set<String> = []
    /// Results of running calls that came on the stream, by their keys. One is news if its call does not return it.
    private var withheld: [String: (result: Result, seq: Int64)] = [:]
    /// The subscriptions' states by their first transactions.
    private var statuses = LatestStates<Status>()
    /// Whether all statuses were read in this run.
    private(set) var hasStatuses = false
    /// The subscriptions whose only known state is the first one that was read, by their first transactions.
    private var undelivered: Set<UInt64> = []
    /// The transactions that `purchase()` has bought in this run before the statuses were read.
    private var boughtBefore: Set<UInt64> = []

    /// The transactions with which an iterator begins.
    var replay: [Result] { open.compactMap { known[$0] } }

    // MARK: Calls of the app

    /// Records a payment that the app adds to the queue.
    mutating func adds(key: String) { paymentKeys.insert(key) }

    /// Records a call of `purchase()`.
    mutating func begins(key: String) { running.insert(key) }

    /// Records a transaction that `purchase()` returns.
    /// - Parameter isNew: Whether this call has bought it. False for a product that the customer held.
    /// - Returns: The status to deliver, if the first statuses had the purchase already. Else nil.
    @discardableResult mutating func returns(_ result: Result, isNew: Bool = true) -> StatusChange? {
        let transaction = result.unsafePayloadValue
        returned.insert(transaction.id)
        if known[transaction.id] == nil { _ = known.take(result, of: transaction.id, at: 0) }
        guard isNew else { return nil }
        guard hasStatuses else {
            boughtBefore.insert(transaction.id)
            return nil
        }
        guard let status = statuses[transaction.originalID], status.transaction.unsafePayloadValue.id == transaction.id
        else { return nil }
        return undelivered.remove(transaction.originalID).map { _ in StatusChange(before: nil, status: status) }
    }

    /// Records the end of a call of `purchase()`.
    /// - Returns: The transaction to deliver, or nil. A call that has returned it leaves none.
    mutating func ends(key: String) -> Result? {
        running.remove(key)
        guard let (result, seq) = withheld.removeValue(forKey: key) else { return nil }
        return news(result, at: seq, isOwn: returned.contains(result.unsafePayloadValue.id))
    }

    /// Records that the app has finished a transaction.
    mutating func finish(_ number: UInt64) {
        finished.insert(number)
        open.removeAll { $0 == number }
        // The store does not repeat what is finished, so few of these are ever compared again.
        if known.count > ClientLimits.finishedMax { known.keep(open) }
    }

    /// Records that the store refused to finish a transaction. The app may try again.
    mutating func finishRefused(_ number: UInt64) {
        finished.remove(number)
        if known[number] != nil { open.insert(number, at: 0) }
    }

    /// Whether the app has finished a transaction in this process.
    func isFinished(_ number: UInt64) -> Bool { finished.contains(number) }

    // MARK: Events of the store

    /// Receives a live event.
    /// - Returns: The transaction to deliver, or nil.
    mutating func received(
        _ result: Result, cause: SignedTransactionEvent.Cause, key: String?, at seq: Int64
    ) -> Result? {
        if let key, running.contains(key) {
            withheld[key] = (result, seq)
            return nil
        }
        let isBought = returned.contains(result.unsafePayloadValue.id) || key.map { paymentKeys.contains($0) } ?? false
        return news(result, at: seq, isOwn: cause == .held || (cause == .purchase && isBought))
    }

    private mutating func news(_ result: Result, at seq: Int64, isOwn: Bool) -> Result? {
        let number = result.unsafePayloadValue.id
        guard !deleted.contains(number), known.take(result, of: number, at: seq), !isOwn else { return nil }
        if !finished.contains(number), !open.contains(number) { open.insert(number, at: 0) }
        return result
    }

    /// Receives the beginning of a stream. A journal that has begun anew counts from 1 again.
    mutating func opened(at seq: Int64) {
        known.begin(at: seq)
        statuses.begin(at: seq)
    }

    /// Receives the unfinished transactions at the beginning of a stream.
    /// - Parameters:
    ///   - list: Newest first.
    ///   - seq: The position of the list. Events may have overtaken it.
    ///   - keys: The payments' keys by the numbers of their transactions, where they are known.
    /// - Returns: The transactions to deliver, newest first.
    mutating func synchronized(_ list: [Result], at seq: Int64, keys: [UInt64: String]) -> [Result] {
        let news = list.filter { result in
            let transaction = result.unsafePayloadValue
            let (number, key) = (transaction.id, keys[transaction.id])
            guard !finished.contains(number), !deleted.contains(number) else { return false }
            if let key, running.contains(key) {
                withheld[key] = (result, seq)
                return false
            }
            let isBought = returned.contains(number) || key.map { paymentKeys.contains($0) } ?? false
            let isOwn = isBought && known[number] == nil && transaction.revocationDate == nil
            return known.take(result, of: number, at: seq) && !isOwn
        }
        let numbers = news.map(\.unsafePayloadValue.id)
        open = numbers + open.filter { !numbers.contains($0) }
        return news
    }

    /// Receives the transactions of a product that the customer has lost before the stream began.
    /// - Returns: The revoked ones to deliver. New iterators do not begin with them.
    mutating func revoked(_ list: [Result], at seq: Int64) -> [Result] {
        list.filter { result in
            let transaction = result.unsafePayloadValue
            return transaction.revocationDate != nil && known.take(result, of: transaction.id, at: seq)
        }
    }

    /// Receives all statuses, at the beginning of a stream.
    /// - Returns: Those that have changed since the run began. Of the first ones, these are the statuses of this run's
    ///   purchases. An event that comes later delivers the others, if they have changed before they were read.
    mutating func synchronized(_ list: [Status], at seq: Int64) -> [StatusChange] {
        guard !hasStatuses else { return list.compactMap { received($0, at: seq) } }
        defer { (hasStatuses, boughtBefore) = (true, []) }
        return list.compactMap { status in
            let transaction = status.transaction.unsafePayloadValue
            let before = statuses[transaction.originalID]
            guard statuses.take(status, of: transaction.originalID, at: seq) else { return nil }
            // An event has come before, or this run has bought it.
            if before != nil || boughtBefore.contains(transaction.id) {
                return StatusChange(before: before?.state, status: status)
            }
            undelivered.insert(transaction.originalID)
            return nil
        }
    }

    /// Receives a status.
    /// - Returns: The change to deliver, or nil.
    mutating func received(_ status: Status, at seq: Int64) -> StatusChange? {
        let number = status.transaction.unsafePayloadValue.originalID
        let before = statuses[number]
        let isInFirst = undelivered.contains(number) && statuses.position(of: number).map { seq <= $0 } ?? false
        if statuses.take(status, of: number, at: seq) {
            undelivered.remove(number)
            return StatusChange(before: before?.state, status: status)
        }
        guard isInFirst, let before else { return nil }
        undelivered.remove(number)
        return StatusChange(before: nil, status: before)
    }

    /// Forgets what the store has deleted.
    /// - Parameter number: The transaction. Nil for all, with the statuses.
    mutating func forget(_ number: UInt64?) {
        for gone in number.map({ [$0] }) ?? known.numbers { deleted.insert(gone) }
        if let number {
            open.removeAll { $0 == number }
            return known.forget(number)
        }
        (known, open, withheld, statuses) = (LatestStates(), [], [:], LatestStates())
        (undelivered, boughtBefore) = ([], [])
    }

    /// Forgets the run. What the app has finished or bought in this process stays known.
    mutating func endRun() {
        (known, open, withheld) = (LatestStates(), [], [:])
        (statuses, hasStatuses) = (LatestStates(), false)
        (undelivered, boughtBefore) = ([], [])
    }
}

/// The last states of things by their numbers, each with the position from which the store has it.
private struct LatestStates<Value: Equatable & Sendable>: Sendable {
    private var states: [UInt64: (value: Value, seq: Int64)] = [:]

    var count: Int { states.count }
    var numbers: [UInt64] { Array(states.keys) }
    subscript(number: UInt64) -> Value? { states[number]?.value }

    func position(of number: UInt64) -> Int64? { states[number]?.seq }

    /// Takes a state, unless a later one is known.
    /// - Returns: Whether it was taken and differs from the one before.
    mutating func take(_ value: Value, of number: UInt64, at seq: Int64) -> Bool {
        let before = states[number]
        guard before.map({ $0.seq <= seq }) ?? true else { return false }
        states[number] = (value, seq)
        return before?.value != value
    }

    /// Lowers the positions to that of a stream's beginning.
    mutating func begin(at seq: Int64) { states = states.mapValues { ($0.value, min($0.seq, seq)) } }

    mutating func forget(_ number: UInt64) { states[number] = nil }

    mutating func keep(_ numbers: [UInt64]) { states = states.filter { numbers.contains($0.key) } }
}

/// A changed status of a subscription.
struct StatusChange: Sendable {
    let before: Product.SubscriptionInfo.RenewalState?
    let status: Product.SubscriptionInfo.Status

    /// Whether a charge has failed, which the app tells the customer.
    var isBillingIssue: Bool {
        let failed: [Product.SubscriptionInfo.RenewalState] = [.inGracePeriod, .inBillingRetryPeriod]
        return failed.contains(status.state) && !(before.map { failed.contains($0) } ?? false)
    }
}
