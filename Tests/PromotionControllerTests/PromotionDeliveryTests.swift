import BusClient
import BusService
import EventLoop
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: a pending intent reaches each stream of its installation and customer until it is decided, and no other
/// (I1, I6, M73).
@Suite(.serialized) struct PromotionDeliveryTests {
    @Test(arguments: Engine.allCases)
    func `I1: each new stream is given what is pending, oldest first, over restarts, until it is decided`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            #expect(try await alice.deliver() == DeliverIntentsReply(intents: [], seq: 0))
            let first = try await alice.begin("coins")
            store.wait(.milliseconds(5))
            let second = try await alice.begin("gems")
            for _ in 0..<2 {
                let reply = try await alice.deliver()
                #expect(reply.intents.map(\.intentIdentifier) == [first, second])
                #expect(reply.seq == 2)
                try await store.restartController()
            }
            try await alice.decide(.defer, first)
            #expect(try await alice.deliver().intents.map(\.intentIdentifier) == [second])
            try await alice.decide(.cancel, second)
            #expect(try await alice.deliver().intents.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `another device, customer or app is given none of it, and does not find it`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            let others = [
                try await store.launchedPhone("alice-2"), store.phone("alice-1", of: "bob"),
                store.phone("alice-1", bundleId: "com.example.other"),
            ]
            try await others[2].launch()
            for other in others {
                #expect(try await other.deliver().intents.isEmpty)
                #expect(try await other.intents().isEmpty)
                #expect(try await refusal { try await other.get(intent) }?.code == .notFound)
                #expect(try await refusal { try await other.decide(.continue, intent) }?.code == .notFound)
                #expect(try await refusal { try await other.add(intent, key: "k") }?.code == .notFound)
            }
            #expect(try await alice.get(intent).state == .pending)
            #expect(store.payments.requests.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `I6: the intent of an app that never ran waits for its first launch, a deleted app's for the next one`(
        _ engine: Engine
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = store.phone()
            try await alice.openStore()
            let intent = try await alice.begin()
            // A stream whose launch was not told yet is made to ask again.
            let head = try await alice.head()
            #expect(try await alice.deliver() == DeliverIntentsReply(intents: [], seq: head - 1))
            store.wait(.seconds(3_600))
            try await store.sweep()
            try await store.restartController()
            #expect(try await alice.get(intent).state == .pending)
            try await alice.launch()
            #expect(try await alice.deliver().seq == head)
            #expect(try await alice.deliver().intents.map(\.answerBy) == [store.now + .seconds(10)])
            try await alice.delete()
            #expect(try await alice.deliver().intents.isEmpty)
            store.wait(.seconds(3_600))
            try await store.sweep()
            #expect(try await alice.get(intent).state == .pending)
            try await alice.launch()
            #expect(try await alice.deliver().intents.map(\.answerBy) == [store.now + .seconds(10)])
        }
    }

    @Test(arguments: Engine.allCases)
    func `the time to answer begins with the first delivery, and is written once`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            let intent = try await alice.begin()
            let start = store.now
            store.wait(.seconds(2))
            #expect(try await alice.deliver().intents.map(\.answerBy) == [start + .seconds(12)])
            let writes = store.database.statistics.writes
            store.wait(.seconds(2))
            #expect(try await alice.deliver().intents.map(\.answerBy) == [start + .seconds(12)])
            #expect(store.database.statistics.writes == writes)
            #expect(try await alice.get(intent).answerBy == start + .seconds(12))
        }
    }

    @Test(arguments: Engine.allCases)
    func `heads tell of each purchase that began, of many installations at once`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let (alice, bob) = (try await store.launchedPhone(), try await store.launchedPhone("bob-1", of: "bob"))
            _ = try await alice.begin("coins")
            _ = try await alice.begin("gems")
            _ = try await bob.begin("coins")
            let unknown = InstallationReference(bundleId: "com.example.app", deviceId: "nobody")
            let reply = try await store.caller.call(
                PromotionEndpoints.intentHeads,
                IntentHeadsRequest(installations: [bob.installation, unknown, alice.installation, bob.installation]))
            #expect(reply.heads == [1, 0, 2, 1])
            // They outlive the app and the service.
            try await alice.delete()
            try await store.restartController()
            #expect(try await alice.head() == 2)
            let tooMany = IntentHeadsRequest(installations: Array(repeating: unknown, count: 501))
            #expect(
                try await refusal { try await store.caller.call(PromotionEndpoints.intentHeads, tooMany) }?.code
                    == .requestInvalid)
        }
    }

    @Test func `a hint is published after the commit, under the installation's own subject`() async throws {
        try await PromotionTestStore.with { store in
            let alice = try await store.launchedPhone()
            let key = InstallationKey.of(alice.installation)
            let hints = Locked<[IntentsChanged]>([])
            let subscription = try await store.bus.client(name: "gateway").subscribe(
                PromotionEvents.intentsChanged(key: key)
            ) { message in
                guard let changed = try? StoreJSON.decode(IntentsChanged.self, from: message.body) else { return }
                hints.withLock { $0.append(changed) }
            }
            _ = try await alice.begin("coins")
            _ = try await alice.begin("coins")
            _ = try await alice.begin("gems")
            _ = try await store.phone("alice-2").openStore()
            _ = try await store.phone("alice-2").begin()
            try await eventually("both hints have come") { hints.withLock { $0.count >= 2 } }
            #expect(
                hints.withLock { $0 }
                    == [1, 2].map { IntentsChanged(bundleId: alice.bundleId, deviceId: "alice-1", seq: $0) })
            await subscription.unsubscribe()
        }
    }

    @Test func `an installation's key is a hash of both names`() {
        func key(_ bundleId: String, _ deviceId: String) -> String {
            InstallationKey.of(InstallationReference(bundleId: bundleId, deviceId: deviceId))
        }
        // SHA-256 of "com.example.app", a NUL and "alice-1", its first 16 bytes.
        #expect(key("com.example.app", "alice-1") == "593daa112feb3e779f154149dc1846a3")
        #expect(key("a", "bc") != key("ab", "c"))
    }
}
