import StoreModels

/// What is late or goes wrong around a charge, as a sandbox orders it. The decision itself is a ``ChargeDecision``.
package struct ChargeTrouble: Hashable, Sendable {
    /// What becomes of a key's first answer. Whoever asks again with the same key is answered.
    package enum FirstAnswer: Hashable, Sendable {
        case given
        /// It never comes, and its request has charged nothing.
        case withheldBefore
        /// The charge stands, and its answer never comes.
        case withheldAfter
        /// The charge stands, and its answer is a failure.
        case failedAfter
    }

    /// Before anything is written; for keys the ledger does not know yet.
    package var delay: Duration
    package var firstAnswer: FirstAnswer
    /// When callbacks about a new charge are sent, each counted from its commit.
    package var callbacks: [Duration]

    package init(
        delay: Duration = .zero, firstAnswer: FirstAnswer = .given, callbacks: [Duration] = []
    ) {
        self.delay = delay
        self.firstAnswer = firstAnswer
        self.callbacks = callbacks
    }

    package static let none = ChargeTrouble()
}

extension ChargeTrouble {
    /// How long a slow processor takes.
    static let slowDelay: Duration = .seconds(2)
    /// Both are late: the answer has been there for a while.
    static let duplicateCallbacks: [Duration] = [.seconds(1), .seconds(2)]

    init(_ mode: ProcessorMode) {
        switch mode {
        case .approve, .decline, .pending: self = .none
        case .timeoutBefore: self.init(firstAnswer: .withheldBefore)
        case .timeoutAfter: self.init(firstAnswer: .withheldAfter)
        case .errorAfter: self.init(firstAnswer: .failedAfter)
        case .slow: self.init(delay: Self.slowDelay)
        case .duplicateCallback: self.init(callbacks: Self.duplicateCallbacks)
        }
    }
}
