import StoreModels

/// The simulated delays and faults of a charge. The outcome is a ``ChargeDecision``.
package struct ChargeTrouble: Hashable, Sendable {
    /// The fault of a key's first reply. A repeated request gets its reply.
    package enum FirstReply: Hashable, Sendable {
        case delivered
        /// The reply is never sent, and nothing was charged.
        case withheldBeforeCharge
        /// The charge is recorded, and its reply is never sent.
        case withheldAfterCharge
        /// The charge is recorded, and its reply is an error.
        case failedAfterCharge
    }

    /// The delay before an unknown key is written.
    package var delay: Duration
    /// The fault of the key's first reply.
    package var firstReply: FirstReply
    /// The delays of callbacks about a new charge, each counted from its commit.
    package var callbacks: [Duration]

    /// Creates faults, by default none.
    package init(
        delay: Duration = .zero, firstReply: FirstReply = .delivered, callbacks: [Duration] = []
    ) {
        self.delay = delay
        self.firstReply = firstReply
        self.callbacks = callbacks
    }

    /// No delays and no faults.
    package static let none = ChargeTrouble()
}

extension ChargeTrouble {
    /// The delay of a slow processor.
    static let slowDelay: Duration = .seconds(2)
    /// The delays of duplicate callbacks, both after the reply.
    static let duplicateCallbacks: [Duration] = [.seconds(1), .seconds(2)]

    init(_ mode: ProcessorMode) {
        switch mode {
        case .approve, .decline, .pending: self = .none
        case .timeoutBefore: self.init(firstReply: .withheldBeforeCharge)
        case .timeoutAfter: self.init(firstReply: .withheldAfterCharge)
        case .errorAfter: self.init(firstReply: .failedAfterCharge)
        case .slow: self.init(delay: Self.slowDelay)
        case .duplicateCallback: self.init(callbacks: Self.duplicateCallbacks)
        }
    }
}
