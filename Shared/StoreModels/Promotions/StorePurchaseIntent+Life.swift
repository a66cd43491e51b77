extension StorePurchaseIntent {
    /// How long an app may take to answer before the purchase counts as deferred (M86). It is this store's limit, of
    /// wall time from the moment a stream gets the intent.
    public static let answerTime: Duration = .seconds(10)
    /// How long a purchase waits altogether, of business time (this store's limit).
    public static let lifetime: Duration = .seconds(24 * 3_600)

    /// The rules of an intent's states, without I/O: an event in, the new state out.
    ///
    /// - pending → continued, deferred, cancelled, expired
    /// - deferred → continued, cancelled, expired
    ///
    /// The first decision is final (I2). The same one again has no effect, and another is refused. Only a continued
    /// intent whose payment PaymentQueue has refused returns to deferred, because no payment exists.
    public struct Life: Hashable, Sendable {
        /// The two clocks of an intent, which may differ by years.
        public struct Now: Hashable, Sendable {
            /// For `answerBy`.
            public var wall: Timestamp
            /// For `expiresAt`: the app's own clock.
            public var business: Timestamp
        }

        /// An event of an intent.
        public enum Event: Hashable, Sendable {
            /// A stream of the installation got it.
            case delivered
            /// The app was deleted before it answered: its time begins anew with the next delivery.
            case withdrawn
            case decided(DecideIntentRequest.Decision, feedback: String? = nil)
            /// PaymentQueue has the payment, so a transaction exists.
            case added
            /// PaymentQueue has refused the payment for good, so no transaction exists.
            case refused
        }

        /// The error for an event that comes too late.
        public enum Refusal: Error, Hashable, Sendable {
            /// Decided otherwise before.
            case decided(State)
            case expired
        }

        /// The state after the last event or passing of time.
        public private(set) var state: State = .pending
        /// Wall time. Nil until a stream has received the intent.
        public private(set) var answerBy: Timestamp?
        /// Business time, ``lifetime`` after the purchase began.
        public let expiresAt: Timestamp
        /// Nil unless the intent was ever deferred.
        public private(set) var deferredBy: Deferral?
        /// As ``StorePurchaseIntent/feedback``. Only a cancellation sets it.
        public private(set) var feedback: String?
        /// Whether PaymentQueue has a continued intent's transaction.
        public private(set) var isAdded: Bool = false

        /// Applies the passing of time. Called before an intent is read or decided on.
        /// - Returns: The states it has gone through, in order. Empty if no change was due.
        public mutating func pass(to now: Now) -> [State] {
            var passed: [State] = []
            if state == .pending, let answerBy, answerBy <= now.wall || answerBy > Self.answerByMax(now.wall) {
                state = .deferred
                deferredBy = .timeout
                passed.append(.deferred)
            }
            if !state.isFinal, expiresAt <= now.business {
                state = .expired
                passed.append(.expired)
            }
            return passed
        }

        /// The latest time to answer that counts. A later one was set before the wall clock was set back. It is over,
        /// so that purchases do not wait until the clock has caught up.
        public static func answerByMax(_ wall: Timestamp) -> Timestamp { wall + answerTime + answerTime }

        /// Applies an event. The caller calls ``pass(to:)`` first, with the same `now`.
        /// - Returns: Whether the intent changed. False for the same event again.
        /// - Throws: For an edge out of a final state.
        public mutating func apply(_ event: Event, at now: Now) throws(Refusal) -> Bool {
            switch event {
            case .delivered:
                guard state == .pending, answerBy == nil else { return false }
                answerBy = now.wall + answerTime
                return true
            case .withdrawn:
                guard state == .pending, answerBy != nil else { return false }
                answerBy = nil
                return true
            case .decided(let decision, let feedback):
                return try decide(decision, feedback)
            case .added:
                // What comes in after a refusal is news of an older try, and there is a transaction all the same.
                guard !isAdded, state == .continued || state == .deferred else { return false }
                state = .continued
                isAdded = true
                return true
            case .refused:
                guard state == .continued, !isAdded else { return false }
                state = .deferred
                deferredBy = deferredBy ?? .answer
                return true
            }
        }

        private mutating func decide(
            _ decision: DecideIntentRequest.Decision, _ feedback: String?
        ) throws(Refusal) -> Bool {
            let target = State(after: decision)
            guard state != target else { return false }
            switch state {
            case .pending, .deferred: break
            case .expired: throw .expired
            case .continued, .cancelled: throw .decided(state)
            }
            state = target
            switch decision {
            case .continue: break
            case .defer: deferredBy = .answer
            case .cancel: self.feedback = feedback
            }
            return true
        }

        /// A warning for the operator (M81, M84, M85), or nil for none.
        public var warning: String? {
            switch state {
            case .expired where deferredBy != nil:
                "It was deferred and expired: the app neither added the saved payment nor told the user why not. "
                    + "A new payment for the product does not continue it."
            case .cancelled where feedback == nil:
                "It was cancelled without feedback: to the user that looks like a fault."
            case .pending, .deferred, .continued, .cancelled, .expired: nil
            }
        }
    }
}

extension StorePurchaseIntent.State {
    /// The state of an open intent after a decision.
    public init(after decision: DecideIntentRequest.Decision) {
        switch decision {
        case .continue: self = .continued
        case .defer: self = .deferred
        case .cancel: self = .cancelled
        }
    }
}
