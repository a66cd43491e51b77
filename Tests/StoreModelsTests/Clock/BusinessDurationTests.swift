import StoreModels
import Testing

/// Goal: lengths of business time as people write them, and nothing else.
@Suite struct BusinessDurationTests {
    private static let day: Int64 = 86_400_000

    @Test(arguments: [
        ("90s", 0, 90_000), ("15m", 0, 900_000), ("15min", 0, 900_000), ("36h", 0, 129_600_000), ("10d", 0, 10 * day),
        ("2w", 0, 14 * day), ("3mo", 3, 0), ("1y", 12, 0), ("1mo15d", 1, 15 * day), ("P3M", 3, 0),
        ("PT36H", 0, 129_600_000), ("P1Y2M3DT4H5M6S", 14, 3 * day + 14_706_000), ("P2W", 0, 14 * day),
    ])
    func `a length is read`(_ text: String, _ months: Int, _ milliseconds: Int64) {
        #expect(BusinessDuration(text) == BusinessDuration(months: months, milliseconds: milliseconds))
    }

    @Test(arguments: [
        "", "P", "PT", "5", "d", "0d", "-1d", "1.5h", "1 d", "P1", "P1H", "PT1Y", "101y", "1201mo", "36526d", "1dd",
        "9999999999s", "3M", "p3m",
    ])
    func `anything else is not`(_ text: String) { #expect(BusinessDuration(text) == nil) }

    @Test func `months come first and follow the calendar`() throws {
        let start = try #require(Timestamp("2028-01-31T10:00:00.000Z"))
        #expect(BusinessDuration("1mo")?.end(from: start).description == "2028-02-29T10:00:00.000Z")
        #expect(BusinessDuration("1mo1d")?.end(from: start).description == "2028-03-01T10:00:00.000Z")
        #expect(BusinessDuration("1y")?.end(from: start).description == "2029-01-31T10:00:00.000Z")
    }
}
