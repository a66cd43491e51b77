import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: an unanswered intent is deferred by the wall clock and expires by the app's (M77, M86), for every reader,
/// however late the sweep is, and whether or not PaymentQueue, which keeps the clocks, is there.
@Suite(.serialized) struct TimeTests {
    @Test(arguments: Engine.allCases)
    func `M86: without an answer in ten seconds it is deferred, for each reader and for the sweep`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            var intents: [String] = []
            for number in 0..<5 { intents.append(try await alice.begin("p\(number)")) }
            try await alice.deliver()
            store.wait(.milliseconds(9_999))
            try await store.sweep()
            #expect(try await alice.intents(.pending).count == 5)
            store.wait(.milliseconds(1))
            // No sweep has run.
            let seen = try await alice.get(intents[0])
            #expect(seen.state == .deferred && seen.deferredBy == .timeout)
            #expect(try await alice.decide(.defer, intents[1]).isRepeated)
            #expect(try await alice.decide(.continue, intents[2]).intent.state == .continued)
            #expect(try await alice.intents(.pending).isEmpty)
            #expect(try await store.search(state: .deferred).intents.count == 4)
            #expect(try await alice.deliver().intents.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M86: the sweep defers and expires what no request reads`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let delivered = try await alice.begin("coins")
            try await alice.deliver()
            let waiting = try await alice.begin("gems")
            let start = try await store.position()
            store.wait(.seconds(10))
            try await store.sweep()
            store.payments.moveClock(by: StorePurchaseIntent.lifetime)
            try await store.sweep()
            let events = try await store.events(after: start, count: 3)
            #expect(events.map(\.type) == [.intentDeferred, .intentExpired, .intentExpired])
            #expect(events.map(\.intent.intentIdentifier).first == delivered)
            #expect(try await alice.get(waiting).state == .expired)
            try await store.sweep()
            #expect(try await store.events(after: events[2].id).events.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M77: a day of the app's own time ends it, for each reader, and other apps have their own`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let other = store.phone("alice-1", bundleId: "com.example.other")
            try await other.launch()
            let intent = try await alice.begin()
            let deferred = try await alice.begin("gems")
            try await alice.decide(.defer, deferred)
            let elsewhere = try await other.begin()
            store.payments.moveClock(by: StorePurchaseIntent.lifetime + .milliseconds(-1))
            #expect(try await alice.get(intent).state == .pending)
            store.payments.moveClock(by: .milliseconds(1))
            #expect(try await alice.deliver().intents.isEmpty)
            #expect(try await refusal { try await alice.decide(.continue, intent) }?.code == .intentExpired)
            #expect(try await alice.intents(.expired).count == 2)
            #expect(try await other.get(elsewhere).state == .pending)
            // A clock that is set back brings nothing back.
            store.payments.moveClock(by: .seconds(-86_400 * 2))
            #expect(try await alice.get(intent).state == .expired)
            #expect(
                try await refusal { try await alice.add(deferred, key: "k", product: "gems") }?.code == .intentExpired)
            #expect(store.payments.requests.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the wall clock alone expires nothing while the app's clock is frozen`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            store.payments.moveClock(by: .zero)
            let intent = try await alice.begin()
            store.wait(.seconds(86_400 * 30))
            try await store.sweep()
            #expect(try await alice.get(intent).state == .pending)
        }
    }

    @Test(arguments: Engine.allCases)
    func `with PaymentQueue away the app's clock goes on as it was read last, over restarts`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            // An hour of business time in a second.
            store.payments.runClock(rate: 3_600)
            let intent = try await alice.begin()
            await store.stopPayments()
            store.wait(.seconds(23))
            #expect(try await alice.get(intent).state == .pending)
            try await store.restartController()
            #expect(try await alice.get(intent).state == .pending)
            store.wait(.seconds(1))
            #expect(try await alice.get(intent).state == .expired)
        }
    }

    @Test(arguments: Engine.allCases)
    func `without a clock that was ever read it is the wall clock's day`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine, withPayments: false) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            #expect(try await alice.get(intent).expiresAt == store.now + .seconds(86_400))
            store.wait(.seconds(86_399))
            #expect(try await alice.get(intent).state == .pending)
            store.wait(.seconds(1))
            try await store.sweep()
            #expect(try await alice.get(intent).state == .expired)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the sweep covers all apps, of any number`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let apps = (0..<IntentService.clockConcurrency * 2 + 1).map { "com.example.app\($0)" }
            for app in apps {
                let phone = store.phone(bundleId: app)
                try await phone.launch()
                _ = try await phone.begin()
                store.payments.moveClock(of: app, by: StorePurchaseIntent.lifetime)
            }
            try await store.sweep()
            let left = try await store.database.read { reader in
                try await IntentRepository.appsWithOpen(after: "", limit: 100, in: reader)
            }
            #expect(left.isEmpty)
            #expect(try await store.search(state: .expired).intents.count == apps.count)
        }
    }

    @Test func `a remembered clock runs on at its rate, and a frozen one does not`() {
        let start = Timestamp(milliseconds: 1_795_000_000_000)
        var clock = RememberedClock(
            epoch: 1, anchorWall: start, anchorBusiness: start + .seconds(100), rateMillionths: 2_500_000,
            isFrozen: false)
        #expect(clock.now(wall: start + .seconds(4)) == start + .seconds(110))
        #expect(clock.now(wall: start + .seconds(-4)) == start + .seconds(90))
        #expect(clock.now(wall: Timestamp(milliseconds: 1 << 60)) == Timestamp(milliseconds: 250_000_000_000_000))
        clock.isFrozen = true
        #expect(clock.now(wall: start + .seconds(4)) == start + .seconds(100))
    }

    @Test func `PaymentQueue is asked for clocks only while there is something they matter to`() async throws {
        try await PromotionTestStore.with { store in
            let alice = try await store.launchedPhone()
            try await store.sweep()
            try await alice.deliver()
            #expect(try await alice.intents().isEmpty)
            #expect(store.payments.clockRequests == 0)
            let intent = try await alice.begin()
            try await alice.decide(.cancel, intent)
            let asked = store.payments.clockRequests
            try await store.sweep()
            _ = try await alice.get(intent)
            #expect(store.payments.clockRequests == asked)
        }
    }
}
