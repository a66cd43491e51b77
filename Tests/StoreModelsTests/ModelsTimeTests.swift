import Foundation
import StoreModels
import StorebusTesting
import Testing

@Suite struct ModelsTimeTests {
    @Test func `an instant is written with milliseconds and Z and read with or without them`() throws {
        #expect(Timestamp(milliseconds: 1_795_255_204_004).description == "2026-11-21T10:00:04.004Z")
        #expect(Timestamp("2026-11-21T10:00:04.004Z")?.milliseconds == 1_795_255_204_004)
        #expect(Timestamp("2026-11-21T10:00:04Z")?.milliseconds == 1_795_255_204_000)
        #expect(Timestamp("yesterday") == nil)
    }

    @Test(arguments: [
        ("P1M", "2026-01-31T10:00:00.000Z", "2026-02-28T10:00:00.000Z"),
        ("P1M", "2028-01-31T10:00:00.000Z", "2028-02-29T10:00:00.000Z"),
        ("P1Y", "2028-02-29T00:00:00.000Z", "2029-02-28T00:00:00.000Z"),
        ("P3D", "2026-12-30T23:59:59.999Z", "2027-01-02T23:59:59.999Z"),
        ("P2W", "2026-02-20T00:00:00.000Z", "2026-03-06T00:00:00.000Z"),
        ("P6M", "2026-08-31T00:00:00.000Z", "2027-02-28T00:00:00.000Z"),
        ("P1M", "1969-12-31T12:00:00.000Z", "1970-01-31T12:00:00.000Z"),
    ])
    func `a period ends on the same day or on the month's last`(period: String, start: String, end: String) throws {
        let length = try #require(SubscriptionPeriod(iso8601: period))
        #expect(length.iso8601 == period)
        #expect(length.end(from: try #require(Timestamp(start))).description == end)
    }

    @Test func `every instant is read from what it writes, and what Foundation reads otherwise is not read`() throws {
        var random = SplitMix64.seeded("instants")
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<2_000 {
            let instant = Timestamp(milliseconds: .random(in: -11_000_000_000_000...4_000_000_000_000, using: &random))
            #expect(Timestamp(instant.description) == instant)
            let foundation = try Date(instant.description, strategy: style)
            #expect(Timestamp(foundation) == instant)
        }
        for text in [
            "2026-02-30T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01 00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
        ] {
            #expect(Timestamp(text) == (try? Date(text, strategy: style)).map(Timestamp.init), "\(text)")
        }
    }

    @Test func `the calendar agrees with Foundation's for any instant and length`() throws {
        var random = SplitMix64.seeded()
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for _ in 0..<2_000 {
            let start = Timestamp(
                milliseconds: Int64.random(in: -2_000_000_000_000...4_000_000_000_000, using: &random))
            let months = Int.random(in: 1...36, using: &random)
            let expected = try #require(calendar.date(byAdding: .month, value: months, to: start.date))
            #expect(SubscriptionPeriod(numberOfUnits: months, unit: .month).end(from: start) == Timestamp(expected))
        }
    }

    @Test func `no number and no sum leaves the years 1 to 9999, and every instant is read from what it writes`() throws
    {
        let edges = [Int64.min, .min + 1, -62_135_596_800_001, 0, 253_402_300_800_000, .max - 1, .max]
        for edge in edges {
            let instant = Timestamp(milliseconds: edge)
            #expect((Timestamp.earliest...Timestamp.latest).contains(instant))
            #expect(instant.description.utf8.count == 24)
            #expect(Timestamp(instant.date) == instant)
            if instant.description >= "1600" { #expect(Timestamp(instant.description) == instant) }
            for length in [Duration.seconds(Int64.max), .seconds(Int64.min), .milliseconds(-1), .zero] {
                #expect((Timestamp.earliest...Timestamp.latest).contains(instant + length))
            }
            for other in edges { _ = instant.milliseconds - Timestamp(milliseconds: other).milliseconds }
            #expect(SubscriptionPeriod(numberOfUnits: 999, unit: .year).end(from: instant) >= instant)
            #expect(BusinessDuration(months: BusinessDuration.monthsMax).end(from: instant) >= instant)
        }
        #expect(Timestamp.earliest.description == "0001-01-01T00:00:00.000Z")
        #expect(Timestamp.latest.description == "9999-12-31T23:59:59.999Z")
        for seconds in [Double.infinity, -.infinity, 1e300, -1e300] {
            let edge = seconds > 0 ? Timestamp.latest : .earliest
            #expect(Timestamp(Date(timeIntervalSince1970: seconds)) == edge)
        }
        #expect(Timestamp(Date(timeIntervalSince1970: .nan)) == Timestamp(milliseconds: 0))
    }

    @Test(arguments: [
        ("http://host", true), ("http://host:/x", true), ("https://a:b@host:65535/?q=:x", true),
        ("http://[::1]:1", true),
        ("http://[::1]", true), ("http://host:0", false), ("http://host:65536", false),
        ("http://u:1@[::1]:99999", false),
        ("http://host:99999999999999999999", false), ("http://host:99999999999999999999#x", false),
        ("http://h:8a", false),
        ("http://h:-1", false), ("host:80", false),
    ])
    func `a URL's port is left out or one that there is`(url: String, isValid: Bool) {
        #expect(WebPort.isValid(in: url) == isValid)
    }

    @Test(arguments: ["P", "1M", "P1H", "PT1M", "P0M", "P1M1D", "P-1M", "P+1M", "p1m", ""])
    func `other texts are no period`(text: String) {
        #expect(SubscriptionPeriod(iso8601: text) == nil)
    }
}
