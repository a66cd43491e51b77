import StoreModels

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
