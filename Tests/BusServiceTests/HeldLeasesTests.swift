import StoreModels
import Testing

@testable import BusService

/// Goal: what a reader may serve at an instant, by leases alone (ADR 0072).
@Suite struct HeldLeasesTests {
    private let start = ContinuousClock.now
    private let app: ExactText = "app"

    private func hearing() -> HeldLeases<Int> {
        var leases = HeldLeases<Int>()
        leases.setHearsRecalls(true)
        return leases
    }

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    /// Takes a lease whose request was sent at an instant.
    private func grant(_ version: Int, sentAt milliseconds: Int, to leases: inout HeldLeases<Int>) throws {
        let ticket = try #require(leases.ticket(of: app, at: at(milliseconds)))
        leases.take(version, for: app, ticket)
    }

    @Test func `a lease is valid for a second from its request, however late its grant`() throws {
        var leases = hearing()
        let ticket = try #require(leases.ticket(of: app, at: at(0)))
        leases.take(7, for: app, ticket)
        #expect(leases.version(of: app, at: at(999))?.version == 7)
        #expect(leases.version(of: app, at: at(1_000)) == nil)
        leases.take(7, for: app, ticket)
        #expect(leases.version(of: app, at: at(1_001)) == nil)
        #expect(leases.version(of: "other", at: at(0)) == nil)
    }

    @Test func `a lease in use is renewed once, from half its time`() throws {
        var leases = hearing()
        try grant(7, sentAt: 0, to: &leases)
        #expect(leases.version(of: app, at: at(499))?.renews == false)
        #expect(leases.version(of: app, at: at(500))?.renews == true)
        #expect(leases.version(of: app, at: at(501))?.renews == false)
        try grant(7, sentAt: 500, to: &leases)
        #expect(leases.version(of: app, at: at(1_400))?.renews == true)
        #expect(leases.version(of: app, at: at(1_500)) == nil)
    }

    @Test func `a recall ends leases, and grants to earlier requests come too late`() throws {
        var leases = hearing()
        try grant(7, sentAt: 0, to: &leases)
        let early = try #require(leases.ticket(of: app, at: at(10)))
        leases.recall(app)
        #expect(leases.version(of: app, at: at(11)) == nil)
        leases.take(7, for: app, early)
        #expect(leases.version(of: app, at: at(12)) == nil)
        try grant(8, sentAt: 13, to: &leases)
        #expect(leases.version(of: app, at: at(14))?.version == 8)
        // A recall of another key ends and refuses nothing of this one.
        let late = try #require(leases.ticket(of: app, at: at(15)))
        leases.recall("other")
        #expect(leases.version(of: app, at: at(15))?.version == 8)
        leases.take(9, for: app, late)
        #expect(leases.version(of: app, at: at(16))?.version == 9)
        leases.recall(nil)
        #expect(leases.version(of: app, at: at(17)) == nil)
        leases.take(9, for: app, late)
        #expect(leases.version(of: app, at: at(18)) == nil)
    }

    @Test func `a renewal that ends without a lease is begun again`() throws {
        var leases = hearing()
        try grant(7, sentAt: 0, to: &leases)
        #expect(leases.version(of: app, at: at(500))?.renews == true)
        leases.endRenewal(of: app)
        #expect(leases.version(of: app, at: at(501))?.renews == true)
        #expect(leases.version(of: app, at: at(502))?.renews == false)
    }

    @Test func `of two grants that of the later request stays`() throws {
        var leases = hearing()
        let first = try #require(leases.ticket(of: app, at: at(0)))
        let second = try #require(leases.ticket(of: app, at: at(10)))
        leases.take(8, for: app, second)
        leases.take(7, for: app, first)
        #expect(leases.version(of: app, at: at(20))?.version == 8)
    }

    @Test func `without recalls there are no leases`() throws {
        var leases = HeldLeases<Int>()
        #expect(leases.ticket(of: app, at: at(0)) == nil)
        leases.setHearsRecalls(true)
        let ticket = try #require(leases.ticket(of: app, at: at(1)))
        leases.take(7, for: app, ticket)
        leases.setHearsRecalls(false)
        #expect(leases.version(of: app, at: at(2)) == nil)
        leases.take(7, for: app, ticket)
        #expect(leases.version(of: app, at: at(3)) == nil)
    }

    @Test func `it is bounded: beyond, all leases go`() throws {
        var leases = hearing()
        let ticket = try #require(leases.ticket(of: app, at: at(0)))
        for number in 0..<HeldLeases<Int>.leasesMax { leases.take(number, for: ExactText("app\(number)"), ticket) }
        #expect(leases.version(of: "app0", at: at(1))?.version == 0)
        leases.take(1, for: "one more", ticket)
        #expect(leases.version(of: "app0", at: at(1)) == nil)
        #expect(leases.version(of: "one more", at: at(1))?.version == 1)
    }

    @Test func `recalled keys are bounded: beyond, all leases end, and earlier grants come too late`() throws {
        var leases = hearing()
        try grant(7, sentAt: 0, to: &leases)
        let early = try #require(leases.ticket(of: app, at: at(1)))
        for number in 0..<HeldLeases<Int>.leasesMax { leases.recall(ExactText("app\(number)")) }
        #expect(leases.version(of: app, at: at(2))?.version == 7)
        leases.recall("one more")
        #expect(leases.version(of: app, at: at(3)) == nil)
        leases.take(7, for: app, early)
        #expect(leases.version(of: app, at: at(4)) == nil)
    }
}
