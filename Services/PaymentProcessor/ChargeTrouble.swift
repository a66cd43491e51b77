import StoreModels

/// Delays and faults of a charge, as a sandbox orders them. The decision itself is a ``ChargeDecision``.
package struct ChargeTrouble: Hashable, Sendable {
    /// What happens to a key's first answer. A repeated request with the same key is answered.
    package enum FirstAnswer: Hashable, Sendable {
        case given
        /// It is never sent, and its request has charged nothing.
        case withheldBefore
        /// The charge is recorded, and its answer is never sent.
        case withheldAfter
        /// The charge is recorded, and its answer is an error.
        case failedAfter
    }

    /// Delay before anything is written, for unknown keys.
    package var delay: Duration
    package var firstAnswer: FirstAnswer
    /// Delays of callbacks about a new charge, each counted from its commit.
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
    /// Delay of a slow processor.
    static let slowDelay: Duration = .seconds(2)
    /// Both are late: the answer was sent before.
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
