internal import StoreModels

/// The purchase intents, with the app's notifications and decisions. The type is pure.
///
/// Each stream begins with every pending intent, so an undecided intent comes again after a broken connection. The
/// queue asks the app once in a run (M60, M77). It sends decisions about one intent one after the other, so the store
/// receives them in the order they were made.
struct PendingIntents: Sendable {
    /// The delivered, undecided intents, oldest first.
    private(set) var undecided: [StorePurchaseIntent] = []
    private var decided = BoundedSet<String>(count: ClientLimits.intentsMax)
    /// The intents whose payment was added to the queue.
    private var continued = BoundedSet<String>(count: ClientLimits.intentsMax)
    /// The intents with a decision on its way, each with the decisions to send afterwards.
    private var sending: [String: [IntentDecision]] = [:]

    /// The number of decisions without a response.
    var unansweredCount: Int { sending.values.reduce(0) { $0 + 1 + $1.count } }

    /// Records an intent that the store reports.
    /// - Returns: Whether the app is to be notified.
    mutating func received(_ intent: StorePurchaseIntent) -> Bool {
        let id = intent.intentIdentifier
        guard !isDecided(id), sending[id] == nil, !undecided.contains(where: { $0.intentIdentifier == id }) else {
            return false
        }
        // The store has at most 50 open intents. It defers further ones itself, without an answer of the app.
        guard undecided.count < ClientLimits.intentsMax else { return false }
        undecided.append(intent)
        return true
    }

    /// Removes an intent that no observer handled. The next stream delivers it again.
    mutating func withdraw(_ id: String) { undecided.removeAll { $0.intentIdentifier == id } }

    /// Whether the app has decided about the intent.
    func isDecided(_ id: String) -> Bool { decided.contains(id) }

    /// Records that the intent is continued.
    /// - Returns: Whether this adds a payment. True once (I3).
    mutating func addsPayment(_ id: String) -> Bool { continued.insert(id) }

    /// Records the app's decision.
    /// - Returns: The decision to send now, or nil while another one is on its way.
    mutating func decide(_ decision: IntentDecision) -> IntentDecision? {
        let id = decision.intentIdentifier
        withdraw(id)
        decided.insert(id)
        guard sending[id] == nil else {
            sending[id]?.append(decision)
            return nil
        }
        sending[id] = []
        return decision
    }

    /// Records that sending a decision has ended, with or without a response.
    /// - Returns: The decision to send next, or nil without one.
    mutating func answered(_ id: String) -> IntentDecision? {
        guard var rest = sending.removeValue(forKey: id), !rest.isEmpty else { return nil }
        let next = rest.removeFirst()
        sending[id] = rest
        return next
    }

    /// Forgets pending intents when the last observer or iterator is removed. The next launch delivers them again.
    mutating func endRun() {
        undecided = []
        decided = BoundedSet(count: ClientLimits.intentsMax)
    }
}
