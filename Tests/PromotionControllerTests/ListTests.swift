import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PromotionController

/// Goal: apps find their own intents and operators those of all, with what to look at (M81, M85).
@Suite(.serialized) struct ListTests {
    @Test(arguments: Engine.allCases)
    func `the operator finds intents by app, account, device and state, and sees whose they are`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = [try await store.launchedPhone("alice-1"), try await store.launchedPhone("alice-2")]
            let bob = store.phone("bob-1", of: "bob", bundleId: "com.example.other")
            try await bob.launch()
            let first = try await alice[0].begin()
            try await alice[0].decide(.cancel, first)
            _ = try await alice[1].begin()
            _ = try await bob.begin()
            func count(
                account: String? = nil, device: String? = nil, state: StorePurchaseIntent.State? = nil,
                bundleId: String? = nil
            ) async throws -> Int {
                try await store.search(account: account, device: device, state: state, bundleId: bundleId).intents.count
            }
            #expect(try await count() == 3)
            #expect(try await count(account: "alice") == 2)
            #expect(try await count(account: "alice", device: "alice-2") == 1)
            #expect(try await count(state: .pending) == 2)
            #expect(try await count(bundleId: "com.example.other") == 1)
            #expect(try await count(account: "bob", bundleId: PromotionTestStore.bundleId) == 0)
            let cancelled = try #require(try await store.search(state: .cancelled).intents.first)
            #expect(cancelled.account == "alice" && cancelled.deviceId == "alice-1")
            #expect(
                cancelled.bundleId == PromotionTestStore.bundleId && cancelled.warning?.contains("feedback") == true)
            // The app is not told what the operator is.
            #expect(try await alice[0].get(first).warning == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `lists come in pages, oldest first, by state`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let alice = try await store.launchedPhone()
            var begun: [String] = []
            for number in 0..<7 {
                begun.append(try await alice.begin("p\(number)"))
                store.wait(.milliseconds(1))
            }
            try await alice.decide(.defer, begun[2])
            try await alice.decide(.cancel, begun[4])
            #expect(try await alice.intents().map(\.intentIdentifier) == begun)
            #expect(try await alice.intents(.deferred, .cancelled).map(\.intentIdentifier) == [begun[2], begun[4]])
            var (after, seen) = (String?.none, [String]())
            repeat {
                let page = try await store.search(after: after, limit: 3)
                seen += page.intents.map(\.intentIdentifier)
                after = page.after
            } while after != nil
            #expect(seen == begun)
            #expect(try await refusal { try await store.search(limit: 101) }?.code == .requestInvalid)
        }
    }

    @Test func `a page has room for products with long texts, and a stream is given what fits`() async throws {
        try await PromotionTestStore.with { store in
            let alice = try await store.launchedPhone()
            let text = String(repeating: "x", count: 20_000)
            var begun: [String] = []
            for number in 0..<40 {
                let started = try await alice.start("p\(number)") { $0.product.localizedDescription = text }
                begun.append(try #require(started.intentIdentifier))
                store.wait(.milliseconds(1))
            }
            let page = try await store.search()
            #expect(page.intents.count > 10 && page.intents.count < 40)
            #expect(page.after == page.intents.last?.intentIdentifier)
            let head = try await alice.head()
            let first = try await alice.deliver()
            #expect(first.intents.count < 40 && first.seq < head)
            for intent in first.intents { try await alice.decide(.defer, intent.intentIdentifier) }
            let second = try await alice.deliver()
            #expect((first.intents + second.intents).map(\.intentIdentifier) == begun && second.seq == head)
        }
    }
}
