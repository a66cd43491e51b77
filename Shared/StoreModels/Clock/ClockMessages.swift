/// An app's business clock as it is now:
///
/// ```json
/// {"bundleId":"com.example.app","now":"2026-12-21T10:00:00.000Z","rate":"realTime","frozen":false,"epoch":3,
///  "nextEvent":"2026-12-28T10:00:00.000Z","since":"2026-12-21T09:00:00.000Z"}
/// ```
public struct AppClockState: Hashable, Sendable, Codable {
    @ShownApp public var bundleId: String
    /// The business clock at the moment of reading.
    public var now: Timestamp
    /// How fast it runs when it is not frozen.
    public var rate: ClockRate
    /// Whether business time stops. Then only a setting or move changes `now`.
    public var frozen: Bool
    /// Grows by one with each setting and each move.
    public var epoch: Int64
    /// The instant the next renewal, retry or expiry is due. Absent if none is due.
    public var nextEvent: Timestamp?
    /// Business time at the last setting or move. From there on the clock has run evenly.
    public var since: Timestamp?
}

/// Sets a clock. A member left out stays as it is. `now` may lie in the past, and no period is billed twice.
public struct PutClockRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Nil keeps the present rate.
    public var rate: ClockRate?
    /// Nil keeps the present time.
    public var now: Timestamp?
    /// True stops the clock, false lets it run. Nil keeps the present state.
    public var frozen: Bool?
}

/// Moves a clock forward by exactly one of three measures. Events that fall due on the way happen.
public struct AdvanceClockRequest: Hashable, Sendable, Codable {
    /// How many events `next` may pass.
    public static let nextMax = 1_000

    public var bundleId: String
    /// The idempotency key: a repeated key is the same move.
    public var requestKey: String
    /// A length of time as ``BusinessDuration`` reads it, `3mo`, `P3M`, `36h`.
    public var by: String?
    /// The instant to move to, not before the clock's now.
    public var to: Timestamp?
    /// Moves through this many events, 1…1000. Without any event due the clock stays.
    public var next: Int?
}

/// Asks for the progress of a move.
public struct AdvanceRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// From ``ClockAdvance/advanceIdentifier`` of the move's first answer.
    public var advanceIdentifier: String
}

/// The progress of a move of the clock. The clock shows `to` from the first answer on. `isFinished` says that
/// everything due by then has happened.
public struct ClockAdvance: Hashable, Sendable, Codable {
    /// The most `events` of an answer.
    public static let eventsMax = 100

    /// Made by the service, beginning with `a_`. It names the move in ``AdvanceRequest``.
    public var advanceIdentifier: String
    @ShownApp public var bundleId: String
    /// Business time before the move.
    public var from: Timestamp
    /// Business time after the move.
    public var to: Timestamp
    /// Whether everything due by `to` has happened.
    public var isFinished: Bool
    /// The number of events so far.
    public var eventCount: Int
    /// Subscriptions for which an event is still due.
    public var remaining: Int
    /// The first events, oldest first. `truncated` says that there were more.
    public var events: [SubscriptionEvent]
    /// Whether there are more events than the list has.
    public var truncated: Bool
}
