/// The requests in flight on one connection, by the token that ends their reply subject.
struct PendingRequests {
    /// Who waits, and for what.
    enum Waiter {
        /// One answer.
        case one(CheckedContinuation<Result<BusMessage, BusError>, Never>)
        /// Up to `max` answers; `answers` have come.
        case many(CheckedContinuation<Result<[BusMessage], BusError>, Never>, max: Int, answers: [BusMessage])

        /// Ends the wait without (another) answer.
        func fail(_ error: BusError) {
            switch self {
            case .one(let continuation): continuation.resume(returning: .failure(error))
            case .many(let continuation, _, let answers):
                // Time running out is how collecting ends; everything else is an error even after some answers.
                continuation.resume(returning: error.code == .timeout ? .success(answers) : .failure(error))
            }
        }
    }

    private var waiters: [UInt64: Waiter] = [:]

    var count: Int { waiters.count }

    /// Adds a waiter under a token that no request of this connection had before.
    mutating func add(_ waiter: Waiter, token: UInt64) {
        waiters[token] = waiter
    }

    func contains(_ token: UInt64) -> Bool { waiters[token] != nil }

    /// Takes the waiter out, to fail it.
    mutating func remove(_ token: UInt64) -> Waiter? { waiters.removeValue(forKey: token) }

    /// Takes all waiters out, in no order.
    mutating func removeAll() -> [Waiter] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }

    /// Hands over an answer. Returns what to do once no lock is held: resume somebody, or nothing for a late answer or
    /// one of several.
    mutating func answer(_ token: UInt64, with message: BusMessage) -> (() -> Void)? {
        guard let waiter = waiters[token] else { return nil }
        if let error = Self.error(status: message.status) {
            waiters[token] = nil
            return { waiter.fail(error) }
        }
        switch waiter {
        case .one(let continuation):
            waiters[token] = nil
            return { continuation.resume(returning: .success(message)) }
        case .many(let continuation, let max, var answers):
            // Emptied first, so that appending does not copy.
            waiters[token] = nil
            answers.append(message)
            if answers.count < max {
                waiters[token] = .many(continuation, max: max, answers: answers)
                return nil
            }
            return { [answers] in continuation.resume(returning: .success(answers)) }
        }
    }

    /// The error a status stands for; nil when there is none.
    private static func error(status: Int?) -> BusError? {
        switch status {
        case nil: nil
        case 503: BusError(.noResponders, "nobody takes this subject", origin: .broker)
        case 429: BusError(.overloaded, "everybody who takes this subject is overloaded", origin: .broker)
        case let status?: BusError(.refused, "the broker answered with status \(status)", origin: .broker)
        }
    }
}
