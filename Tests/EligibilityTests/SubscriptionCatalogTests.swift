import BusClient
import BusService
import StoreModels
import Synchronization
import Testing

@testable import Eligibility

/// Goal: a check costs no question to Catalog while what is known is a second old at most.
/// Method: a clock and a Catalog in the test's hand.
@Suite struct SubscriptionCatalogTests {
    private final class FakeCatalog: Sendable {
        struct State {
            var now = ContinuousClock.now
            var asked = 0
            var names = ["a"]
            var error: StoreError?
        }
        let state = Mutex(State())

        func answer() throws(StoreError) -> [SubscriptionProduct] {
            let (names, error) = state.withLock { state in
                state.asked += 1
                return (state.names, state.error)
            }
            if let error { throw error }
            return names.map {
                SubscriptionProduct(productIdentifier: $0, subscriptionGroupIdentifier: "g", isAvailable: true)
            }
        }
    }

    private let fake = FakeCatalog()
    private let catalog: SubscriptionCatalog

    init() {
        let fake = fake
        catalog = SubscriptionCatalog(now: { fake.state.withLock { $0.now } }) { (_, _) async throws(StoreError) in
            try fake.answer()
        }
    }

    private func list(_ bundleId: String = "com.example.app") async throws(StoreError) -> [String] {
        let key = SubscriptionCatalog.Key(bundleId: bundleId, storefront: "USA")
        return try await catalog.list(key, CallContext()).all.map(\.productIdentifier)
    }

    private func advance(_ time: Duration) { fake.state.withLock { $0.now += time } }
    private var asked: Int { fake.state.withLock { $0.asked } }

    @Test func `what is known is used for half a second, and is never older than a second`() async throws {
        #expect(try await list() == ["a"])
        fake.state.withLock { $0.names = ["a", "b"] }
        advance(.milliseconds(500))
        #expect(try await list() == ["a"])
        #expect(asked == 1)
        advance(.milliseconds(1))
        #expect(try await list() == ["a", "b"])
        #expect(asked == 2)
    }

    @Test func `apps are kept apart`() async throws {
        _ = try await list()
        _ = try await list("com.example.other")
        _ = try await list()
        #expect(asked == 2)
    }

    @Test(arguments: [StoreErrorCode.serviceUnavailable, .deadlineExceeded])
    func `with Catalog away a list is used for a minute`(code: StoreErrorCode) async throws {
        _ = try await list()
        fake.state.withLock { $0.error = StoreError(code, "away") }
        advance(.seconds(60))
        #expect(try await list() == ["a"])
        advance(.milliseconds(1))
        await #expect(throws: StoreError.self) { try await list() }
        fake.state.withLock { $0.error = nil }
        #expect(try await list() == ["a"])
    }

    @Test func `what Catalog refuses is refused, whatever is known`() async throws {
        _ = try await list()
        fake.state.withLock { $0.error = StoreError(.requestInvalid, "no such storefront") }
        advance(.seconds(1))
        await #expect(throws: StoreError.self) { try await list() }
    }

    @Test func `it is bounded: beyond, everything goes and is asked for again`() async throws {
        for number in 0..<SubscriptionCatalog.listsMax { _ = try await list("app\(number)") }
        _ = try await list("app0")
        #expect(asked == SubscriptionCatalog.listsMax)
        _ = try await list("one more")
        _ = try await list("app0")
        #expect(asked == SubscriptionCatalog.listsMax + 2)
    }
}
