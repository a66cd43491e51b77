import Chaos
import EventLoop
import StoreModels

/// The knowledge that the workers of a run share: customers, and results of earlier operations.
final class ChaosWorld: Sendable {
    /// A device of an account, in places of the run's lists.
    struct Phone: Hashable, Sendable {
        var account: String
        var device: String
    }

    /// A request under a key whose outcome is not known.
    struct Unresolved: Sendable {
        var operation: HistoryEntry.Operation
        var phone: Phone
        var product: String?
        var asksToBuy = false
        /// The intent whose saved payment it is.
        var intent: String?
    }

    private struct State {
        var nextProcess: Int
        var nextKey = 0
        var sessions: [String: String] = [:]  // keys: devices of the run's own
        var storeSessions: [String: String] = [:]  // keys: devices of the run's own
        var unresolved: [(key: String, request: Unresolved)] = []
        /// Keys that were answered, the newest last.
        var answered: [(key: String, request: Unresolved)] = []
        var unfinished: [(id: String, phone: Phone)] = []
        var deferred: [(id: String, phone: Phone)] = []
        var purchased: [(id: String, phone: Phone)] = []
        var subscriptions: [(id: String, phone: Phone)] = []
        /// Purchases that were taken back.
        var revoked: [(id: String, phone: Phone)] = []
        var intents: [(id: String, phone: Phone)] = []
        /// Intents whose payment the app has saved, with the product.
        var deferredIntents: [(id: String, product: String, phone: Phone)] = []
        /// Transactions of the histories that the run reads in the end.
        var finallyPurchased: Set<ExactText> = []
        var counts: [HistoryEntry.Operation: Int] = [:]
        var successes: [HistoryEntry.Operation: Int] = [:]
        var arePaused = false
    }

    let bundleId: String
    /// Accounts of the workers and two more, one with a refused and one with a cancelled subscription.
    let accounts: [String]
    /// Number of accounts that workers use, the first ones.
    let shoppers: Int
    let devicesEach: Int
    private let state: Locked<State>

    /// Number of remembered things of each kind. Older ones are forgotten.
    private static let keptMax = 256

    /// Numbers of observers begin here. The workers' numbers skip a thousand.
    static let firstObserver = 1_000

    /// - Parameters:
    ///   - name: Distinguishes the run's app and accounts from those of another on the same store.
    ///   - workers: Number of workers, which have the first processes.
    init(name: String, accounts: Int, devicesEach: Int, workers: Int) {
        bundleId = "chaos.\(name)"
        self.accounts = (1...accounts + 2).map { "chaos-\(name)-\($0)" }
        shoppers = accounts
        self.devicesEach = devicesEach
        state = Locked(State(nextProcess: workers + 1))
    }

    func phone(_ account: Int, _ device: Int) -> Phone {
        Phone(account: accounts[account], device: "\(accounts[account])-\(device + 1)")
    }

    var phones: [Phone] {
        accounts.indices.flatMap { account in (0..<devicesEach).map { phone(account, $0) } }
    }

    // MARK: Processes and keys

    /// The number of a worker that goes on behind an operation with an unknown outcome.
    func newProcess() -> Int {
        state.withLock { state in
            defer { state.nextProcess += 1 }
            return state.nextProcess < Self.firstObserver ? state.nextProcess : state.nextProcess + Self.firstObserver
        }
    }

    func newKey() -> String {
        state.withLock { state in
            state.nextKey += 1
            return "\(bundleId)-\(state.nextKey)"
        }
    }

    // MARK: Sessions

    func session(_ phone: Phone, ofStore: Bool) -> String? {
        state.withLock { ofStore ? $0.storeSessions[phone.device] : $0.sessions[phone.device] }
    }

    func keep(_ token: String?, _ phone: Phone, ofStore: Bool) {
        state.withLock { state in
            if ofStore { state.storeSessions[phone.device] = token } else { state.sessions[phone.device] = token }
        }
    }

    // MARK: Keys with an outcome, and without

    func unresolve(_ key: String, _ request: Unresolved) {
        state.withLock { state in
            if !state.unresolved.contains(where: { $0.key == key }) { state.unresolved.append((key, request)) }
        }
    }

    func resolve(_ key: String, _ request: Unresolved) {
        state.withLock { state in
            state.unresolved.removeAll { $0.key == key }
            if !state.answered.contains(where: { $0.key == key }) {
                state.answered.append((key, request))
                if state.answered.count > Self.keptMax { state.answered.removeFirst() }
            }
        }
    }

    var unresolved: [(key: String, request: Unresolved)] { state.withLock { $0.unresolved } }

    /// A key to send again: an unresolved one before one with an answer.
    func keyToRetry(_ pick: UInt64) -> (key: String, request: Unresolved)? {
        state.withLock { Self.choose($0.unresolved, pick) ?? Self.choose($0.answered, pick) }
    }

    func answeredPurchase(_ pick: UInt64) -> (key: String, request: Unresolved)? {
        state.withLock { Self.choose($0.answered.filter { $0.request.operation == .purchase }, pick) }
    }

    // MARK: Transactions and intents

    /// Notes a transaction as a response has shown it.
    func note(_ transaction: PaymentTransaction, _ phone: Phone) {
        state.withLock { state in
            let entry = (id: transaction.id, phone: phone)
            state.deferred.removeAll { $0.id.isExactly(transaction.id) }
            if transaction.transactionState == .deferred { Self.keep(entry, in: &state.deferred) }
            if transaction.transactionState.isFinishable { Self.keep(entry, in: &state.unfinished) }
            guard transaction.transactionState == .purchased else { return }
            guard transaction.revocationDate == nil else {
                state.purchased.removeAll { $0.id.isExactly(transaction.id) }
                state.revoked.removeAll { $0.id.isExactly(transaction.id) }
                Self.keep(entry, in: &state.revoked)
                return
            }
            Self.keep(entry, in: &state.purchased)
            if transaction.subscriptionGroupIdentifier != nil { Self.keep(entry, in: &state.subscriptions) }
        }
    }

    /// Notes the history that the run reads of a customer in the end.
    func noteFinally(_ transactions: [PaymentTransaction]) {
        let purchased = transactions.filter { $0.transactionState == .purchased }.map { ExactText($0.id) }
        state.withLock { $0.finallyPurchased.formUnion(purchased) }
    }

    /// Returns whether a transaction is among the purchases that the run has read in the end.
    func isFinallyPurchased(_ id: String) -> Bool { state.withLock { $0.finallyPurchased.contains(ExactText(id)) } }

    func noteIntent(_ id: String, _ phone: Phone) {
        state.withLock { Self.keep((id, phone), in: &$0.intents) }
    }

    func deferIntent(_ id: String, _ product: String, _ phone: Phone) {
        state.withLock { state in
            state.deferredIntents.append((id, product, phone))
            if state.deferredIntents.count > Self.keptMax { state.deferredIntents.removeFirst() }
        }
    }

    func deferredIntent(_ pick: UInt64) -> (id: String, product: String, phone: Phone)? {
        state.withLock { Self.choose($0.deferredIntents, pick) }
    }

    /// Deferred transactions of an account.
    func deferred(of account: String) -> [(id: String, phone: Phone)] {
        state.withLock { $0.deferred.filter { $0.phone.account.isExactly(account) } }
    }

    /// Subscriptions of an account.
    func subscriptions(of account: String) -> [(id: String, phone: Phone)] {
        state.withLock { $0.subscriptions.filter { $0.phone.account.isExactly(account) } }
    }

    /// Removes a transaction that a finish, decision or refund has settled.
    func forget(_ id: String) {
        state.withLock { state in
            for list in [\State.unfinished, \.deferred, \.intents] {
                state[keyPath: list].removeAll { $0.id.isExactly(id) }
            }
        }
    }

    func unfinished(_ pick: UInt64) -> (id: String, phone: Phone)? {
        state.withLock { Self.choose($0.unfinished, pick) }
    }
    func deferred(_ pick: UInt64) -> (id: String, phone: Phone)? { state.withLock { Self.choose($0.deferred, pick) } }
    func purchased(_ pick: UInt64) -> (id: String, phone: Phone)? { state.withLock { Self.choose($0.purchased, pick) } }
    func revoked(_ pick: UInt64) -> (id: String, phone: Phone)? { state.withLock { Self.choose($0.revoked, pick) } }
    func intent(_ pick: UInt64) -> (id: String, phone: Phone)? { state.withLock { Self.choose($0.intents, pick) } }
    func subscription(_ pick: UInt64) -> (id: String, phone: Phone)? {
        state.withLock { Self.choose($0.subscriptions, pick) }
    }

    /// Counts from the newest.
    private static func choose<Element>(_ list: [Element], _ pick: UInt64) -> Element? {
        list.isEmpty ? nil : list[list.count - 1 - Int(pick % UInt64(list.count))]
    }

    private static func keep(_ entry: (id: String, phone: Phone), in list: inout [(id: String, phone: Phone)]) {
        list.append(entry)
        if list.count > keptMax { list.removeFirst() }
    }

    // MARK: Streams

    /// Whether the streams that are open are not read.
    var arePaused: Bool {
        get { state.withLock { $0.arePaused } }
        set { state.withLock { $0.arePaused = newValue } }
    }

    // MARK: Counts

    /// Counts an operation that ended.
    func count(_ operation: HistoryEntry.Operation, _ kind: HistoryEntry.Kind) {
        state.withLock { state in
            state.counts[operation, default: 0] += 1
            if kind == .ok { state.successes[operation, default: 0] += 1 }
        }
    }

    /// Operations that ended, by class.
    var counts: [HistoryEntry.Operation: Int] { state.withLock { $0.counts } }
    var successes: [HistoryEntry.Operation: Int] { state.withLock { $0.successes } }
}
