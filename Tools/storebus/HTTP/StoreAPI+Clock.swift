import StoreHTTP
import StoreModels

/// Operator's requests about an app's business clock.
extension StoreAPI {
    /// `GET /admin/v1/apps/{bundleId}/clock`
    func clock(_ bundleId: String) async throws(CLIError) -> AppClockState {
        try await call(ClockRoutes.get, [.bundleId: bundleId])
    }

    /// `PUT /admin/v1/apps/{bundleId}/clock`: nil keeps a value.
    func putClock(
        _ bundleId: String, rate: ClockRate? = nil, now: Timestamp? = nil, isFrozen: Bool? = nil
    ) async throws(CLIError) -> AppClockState {
        try await call(
            ClockRoutes.put, [.bundleId: bundleId], body: ClockSetting(rate: rate, now: now, frozen: isFrozen))
    }

    /// `POST /admin/v1/apps/{bundleId}/clock/advance`: one key is one advance, also when it is repeated.
    func advanceClock(
        _ bundleId: String, _ distance: ClockDistance, key: String, timeout: Duration
    ) async throws(CLIError) -> ClockAdvanceAnswer {
        try await call(
            ClockRoutes.advance, [.bundleId: bundleId], key: key, body: distance.body, timeout: timeout)
    }

    /// Reads the progress of an advance, from the path in its response.
    func clockMove(at path: String) async throws(CLIError) -> ClockAdvanceAnswer {
        try decode(ClockRoutes.progress, await exchange(StoreRequest(.get, path, token: adminKey)))
    }
}

/// The distance of an advance.
enum ClockDistance: Hashable, Sendable {
    /// A duration of business time as text.
    case by(String)
    case to(Timestamp)
    /// Through this number of events.
    case next(Int)

    var body: ClockMove {
        switch self {
        case .by(let text): ClockMove(by: text)
        case .to(let instant): ClockMove(to: instant)
        case .next(let count): ClockMove(next: count)
        }
    }
}
