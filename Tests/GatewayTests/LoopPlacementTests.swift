import EventLoop
import NIOHTTP1
import StoreModels
import Testing

/// Handlers and streams run on the bus's loop (ADR 0002).
@Suite struct LoopPlacementTests {
    @Test func `a handler runs on the loop, after it has asked the bus too`() async throws {
        let loop = try UVLoop.start(name: "gateway-test")
        try await GatewayHarness.run(loop: loop) { store in
            let page = try await store.send(.GET, "/metrics")
            #expect(page.text == "storebus_on_loop 1\n")
            let token = try await store.session()
            let reader = try await store.stream(token)
            #expect(try await reader.next().name == "updatedTransactions")
            #expect(try await reader.next().name == "synchronized")
            store.payments.commit(Sample.purchased("a"))
            #expect(try await reader.next().transactions == ["a:2"])
        }
        await loop.close()
    }
}
