internal import StoreModels

/// The purchases that began in the store, with the app's notifications and decisions. Pure.
///
/// The store sends each stream everything pending, so an intent comes again when a connection breaks before it is
/// decided: the app is asked once in a run, and its answer is kept (M60, M77). Decisions about one intent are sent one
/// after the other, so the store receives them in the order they were made.
struct IntentTable: Sendable {
    /// Delivered and not decided, oldest first.
    private(set) var undecided: [StoreModels.PurchaseIntent] = []
    private var decided = BoundedSet<String>(count: ClientLimits.intentsMax)
    /// Whose payment is or was in the queue.
    private var continued = BoundedSet<String>(count: ClientLimits.intentsMax)
    /// On their way to the store, and what is to be sent after them.
    private var sending: [String: [IntentDecision]] = [:]

    /// How many decisions the store has not answered.
    var unansweredCount: Int { sending.values.reduce(0) { $0 + 1 + $1.count } }

    /// The store reports a purchase.
    /// - Returns: Whether the app is to be notified.
    mutating func told(_ intent: StoreModels.PurchaseIntent) -> Bool {
        let id = intent.intentIdentifier
        guard !isDecided(id), sending[id] == nil, !undecided.contains(where: { $0.intentIdentifier == id }) else {
            return false
        }
        // The store has fifty at most. One more is left to it: it is deferred without an answer.
        guard undecided.count < ClientLimits.intentsMax else { return false }
        undecided.append(intent)
        return true
    }

    /// The queue had no observer to ask: the next stream delivers it again.
    mutating func withdraw(_ id: String) { undecided.removeAll { $0.intentIdentifier == id } }

    /// Whether the app has decided about it.
    func isDecided(_ id: String) -> Bool { decided.contains(id) }

    /// Whether continuing it adds a payment; true once (I3).
    mutating func addsPayment(_ id: String) -> Bool { continued.insert(id) }

    /// The app has decided.
    /// - Returns: What is to be sent now; nil when another decision is on its way.
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

    /// The store has answered a decision, or will not.
    /// - Returns: What is to be sent next.
    mutating func answered(_ id: String) -> IntentDecision? {
        guard var rest = sending.removeValue(forKey: id), !rest.isEmpty else { return nil }
        let next = rest.removeFirst()
        sending[id] = rest
        return next
    }

    /// The last observer and iterator are gone: what is pending is delivered, and asked, again at the next launch.
    mutating func endRun() {
        undecided = []
        decided = BoundedSet(count: ClientLimits.intentsMax)
    }
}
