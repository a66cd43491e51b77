import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: periods end where the calendar, or StoreKit's table, says.
@Suite struct RenewalScheduleTests {
    private let month = SubscriptionPeriod(numberOfUnits: 1, unit: .month)
    private let year = SubscriptionPeriod(numberOfUnits: 1, unit: .year)
    private let week = SubscriptionPeriod(numberOfUnits: 1, unit: .week)

    private func ends(_ from: String, _ length: SubscriptionPeriod, _ count: Int) throws -> [String] {
        let start = try #require(Timestamp(from))
        let schedule = RenewalSchedule(.realTime)
        let first = schedule.end(of: length, from: start)
        let anchor = schedule.anchor(from: start, to: first, access: length, length: length)
        return (0..<count).map {
            String(schedule.end(of: length, times: anchor.count + $0, from: anchor.at).description.prefix(10))
        }
    }

    @Test func `a month's end stays a month's end`() throws {
        #expect(
            try ends("2027-01-31T10:00:00.000Z", month, 5)
                == ["2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31", "2027-06-30"])
    }

    @Test func `a leap day comes back after four years`() throws {
        #expect(
            try ends("2028-02-29T10:00:00.000Z", year, 4) == ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"])
    }

    @Test func `after an offer of whole periods the day stays, after another one its end counts`() throws {
        let start = try #require(Timestamp("2027-01-31T10:00:00.000Z"))
        let schedule = RenewalSchedule(.realTime)
        let two = month.times(2)
        let whole = schedule.anchor(from: start, to: schedule.end(of: two, from: start), access: two, length: month)
        #expect(whole == RenewalSchedule.Anchor(at: start, count: 2))
        #expect(schedule.end(of: month, times: 3, from: whole.at).description == "2027-04-30T10:00:00.000Z")
        let trial = schedule.end(of: week, from: start)
        #expect(
            schedule.anchor(from: start, to: trial, access: week, length: month)
                == RenewalSchedule.Anchor(at: trial, count: 0))
    }

    /// Apple's table of compressed periods, in seconds: week, month, two, three, six months, year.
    @Test(arguments: [
        (SubscriptionRenewalRate.oneRenewalEveryThreeMinutes, [180, 180, 360, 540, 1_080, 2_160]),
        (.oneRenewalEveryFiveMinutes, [180, 300, 600, 900, 1_800, 3_600]),
        (.oneRenewalEveryFifteenMinutes, [300, 900, 1_800, 2_700, 5_400, 10_800]),
        (.oneRenewalEveryThirtyMinutes, [600, 1_800, 3_600, 5_400, 10_800, 21_600]),
        (.oneRenewalEveryHour, [900, 3_600, 7_200, 10_800, 21_600, 43_200]),
        (.oneRenewalEveryThirtySeconds, [10, 30, 60, 90, 180, 360]),
        (.oneRenewalEveryTwoSeconds, [2, 2, 2, 2, 2, 2]),
        (.oneSecondIsOneDay, [7, 30, 60, 90, 180, 365]),
    ])
    func `a tester's rate compresses periods by the table`(_ rate: SubscriptionRenewalRate, _ seconds: [Int64]) {
        let start = Timestamp(milliseconds: 0)
        let periods = [week, month, month.times(2), month.times(3), month.times(6), year]
        let ends = periods.map { RenewalSchedule(rate).end(of: $0, from: start).milliseconds / 1_000 }
        #expect(ends == seconds)
    }

    @Test(arguments: SubscriptionRenewalRate.allCases)
    func `grace is never longer than the period, nor than the time of retries`(_ rate: SubscriptionRenewalRate) {
        let schedule = RenewalSchedule(rate)
        let start = Timestamp(milliseconds: 1_800_000_000_000)
        for length in [week, month, month.times(3), year] {
            let period = schedule.end(of: length, from: start).milliseconds - start.milliseconds
            #expect(schedule.grace(of: length) <= period)
            #expect(schedule.grace(of: length) < schedule.retry)
        }
    }

    @Test func `grace and retries under rates are Apple's`() {
        func seconds(_ rate: SubscriptionRenewalRate) -> [Int64] {
            [RenewalSchedule(rate).grace(of: month) / 1_000, RenewalSchedule(rate).retry / 1_000]
        }
        let day: Int64 = 86_400
        #expect(seconds(.realTime) == [16 * day, 60 * day])
        #expect(seconds(.oneRenewalEveryFiveMinutes) == [150, 600])
        #expect(seconds(.oneRenewalEveryFifteenMinutes) == [450, 1_800])
        #expect(seconds(.oneRenewalEveryThirtyMinutes) == [900, 3_600])
        #expect(seconds(.oneRenewalEveryHour) == [1_800, 7_200])
        #expect(seconds(.oneRenewalEveryThirtySeconds) == [15, 60])
        #expect(seconds(.oneRenewalEveryTenSeconds) == [10, 20])
        #expect(RenewalSchedule(.realTime).grace(of: week) == 6 * 86_400_000)
    }

    @Test func `a renewal that failed is tried ten times in sixty days`() {
        let since = Timestamp(milliseconds: 1_800_000_000_000)
        let policy = BillingRetryPolicy(since: since, length: RenewalSchedule(.realTime).retry)
        var days: [Int64] = []
        var at = since
        while let next = policy.next(after: at) {
            days.append((next.milliseconds - since.milliseconds) / 86_400_000)
            at = next
        }
        #expect(days == [1, 2, 3, 5, 8, 13, 21, 34, 45, 60])
        #expect(at == policy.end)
        #expect(policy.next(notBefore: policy.end) == policy.end)
    }
}
