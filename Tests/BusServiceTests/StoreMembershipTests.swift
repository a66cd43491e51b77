import BusClient
import EventLoop
import StoreModels
import Testing

@testable import BusService

/// Goal: databases of two stores, or two databases of one service, never serve on one bus. Method: the rule without
/// I/O, and services on a bus inside this process.
@Suite(.timeLimit(.minutes(1)))
struct StoreMembershipTests {
    private static let start = ContinuousClock.now

    private func peer(_ service: String, _ database: String, _ store: String?, instance: String? = nil)
        -> StoreMembershipRule.Peer
    {
        StoreMembershipRule.Peer(
            service: service, instance: instance ?? "\(service)-\(database)",
            identity: StoreIdentity(database: database, store: store))
    }

    private func rule(_ service: String, _ database: String, _ store: String?, makes: Bool = false)
        -> StoreMembershipRule
    {
        StoreMembershipRule(own: peer(service, database, store, instance: "own"), makesStore: makes)
    }

    @Test func `a new database takes over the store of the bus`() {
        var rule = rule("catalog", "c1", nil)
        #expect(rule.decide([peer("payment-queue", "p1", "s1")], now: Self.start) == .adopt("s1"))
        rule.keep("s1")
        #expect(rule.decide([peer("payment-queue", "p1", "s1")], now: Self.start) == .stay)
    }

    @Test func `a database of another store is refused, and says both stores and who said so`() {
        var rule = rule("catalog", "c1", "s1")
        let decision = rule.decide([peer("gateway", "g1", nil), peer("payment-queue", "p1", "s2")], now: Self.start)
        let conflict = StoreConflict.otherStore(
            service: "catalog", own: "s1", onBus: "s2", announcedBy: "payment-queue")
        #expect(decision == .refuse(conflict))
        for word in ["catalog", "s1", "s2", "payment-queue", "BUS_URL", "DATABASE_URL"] {
            #expect(conflict.description.contains(word))
        }
    }

    @Test(arguments: [nil, "s1"]) func `a second database of a service is refused, new or not`(store: String?) {
        var rule = rule("payment-queue", "p2", store)
        #expect(
            rule.decide([peer("payment-queue", "p1", "s1")], now: Self.start)
                == .refuse(.otherDatabase(service: "payment-queue", own: "p2", onBus: "p1")))
    }

    @Test func `replicas share a database, and an instance is no stranger to itself`() {
        var rule = rule("payment-queue", "p1", "s1")
        let peers = [
            peer("payment-queue", "p1", "s1", instance: "other"), peer("payment-queue", "p1", nil, instance: "third"),
            peer("payment-queue", "old", "s0", instance: "own"), peer("catalog", "c1", nil),
        ]
        #expect(rule.decide(peers, now: Self.start) == .stay)
    }

    @Test func `a new database between two stores chooses neither`() {
        var rule = rule("eligibility", "e1", nil)
        let peers = [peer("catalog", "c1", "s1"), peer("payment-queue", "p1", "s2")]
        #expect(
            rule.decide(peers, now: Self.start)
                == .refuse(.twoStores(service: "eligibility", first: "s1", second: "s2")))
    }

    @Test func `a store is made by one service, and only after none was seen for a while`() {
        let late = Self.start + StoreMembershipRule.makesAfter
        var other = rule("catalog", "c1", nil)
        #expect(other.decide([], now: Self.start) == .stay)
        #expect(other.decide([], now: late) == .stay)
        var maker = rule("payment-queue", "p1", nil, makes: true)
        #expect(maker.decide([peer("catalog", "c1", nil)], now: Self.start) == .stay)
        #expect(maker.decide([peer("catalog", "c1", nil)], now: late - .milliseconds(1)) == .stay)
        #expect(maker.decide([peer("catalog", "c1", nil)], now: late) == .make)
        #expect(maker.decide([peer("catalog", "c1", "s1")], now: late) == .adopt("s1"))
    }

    // MARK: On a bus

    /// A service with a database that remembers the identity it stored.
    private func service(
        _ name: ServiceName, _ bus: InMemoryBus, _ identity: StoreIdentity, instance: String,
        keeps: @escaping @Sendable (String) -> Void = { _ in }
    ) -> BusService {
        let service = BusService(
            name: name, version: "1", bus: bus.client(name: instance), logger: silent, instance: instance)
        service.handle(PaymentEndpoints.heads) { _, _ in HeadsReply(heads: []) }
        service.belongs(to: identity, makesStore: name == .paymentQueue) { store in
            keeps(store)
            return store
        }
        return service
    }

    @Test func `the second of two databases serves nothing and ends with the conflict`() async throws {
        let bus = InMemoryBus()
        let first = service(.paymentQueue, bus, StoreIdentity(database: "p1", store: "s1"), instance: "a")
        let running = Task { try await first.run() }
        await first.ready()
        let second = service(.paymentQueue, bus, StoreIdentity(database: "p2"), instance: "b")
        let conflict = await #expect(throws: StoreConflict.self) { try await second.run() }
        #expect(conflict == .otherDatabase(service: "payment-queue", own: "p2", onBus: "p1"))
        let answers = try await ServiceDiscovery(bus.client(name: "test")).info()
        #expect(answers.first { $0.id == "a" }?.metadata == ["database": "p1", "store": "s1"])
        running.cancel()
        try await running.value
    }

    @Test func `a new database beside a store belongs to it before the first request`() async throws {
        let bus = InMemoryBus()
        let first = service(.paymentQueue, bus, StoreIdentity(database: "p1", store: "s1"), instance: "a")
        let kept = Locked<[String]>([])
        let second = service(.catalog, bus, StoreIdentity(database: "c1"), instance: "b") { store in
            kept.withLock { $0.append(store) }
        }
        let running = [Task { try await first.run() }]
        await first.ready()
        let joining = Task { try await second.run() }
        await second.ready()
        #expect(kept.withLock { $0 } == ["s1"])
        let pings = try await ServiceDiscovery(bus.client(name: "test")).ping("catalog")
        #expect(pings.map(\.metadata) == [["database": "c1", "store": "s1"]])
        for task in running + [joining] { task.cancel() }
        for task in running + [joining] { try await task.value }
    }
}
