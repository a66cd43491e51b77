import Testing

@testable import BusService

@Suite struct CircuitBreakerTests {
    private let start = ContinuousClock.now

    /// A breaker that has just opened.
    private func open() -> CircuitBreaker {
        var breaker = CircuitBreaker()
        for _ in 0..<5 {
            _ = breaker.admit(now: start)
            breaker.failed(now: start)
        }
        return breaker
    }

    @Test func `five failures in a row open it for a second`() {
        var breaker = open()
        #expect(breaker.admit(now: start) == false)
        #expect(breaker.admit(now: start + .milliseconds(999)) == false)
        #expect(breaker.admit(now: start + .seconds(1)) == true)
    }

    @Test func `a success in between starts the count anew`() {
        var breaker = CircuitBreaker()
        for _ in 0..<4 { breaker.failed(now: start) }
        breaker.succeeded()
        for _ in 0..<4 { breaker.failed(now: start) }
        #expect(breaker.admit(now: start) == true)
    }

    @Test func `half open lets one call through, whose success closes it`() {
        var breaker = open()
        #expect(breaker.admit(now: start + .seconds(1)) == true)
        #expect(breaker.admit(now: start + .seconds(1)) == false)
        breaker.succeeded()
        #expect(breaker.admit(now: start + .seconds(1)) == true)
        #expect(breaker.admit(now: start + .seconds(1)) == true)
    }

    @Test func `half open's failure opens it for another second`() {
        var breaker = open()
        _ = breaker.admit(now: start + .seconds(1))
        breaker.failed(now: start + .seconds(1))
        #expect(breaker.admit(now: start + .milliseconds(1999)) == false)
        #expect(breaker.admit(now: start + .seconds(2)) == true)
    }

    @Test func `a trial that said nothing lets the next one try`() {
        var breaker = open()
        _ = breaker.admit(now: start + .seconds(1))
        breaker.abandoned(now: start + .seconds(1))
        #expect(breaker.admit(now: start + .seconds(1)) == true)
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
