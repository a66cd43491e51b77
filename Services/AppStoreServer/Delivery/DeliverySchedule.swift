import StoreModels

/// Decides when a failed attempt is repeated, without I/O.
struct DeliverySchedule: Hashable, Sendable {
    /// When an attempt is due.
    enum Due: Hashable, Sendable {
        /// By the app's clock.
        case business(Timestamp)
        /// By the wall clock.
        case wall(Timestamp)
    }

    /// Hours of the app's clock between an attempt and the next, as Apple has them.
    static let hours: [Int64] = [1, 12, 24, 48, 72]
    /// Seconds of real time between an attempt and the next.
    static let seconds: [Int64] = [1, 2, 4, 8, 16]

    let retry: NotificationEndpoint.Retry

    /// Returns when the next attempt is due.
    /// - Parameters:
    ///   - attempts: The number of attempts so far, from 1.
    ///   - attempted: Business time of the last one.
    ///   - wall: The wall clock at its end.
    /// - Returns: The time, or nil after the last attempt.
    func next(afterAttempts attempts: Int, attempted: Timestamp, wall: Timestamp) -> Due? {
        switch retry {
        case .sandbox: return nil
        case .apple:
            guard Self.hours.indices.contains(attempts - 1) else { return nil }
            return .business(attempted + .seconds(Self.hours[attempts - 1] * 3_600))
        case .fast:
            guard Self.seconds.indices.contains(attempts - 1) else { return nil }
            return .wall(wall + .seconds(Self.seconds[attempts - 1]))
        }
    }
}

/// An app's clock, for the times of due attempts, without I/O.
struct DeliveryClock: Hashable, Sendable {
    /// The app's clock.
    let now: Timestamp
    /// The latest instant by which all due events of the store have happened.
    let settled: Timestamp
    private let since: Timestamp

    /// - Parameter state: The clock, read before the store's events are.
    init(_ state: AppClockState) {
        let since = state.since ?? state.now
        now = state.now
        self.since = since
        // A jump has passed instants whose renewals are still being made; attempts wait for theirs. While the clock
        // runs evenly, a renewal that is late holds nothing up.
        settled = state.nextEvent.map { $0 < since ? $0 : state.now } ?? state.now
    }

    /// Returns the business time of an attempt.
    ///
    /// A jump passes the instants at which attempts were due. They are made at these, in their order.
    func instant(due: Timestamp?) -> Timestamp {
        guard let due, due < since else { return now }
        return min(due, now)
    }
}
