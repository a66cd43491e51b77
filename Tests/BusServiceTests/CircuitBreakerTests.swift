import Testing

@testable import BusService

@Suite struct CircuitBreakerTests {
    private let start = ContinuousClock.now

    /// A breaker that has just opened.
    private func open() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<5 {
            _ = breaker.admit(now: start)
            breaker.failed(begun: start, now: start)
        }
        return breaker
    }

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `five failures in a row open it for a tenth of a second`() {
        var breaker = open()
        #expect(breaker.admit(now: start) == false)
        #expect(breaker.admit(now: after(99)) == false)
        #expect(breaker.admit(now: after(100)) == true)
    }

    @Test func `a success in between starts the count anew`() {
        var breaker = CircuitBreaker()
        for _ in 0..<4 { breaker.failed(begun: start, now: start) }
        breaker.succeeded(now: start)
        for _ in 0..<4 { breaker.failed(begun: start, now: start) }
        #expect(breaker.admit(now: start) == true)
    }

    @Test func `half open lets one call through, whose success closes it`() {
        var breaker = open()
        #expect(breaker.admit(now: after(100)) == true)
        #expect(breaker.admit(now: after(100)) == false)
        breaker.succeeded(now: after(100))
        #expect(breaker.admit(now: after(100)) == true)
        #expect(breaker.admit(now: after(100)) == true)
    }

    @Test func `trials that fail keep it open longer each time, up to a second`() {
        var breaker = open()
        var now = start
        for pause in [100, 200, 400, 800, 1_000, 1_000] {
            #expect(breaker.admit(now: now + .milliseconds(pause - 1)) == false)
            now += .milliseconds(pause)
            #expect(breaker.admit(now: now) == true)
            breaker.failed(begun: now, now: now)
        }
        now += .seconds(1)
        #expect(breaker.admit(now: now) == true)
        breaker.succeeded(now: now)
        for _ in 0..<5 { breaker.failed(begun: now, now: now) }
        #expect(breaker.admit(now: now + .milliseconds(100)) == true)
    }

    @Test func `a trial that hangs until its deadline lets another one try after a second`() {
        var breaker = open()
        #expect(breaker.admit(now: after(100)) == true)
        #expect(breaker.admit(now: after(1_099)) == false)
        #expect(breaker.admit(now: after(1_100)) == true)
        breaker.succeeded(now: after(1_101))
        // The one that hung says nothing about the endpoint since.
        for _ in 0..<5 { breaker.failed(begun: after(100), now: after(5_100)) }
        #expect(breaker.admit(now: after(5_100)) == true)
    }

    @Test func `calls from before an outage's end do not open it again when they time out`() {
        var breaker = CircuitBreaker()
        breaker.succeeded(now: after(2_000))
        for _ in 0..<100 { breaker.failed(begun: after(1_999), now: after(5_000)) }
        #expect(breaker.admit(now: after(5_000)) == true)
        for _ in 0..<5 { breaker.failed(begun: after(2_000), now: after(5_000)) }
        #expect(breaker.admit(now: after(5_000)) == false)
    }

    @Test func `a trial that said nothing lets the next one try`() {
        var breaker = open()
        _ = breaker.admit(now: after(100))
        breaker.abandoned(now: after(100))
        #expect(breaker.admit(now: after(100)) == true)
    }

    @Test func `the retry budget earns a tenth per call and saves ten`() {
        var budget = RetryBudget()
        for _ in 0..<10 { #expect(budget.spend() == true) }
        #expect(budget.spend() == false)
        for _ in 0..<11 { budget.earn() }
        #expect(budget.spend() == true)
        #expect(budget.spend() == false)
        for _ in 0..<10_000 { budget.earn() }
        for _ in 0..<10 { #expect(budget.spend() == true) }
        #expect(budget.spend() == false)
    }
}
