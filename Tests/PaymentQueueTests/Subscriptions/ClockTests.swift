import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: an app's clock is set, stopped, sped up and moved, one key one move, and nothing else of the machine moves.
@Suite(.serialized) struct ClockTests {
    @Test(arguments: Engine.allCases) func `an unknown app has the wall clock`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let state = try await store.clockState()
            #expect(
                state
                    == AppClockState(
                        bundleId: Catalogue.bundleId, now: store.now, rate: .realTime, frozen: false, epoch: 1,
                        since: store.now))
            store.advance(by: .seconds(7))
            #expect(try await store.clockState().now == store.now)
        }
    }

    @Test func `a commit that has waited for its customer is dated by the clock of after the wait`() async throws {
        try await TestStore.with(.postgres) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-01-31", frozen: true)
            // Bought before, so that nothing is looked up before the commit.
            _ = try await alice.add("gift", key: "1")
            let (locked, isLocked) = AsyncStream<Void>.makeStream()
            let (released, release) = AsyncStream<Void>.makeStream()
            async let holding: Void = store.database.write { transaction in
                _ = try await transaction.query("SELECT 1 FROM customer FOR UPDATE")
                isLocked.finish()
                for await _ in released {}
            }
            for await _ in locked {}
            async let late = alice.add("gift", key: "2", within: .seconds(30)).transaction
            try await eventually("the purchase waits for its customer") {
                try await store.database.read { reader in
                    try await reader.queryOne(
                        """
                        SELECT 1 AS found FROM pg_locks WHERE locktype = 'tuple' AND granted
                            AND relation = 'customer'::regclass
                        """) != nil
                }
            }
            try await store.putClock("2027-03-01")
            release.finish()
            try await holding
            #expect(try await late.transactionDate == TestStore.instant("2027-03-01"))
        }
    }

    @Test(arguments: Engine.allCases) func `it is set, frozen and sped up, and keeps what is left out`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            #expect(try await store.putClock("2027-01-31").now.description == "2027-01-31T10:00:00.000Z")
            store.advance(by: .seconds(10))
            #expect(try await store.clockState().now.description == "2027-01-31T10:00:10.000Z")
            let frozen = try await store.putClock(frozen: true)
            store.advance(by: .seconds(10))
            #expect(try await store.clockState().now == frozen.now)
            #expect(frozen.epoch == 3)
            let fast = try await store.putClock(rate: .factor(2.5), frozen: false)
            #expect(fast.rate == .factor(2.5))
            store.advance(by: .seconds(10))
            #expect(try await store.clockState().now == frozen.now + .seconds(25))
            let named = try await store.putClock("2026-01-01", rate: .named(.oneRenewalEveryThirtySeconds))
            #expect(named.rate == .named(.oneRenewalEveryThirtySeconds))
            store.advance(by: .seconds(30))
            #expect(try await store.clockState().now == named.now + .seconds(30 * 86_400))
        }
    }

    @Test(arguments: Engine.allCases) func `one key is one move, by a length, to an instant`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let first = try await store.move(by: "1mo", key: "k")
            #expect(first.to.description == "2027-02-28T10:00:00.000Z")
            #expect(first.isFinished)
            #expect(first.eventCount == 0)
            #expect(try await store.move(by: "1mo", key: "k") == first)
            #expect(try await store.clockState().now == first.to)
            #expect(try await refusal { try await store.move(by: "2mo", key: "k") }?.code == .keyReused)
            let progress = try await store.caller.call(
                SubscriptionEndpoints.getAdvance,
                AdvanceRequest(bundleId: Catalogue.bundleId, advanceIdentifier: first.advanceIdentifier))
            #expect(progress == first)
            #expect(try await store.move(to: "2028-02-29", key: "l").to.description == "2028-02-29T10:00:00.000Z")
        }
    }

    @Test(arguments: Engine.allCases) func `a move that is none is refused and names the remedy`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let back = try await refusal { try await store.move(to: "2027-01-30", key: "k") }
            #expect(back?.code == .requestInvalid)
            #expect(back?.message.contains("set the clock to go back") == true)
            for call in [
                try await refusal { try await store.move(key: "k") },
                try await refusal { try await store.move(by: "1mo", next: 1, key: "k") },
                try await refusal { try await store.move(by: "soon", key: "k") },
                try await refusal { try await store.move(next: 1_001, key: "k") },
                try await refusal { try await store.move(next: 0, key: "k") },
                try await refusal { try await store.putClock("9999-01-01") },
            ] { #expect(call?.code == .requestInvalid) }
            #expect(try await refusal { try await store.move(by: "1d", key: "") }?.code == .idempotencyKeyInvalid)
            #expect(try await store.clockState().now.description == "2027-01-31T10:00:00.000Z")
        }
    }

    @Test(arguments: Engine.allCases) func `to the next event, and through several`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            #expect(try await store.jump(next: 3).to.description == "2027-01-31T10:00:00.000Z")
            _ = try await alice.subscribe("news.weekly")
            #expect(try await store.clockState().nextEvent?.description == "2027-02-07T10:00:00.000Z")
            let one = try await store.jump(next: 1)
            #expect(one.to.description == "2027-02-07T10:00:00.000Z")
            #expect(one.events.map(\.kind) == [.renewed])
            let three = try await store.jump(next: 3)
            #expect(three.to.description == "2027-02-28T10:00:00.000Z")
            #expect(
                three.events.map { String($0.at.description.prefix(10)) } == ["2027-02-14", "2027-02-21", "2027-02-28"])
            #expect(try await store.renewals().count == 4)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a caller does not wait for a charge behind its time, and the sweep goes on`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            _ = try await alice.subscribe("news.weekly")
            let renewals = store.current.service.renewals
            let app = Catalogue.bundleId
            #expect(await !renewals.waitForSweep(of: [app], until: .now + .seconds(30)))
            store.processor.set(trouble: .held)
            try await store.putClock("2027-02-07", frozen: true)
            // Where nothing was begun in this time, there is nothing to go on with.
            var swept: Int? = 0
            var time = Duration.milliseconds(50)
            while swept == 0 {
                swept = try await renewals.sweep(app, waitingUntil: .now + time)
                time *= 2
            }
            #expect(swept == nil)
            try await eventually("the charge is made") { store.processor.heldCount == 1 }
            #expect(await renewals.waitForSweep(of: ["other", app], until: .now + .milliseconds(50)))
            store.processor.release()
            try await eventually("the renewal is written") { try await store.renewals().count == 1 }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a move that cannot end in time says how far it is, and the same key sees its end`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            _ = try await alice.subscribe("news.weekly")
            store.processor.set(trouble: .before)
            let begun = try await answered { try await store.move(by: "1w", key: "k", within: $0) }
            #expect(!begun.isFinished)
            #expect(begun.remaining == 1)
            #expect(begun.to.description == "2027-02-07T10:00:00.000Z")
            store.processor.set(trouble: .none)
            try await eventually("the move ends") { try await store.move(by: "1w", key: "k").isFinished }
            let ended = try await store.move(by: "1w", key: "k")
            #expect(ended.events.map(\.kind) == [.renewed])
            #expect(ended.eventCount == 1)
            #expect(try await store.renewals().count == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `a move that a process has left half done is gone on with`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            _ = try await alice.subscribe("news.weekly")
            try await store.move(next: 5, key: "k", dyingAt: .afterRenewalCharge)
            try await store.restartQueue()
            try await eventually("the janitor ends the move") {
                try await store.current.service.clocks.sweep()
                return try await store.clockState().nextEvent?.description == "2027-03-14T10:00:00.000Z"
            }
            #expect(try await store.renewals().count == 5)
        }
    }
}
