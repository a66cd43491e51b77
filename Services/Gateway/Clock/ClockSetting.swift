import StoreHTTP
import StoreModels

extension ClockSetting {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let now { try ClockInstants.check(now, at: "$.now") }
    }
}

/// Allowed range of an app's clock, 2000 to 2199. All calendars and certificates agree on these years.
enum ClockInstants {
    /// 2000-01-01T00:00:00.000Z up to the last millisecond of 2199.
    static let range = Timestamp(milliseconds: 946_684_800_000)...Timestamp(milliseconds: 7_258_118_399_999)

    /// - Throws: `requestInvalid` that names `place`.
    static func check(_ instant: Timestamp, at place: String) throws(StoreError) {
        guard range.contains(instant) else {
            throw .invalid(place, "must lie between \(range.lowerBound) and \(range.upperBound)")
        }
    }
}
