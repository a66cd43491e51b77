/// The requests in flight on one connection, by the token that ends their reply subject.
package struct PendingRequests {
    /// The caller that waits, for one reply or for several.
    package enum Waiter {
        /// One answer.
        case one(CheckedContinuation<Result<BusMessage, BusError>, Never>)
        /// Up to `max` answers. Those in `replies` have come.
        case many(CheckedContinuation<Result<[BusMessage], BusError>, Never>, max: Int, replies: [BusMessage])

        /// Ends the wait without (another) answer.
        package func fail(_ error: BusError) {
            switch self {
            case .one(let continuation): continuation.resume(returning: .failure(error))
            case .many(let continuation, _, let replies):
                // Time running out is how collecting ends; everything else is an error even after some answers.
                continuation.resume(returning: error.code == .timeout ? .success(replies) : .failure(error))
            }
        }
    }

    private struct Entry {
        var waiter: Waiter
        let subject: String
    }

    private var entries: [UInt64: Entry] = [:]

    /// Creates an empty table, as each connection begins.
    package init() {}

    /// Requests in flight, at most 65 536.
    package var count: Int { entries.count }

    /// Adds a waiter under a token that no request of this connection had before.
    package mutating func add(_ waiter: Waiter, token: UInt64, subject: String) {
        entries[token] = Entry(waiter: waiter, subject: subject)
    }

    /// Whether a request with this token still waits.
    package func contains(_ token: UInt64) -> Bool { entries[token] != nil }

    /// Takes the waiter out, to fail it.
    package mutating func remove(_ token: UInt64) -> Waiter? { entries.removeValue(forKey: token)?.waiter }

    /// Takes all waiters out, in no order.
    package mutating func removeAll() -> [Waiter] {
        defer { entries = [:] }
        return entries.values.map(\.waiter)
    }

    /// Takes out all that wait for answers to one subject.
    package mutating func removeAll(subject: String) -> [Waiter] {
        let tokens = entries.filter { $0.value.subject == subject }.keys
        return tokens.compactMap { remove($0) }
    }

    /// Takes a reply for the waiter of a token.
    ///
    /// - Returns: The waiter's resumption, to be run once no lock is held. Nil for a late reply, and for one of several
    ///   that is not the last.
    package mutating func reply(_ token: UInt64, with message: BusMessage) -> (() -> Void)? {
        guard let entry = entries[token] else { return nil }
        let waiter = entry.waiter
        if let error = Self.error(status: message.status) {
            entries[token] = nil
            return { waiter.fail(error) }
        }
        switch waiter {
        case .one(let continuation):
            entries[token] = nil
            return { continuation.resume(returning: .success(message)) }
        case .many(let continuation, let max, var replies):
            // Emptied first, so that appending does not copy.
            entries[token] = nil
            replies.append(message)
            if replies.count < max {
                entries[token] = Entry(waiter: .many(continuation, max: max, replies: replies), subject: entry.subject)
                return nil
            }
            return { [replies] in continuation.resume(returning: .success(replies)) }
        }
    }

    /// The error that a status means. Nil without a status.
    private static func error(status: Int?) -> BusError? {
        switch status {
        case nil: nil
        case 503: BusError(.noResponders, "no subscriber for this subject", origin: .broker)
        case 429: BusError(.overloaded, "every subscriber of this subject is overloaded", origin: .broker)
        case 502: BusError(.takerLost, "the member that took the request has gone", origin: .broker)
        case let status?: BusError(.refused, "the broker answered with status \(status)", origin: .broker)
        }
    }
}
