import StoreHTTP
import StoreModels

/// What the operator may do with an app's business clock.
extension StoreAPI {
    /// `GET /admin/v1/apps/{bundleId}/clock`
    func clock(_ bundleId: String) async throws(CLIError) -> AppClockState {
        try await get(ClockRoutes.get, [.bundleId: bundleId])
    }

    /// `PUT /admin/v1/apps/{bundleId}/clock`: what is nil stays as it is.
    func putClock(
        _ bundleId: String, rate: ClockRate? = nil, now: Timestamp? = nil, isFrozen: Bool? = nil
    ) async throws(CLIError) -> AppClockState {
        var body: [String: JSONValue] = [:]
        if let rate { body["rate"] = JSONText.value(rate) }
        if let now { body["now"] = JSONText.value(now) }
        if let isFrozen { body["frozen"] = .bool(isFrozen) }
        return try await call(ClockRoutes.put, [.bundleId: bundleId], body: body)
    }

    /// `POST /admin/v1/apps/{bundleId}/clock/advance`: one key is one move, however often it is sent.
    func advanceClock(
        _ bundleId: String, _ distance: ClockDistance, key: String, timeout: Duration
    ) async throws(CLIError) -> ClockMove {
        let request = request(
            ClockRoutes.advance, [.bundleId: bundleId], key: key,
            body: Array(JSONText.line(.object(distance.body)).utf8), timeout: timeout)
        return try decode(ClockMove.self, await exchange(request))
    }

    /// The path a move that was not finished named.
    func clockMove(at path: String) async throws(CLIError) -> ClockMove {
        try decode(ClockMove.self, await exchange(StoreRequest(.get, path, token: adminKey)))
    }
}

/// What `POST …/clock/advance` answers: how far the move is, and where to ask for the rest of it.
///
/// ```json
/// {"advanceIdentifier":"…","from":"…","to":"…","isFinished":false,"eventCount":12000,"remaining":88000,"events":[…],
///  "truncated":true,"progress":"/admin/v1/apps/com.example.app/clock/advances/…"}
/// ```
struct ClockMove: Hashable, Sendable, Decodable {
    var advance: ClockAdvance
    /// A path of the store's; absent once the move is finished.
    var progress: String?

    private enum CodingKeys: String, CodingKey { case progress }

    init(from decoder: any Decoder) throws {
        advance = try ClockAdvance(from: decoder)
        progress = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .progress)
    }
}

/// How far a clock is to be moved.
enum ClockDistance: Hashable, Sendable {
    /// A length of business time, as it was written.
    case by(String)
    case to(Timestamp)
    /// To the next event, and through as many.
    case next(Int)

    var body: [String: JSONValue] {
        switch self {
        case .by(let text): ["by": .string(text)]
        case .to(let instant): ["to": JSONText.value(instant)]
        case .next(let count): ["next": .integer(count)]
        }
    }
}
