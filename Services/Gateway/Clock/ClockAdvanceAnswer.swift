import StoreHTTP
import StoreModels

/// An advance of a clock as HTTP shows it. It has the members of a ``ClockAdvance``, and while it is running the path
/// that reports its progress:
///
/// ```json
/// {"advanceIdentifier":"a_01j…","from":"…","to":"…","isFinished":false,"eventCount":1800,"remaining":98200,…,
///  "progress":"/admin/v1/apps/com.example.app/clock/advances/a_01j…"}
/// ```
struct ClockAdvanceAnswer: Encodable {
    private enum CodingKeys: String, CodingKey { case progress }

    let advance: ClockAdvance

    init(_ advance: ClockAdvance) { self.advance = advance }

    /// Path of the progress.
    var progress: String {
        ClockRoutes.progress.target([.bundleId: advance.bundleId, .id: advance.advanceIdentifier])
    }

    func encode(to encoder: any Encoder) throws {
        try advance.encode(to: encoder)
        guard !advance.isFinished else { return }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(progress, forKey: .progress)
    }
}
