import StoreModels

/// The goal of a clock's move, parsed from a request without I/O.
enum AdvanceGoal: Hashable, Sendable {
    case instant(Timestamp)
    /// Through this number of next events.
    case events(Int)

    /// Parses a request.
    /// - Parameter now: The app's clock.
    /// - Throws: `requestInvalid` unless there is exactly one measure, and for a goal before `now` or too far away.
    init(_ request: AdvanceClockRequest, now: Timestamp) throws(StoreError) {
        switch (request.by, request.to, request.next) {
        case (let by?, nil, nil):
            guard let duration = BusinessDuration(by) else {
                throw Self.invalid("by", "'\(by)' is not a duration such as 36h, 10d, 3mo or P3M, up to 100 years")
            }
            self = .instant(try Self.check(duration.end(from: now), "by"))
        case (nil, let to?, nil):
            guard to >= now else {
                throw Self.invalid(
                    "to",
                    "\(to) is in the past, it is \(now): advancing only goes forward; setting the clock also goes back")
            }
            self = .instant(try Self.check(to, "to"))
        case (nil, nil, let next?):
            guard (1...AdvanceClockRequest.nextMax).contains(next) else {
                throw Self.invalid("next", "next must be 1 to \(AdvanceClockRequest.nextMax)")
            }
            self = .events(next)
        default: throw StoreError(.requestInvalid, "a clock is moved by one of 'by', 'to' and 'next'")
        }
    }

    /// Returns a text that shows whether a repeated key has the same move.
    static func fingerprint(_ request: AdvanceClockRequest) -> String {
        "by=\(request.by ?? "") to=\(request.to?.description ?? "") next=\(request.next.map(String.init) ?? "")"
    }

    /// Checks that a clock can be set to an instant.
    /// - Throws: `requestInvalid` for an instant before 1970 or after ``AppClock/latest``.
    static func check(_ instant: Timestamp, _ member: String) throws(StoreError) -> Timestamp {
        guard instant.milliseconds >= 0, instant <= AppClock.latest else {
            throw invalid(member, "a clock can be set between 1970 and \(AppClock.latest)")
        }
        return instant
    }

    private static func invalid(_ member: String, _ message: String) -> StoreError {
        StoreError(.requestInvalid, message, details: ["path": .string("$.\(member)")])
    }
}
