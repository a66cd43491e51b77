import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a price is the catalogue's of now, and known for a minute while the catalogue is away and has not changed.
@Suite struct QuoteCacheTests {
    /// Catalog, and the monotonic clock.
    private final class World: Sendable {
        struct Contents {
            var now = ContinuousClock.now
            var version: Int64 = 1
            var revision: Int64 = 1
            var isAway = false
            var requests = 0
            /// Whether Catalog's lease on each app is held.
            var isLeased = false
            /// What happens between a request and its reply.
            var meanwhile: (@Sendable () -> Void)?
        }

        let contents = Locked(Contents())

        func change(_ body: (inout sending Contents) -> Void) { contents.withLock { body(&$0) } }
        var requests: Int { contents.withLock { $0.requests } }

        func cache() -> QuoteCache {
            QuoteCache(
                now: { [self] in contents.withLock { $0.now } },
                leased: { [self] _ in
                    contents.withLock { contents in
                        guard contents.isLeased else { return nil }
                        return AppVersion(catalogVersion: contents.version, settingsRevision: contents.revision)
                    }
                }
            ) { [self] request, _ throws(StoreError) in
                let now = contents.withLock { contents in
                    contents.requests += 1
                    return contents
                }
                now.meanwhile?()
                if now.isAway { throw StoreError(.serviceUnavailable, "away") }
                return Quote(
                    catalogVersion: now.version, settingsRevision: now.revision, availability: .available,
                    product: .product(request.productIdentifier, .consumable, "1.00"))
            }
        }
    }

    private let world = World()

    private func ask(_ cache: QuoteCache, _ product: String = "a", app: String = "app") async throws -> Int64 {
        let request = QuoteRequest(bundleId: app, productIdentifier: product, storefront: "USA")
        return try await cache.quote(request, until: .now + .seconds(1)).catalogVersion
    }

    @Test func `a catalogue counts for the next purchase`() async throws {
        let cache = world.cache()
        #expect(try await ask(cache) == 1)
        world.change { $0.version = 2 }
        #expect(try await ask(cache) == 2)
    }

    @Test func `on a lease a quote is requested once a second, and at once after a change`() async throws {
        let cache = world.cache()
        world.change { $0.isLeased = true }
        for _ in 1...3 { #expect(try await ask(cache) == 1) }
        #expect(world.requests == 1)
        world.change { $0.now += .milliseconds(1_000) }
        #expect(try await ask(cache) == 1)
        #expect(world.requests == 2)
        world.change { $0.version = 2 }
        #expect(try await ask(cache) == 2)
        #expect(world.requests == 3)
        world.change { $0.isLeased = false }
        #expect(try await ask(cache) == 2)
        #expect(world.requests == 4)
    }

    @Test func `while Catalog is away, an answer about one product outdates the quotes of an older catalogue`()
        async throws
    {
        let cache = world.cache()
        _ = try await ask(cache, "a")
        world.change { $0.version = 2 }
        #expect(try await ask(cache, "b") == 2)
        world.change { $0.isAway = true }
        #expect(try await ask(cache, "b") == 2)
        #expect(try await refusal { try await ask(cache, "a") }?.code == .serviceUnavailable)
    }

    @Test(arguments: [true, false])
    func `while Catalog is away, a lease of a later version outdates quotes, also when it is over`(
        _ isOfSettings: Bool
    ) async throws {
        let cache = world.cache()
        #expect(try await ask(cache) == 1)
        world.change { world in
            if isOfSettings { world.revision = 2 } else { world.version = 2 }
            (world.isLeased, world.isAway) = (true, true)
        }
        #expect(try await refusal { try await ask(cache) }?.code == .serviceUnavailable)
        world.change { $0.isLeased = false }
        #expect(try await refusal { try await ask(cache) }?.code == .serviceUnavailable)
    }

    @Test func `E1: what Catalog has said of a change before it went away counts`() async throws {
        let cache = world.cache()
        _ = try await ask(cache)
        _ = try await ask(cache, app: "other")
        world.change { $0.isAway = true }
        cache.forget("app")
        #expect(try await refusal { try await ask(cache) }?.code == .serviceUnavailable)
        #expect(try await ask(cache, app: "other") == 1)
        cache.forget(nil)
        #expect(try await refusal { try await ask(cache, app: "other") }?.code == .serviceUnavailable)
    }

    @Test func `E1: a change announced during a request counts: its quote is not used while Catalog is away`()
        async throws
    {
        let cache = world.cache()
        world.change { $0.meanwhile = { cache.forget("app") } }
        #expect(try await ask(cache) == 1)
        world.change { ($0.isAway, $0.meanwhile) = (true, nil) }
        #expect(try await refusal { try await ask(cache) }?.code == .serviceUnavailable)
    }

    @Test func `while Catalog is away the last quote is used for a minute, and without one nothing is sold`()
        async throws
    {
        let cache = world.cache()
        _ = try await ask(cache)
        world.change { ($0.isAway, $0.now) = (true, $0.now + .seconds(60)) }
        #expect(try await ask(cache) == 1)
        world.change { $0.now += .seconds(1) }
        #expect(try await refusal { try await ask(cache) }?.code == .serviceUnavailable)
        #expect(try await refusal { try await ask(cache, "b") }?.code == .serviceUnavailable)
        #expect(try await refusal { try await ask(cache, app: "other") }?.code == .serviceUnavailable)
    }
}
