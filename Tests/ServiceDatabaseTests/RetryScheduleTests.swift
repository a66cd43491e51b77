import ServiceDatabase
import Testing

@Suite struct RetryScheduleTests {
    private let start = ContinuousClock.now

    @Test func `what is tried again waits longer each time, five seconds at most`() {
        var schedule = RetrySchedule()
        #expect(schedule.isDue("t", now: start))
        for attempt in 1...20 {
            schedule.failed("t", now: start)
            let delay = RetrySchedule.delay(afterAttempts: attempt)
            #expect(delay == min(.milliseconds(100 * (1 << min(attempt - 1, 10))), .seconds(5)))
            #expect(!schedule.isDue("t", now: start + delay - .milliseconds(1)))
            #expect(schedule.isDue("t", now: start + delay))
        }
    }

    @Test func `each has its own time, and an outcome begins anew`() {
        var schedule = RetrySchedule()
        for _ in 0..<100 { schedule.failed("t", now: start) }
        #expect(schedule.isDue("another", now: start))
        #expect(!schedule.isDue("t", now: start + .milliseconds(4_999)))
        schedule.settled("t")
        #expect(schedule.isDue("t", now: start))
        schedule.failed("t", now: start)
        #expect(schedule.isDue("t", now: start + .milliseconds(100)))
    }

    @Test func `it forgets before it grows without end, and then everything is due`() {
        var schedule = RetrySchedule()
        for number in 0..<10_000 { schedule.failed("\(number)", now: start) }
        #expect(!schedule.isDue("0", now: start))
        schedule.failed("one more", now: start)
        #expect(schedule.isDue("0", now: start))
        #expect(!schedule.isDue("one more", now: start))
    }
}
