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

    @Test func `above its bound it forgets nothing, and what comes on top is tried every five seconds`() {
        var schedule = RetrySchedule()
        for number in 0..<10_000 { schedule.failed("\(number)", now: start) }
        let crowd = (0..<1_000).map { "more \($0)" }
        for step in 0...20 {
            let now = start + .milliseconds(500) * step
            let due = crowd.filter { schedule.isDue($0, now: now) }
            #expect(due.count == (step % 10 == 0 ? crowd.count : 0))
            for id in due { schedule.failed(id, now: now) }
        }
        #expect(!schedule.isDue("0", now: start + .milliseconds(99)))
        #expect(schedule.isDue("0", now: start + .milliseconds(100)))
    }

    @Test func `an identifier untried for a minute makes room`() {
        var schedule = RetrySchedule()
        for number in 0..<10_000 { schedule.failed("\(number)", now: start) }
        let later = start + .seconds(62)
        schedule.failed("one more", now: later)
        #expect(!schedule.isDue("one more", now: later + .milliseconds(99)))
        #expect(schedule.isDue("one more", now: later + .milliseconds(100)))
        #expect(schedule.isDue("0", now: later))
    }
}
