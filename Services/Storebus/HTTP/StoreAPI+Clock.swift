import StoreHTTP
import StoreModels

/// What the operator may do with an app's business clock.
extension StoreAPI {
    /// `GET /admin/v1/apps/{bundleId}/clock`
    func clock(_ bundleId: String) async throws(CLIError) -> AppClockState {
        try await call(ClockRoutes.get, [.bundleId: bundleId])
    }

    /// `PUT /admin/v1/apps/{bundleId}/clock`: what is nil stays as it is.
    func putClock(
        _ bundleId: String, rate: ClockRate? = nil, now: Timestamp? = nil, isFrozen: Bool? = nil
    ) async throws(CLIError) -> AppClockState {
        try await call(
            ClockRoutes.put, [.bundleId: bundleId], body: ClockSetting(rate: rate, now: now, frozen: isFrozen))
    }

    /// `POST /admin/v1/apps/{bundleId}/clock/advance`: one key is one move, however often it is sent.
    func advanceClock(
        _ bundleId: String, _ distance: ClockDistance, key: String, timeout: Duration
    ) async throws(CLIError) -> ClockAdvanceAnswer {
        try await call(
            ClockRoutes.advance, [.bundleId: bundleId], key: key, body: distance.body, timeout: timeout)
    }

    /// The path a move that was not finished named.
    func clockMove(at path: String) async throws(CLIError) -> ClockAdvanceAnswer {
        try decode(ClockRoutes.progress, await exchange(StoreRequest(.get, path, token: adminKey)))
    }
}

/// How far a clock is to be moved.
enum ClockDistance: Hashable, Sendable {
    /// A length of business time, as it was written.
    case by(String)
    case to(Timestamp)
    /// To the next event, and through as many.
    case next(Int)

    var body: ClockMove {
        switch self {
        case .by(let text): ClockMove(by: text)
        case .to(let instant): ClockMove(to: instant)
        case .next(let count): ClockMove(next: count)
        }
    }
}
