import BusClient
import BusService
import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import Eligibility

/// Goal: a check knows the subscriptions as Catalog has them now, and asks for a list only when the app has changed.
/// Method: a clock and a Catalog in the test's hand.
@Suite struct SubscriptionCatalogTests {
    private final class FakeCatalog: Sendable {
        struct State {
            var now = ContinuousClock.now
            var asked = 0
            var names = ["a"]
            var version: Int64 = 1
            var error: StoreError?
            /// How long the app's version takes.
            var versionTime: Duration = .zero
            /// What happens between the request for a list and its reply.
            var meanwhile: (@Sendable () -> Void)?
        }
        let state = Locked(State())

        func current() throws(StoreError) -> AppVersion {
            let (version, error) = state.withLock { state in
                state.now += state.versionTime
                return (state.version, state.error)
            }
            if let error { throw error }
            return AppVersion(catalogVersion: version, settingsRevision: 1)
        }

        func `import`(_ names: [String]) {
            state.withLock { state in
                state.names = names
                state.version += 1
            }
        }

        func answer() throws(StoreError) -> [SubscriptionProduct] {
            let (names, error, meanwhile) = state.withLock { state in
                state.asked += 1
                return (state.names, state.error, state.meanwhile)
            }
            meanwhile?()
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
        catalog = SubscriptionCatalog(
            now: { fake.state.withLock { $0.now } },
            version: { (_, _) async throws(StoreError) in try fake.current() },
            fetch: { (_, _) async throws(StoreError) in try fake.answer() })
    }

    private func list(_ bundleId: String = "com.example.app") async throws(StoreError) -> [String] {
        let key = SubscriptionCatalog.Key(bundleId: bundleId, storefront: "USA")
        return try await catalog.list(key, CallContext()).all.map(\.productIdentifier)
    }

    private func advance(_ time: Duration) { fake.state.withLock { $0.now += time } }
    private var asked: Int { fake.state.withLock { $0.asked } }

    @Test func `F7: an import counts for the next question; without one the list is asked for once a second`()
        async throws
    {
        #expect(try await list() == ["a"])
        advance(.seconds(1))
        #expect(try await list() == ["a"])
        #expect(asked == 1)
        fake.import(["a", "b"])
        #expect(try await list() == ["a", "b"])
        #expect(asked == 2)
        advance(.milliseconds(1001))
        #expect(try await list() == ["a", "b"])
        #expect(asked == 3)
    }

    @Test func `the age of a list counts from its own request, also when the version takes long`() async throws {
        fake.state.withLock { $0.versionTime = .milliseconds(600) }
        _ = try await list()
        _ = try await list()
        #expect(asked == 1)
    }

    @Test func `F7: a change announced during a request counts: its list is not used while Catalog is away`()
        async throws
    {
        fake.state.withLock { state in state.meanwhile = { [catalog] in catalog.forget("com.example.app") } }
        _ = try await list()
        fake.state.withLock { ($0.error, $0.meanwhile) = (StoreError(.serviceUnavailable, "away"), nil) }
        #expect(try await refusal { try await list() }?.code == .serviceUnavailable)
    }

    @Test func `of two products that Unicode calls equal each has its own group`() async throws {
        let catalog = SubscriptionCatalog(
            version: { (_, _) async throws(StoreError) in AppVersion(catalogVersion: 1, settingsRevision: 1) },
            fetch: { (_, _) async throws(StoreError) in
                ["caf\u{E9}", "cafe\u{301}"].enumerated().map {
                    SubscriptionProduct(
                        productIdentifier: $1, subscriptionGroupIdentifier: "\($0)", isAvailable: true)
                }
            })
        let key = SubscriptionCatalog.Key(bundleId: "com.example.app", storefront: "USA")
        let list = try await catalog.list(key, CallContext())
        #expect(list.offered(["cafe\u{301}"]).map(\.subscriptionGroupIdentifier) == ["1"])
        #expect(list.offered(["caf\u{E9}", "cafe\u{301}"]).count == 2)
        #expect(list.groups["caf\u{E9}"] == "0")
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

    @Test func `a list is not used when Catalog published a change before it went away`() async throws {
        _ = try await list()
        _ = try await list("com.example.other")
        fake.state.withLock { $0.error = StoreError(.serviceUnavailable, "away") }
        catalog.forget("com.example.app")
        await #expect(throws: StoreError.self) { try await list() }
        #expect(try await list("com.example.other") == ["a"])
        catalog.forget(nil)
        await #expect(throws: StoreError.self) { try await list("com.example.other") }
    }

    @Test func `what Catalog refuses is refused, with or without a known list`() async throws {
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
