import PaymentQueue
import StoreModels
import Synchronization
import Testing

/// Goal: an app's defaults are at most a second old while Catalog answers, and stay while it does not.
@Suite struct AppDefaultsTests {
    /// A Catalog whose answers, and a clock whose time, the test sets.
    private final class World: Sendable {
        let now = Mutex(ContinuousClock.now)
        let answer = Mutex<TesterSettings??>(nil)
        let asked = Mutex(0)

        func defaults() -> AppDefaults {
            AppDefaults(now: { [self] in now.withLock { $0 } }) { [self] request, _ throws(StoreError) in
                asked.withLock { $0 += 1 }
                guard let answer = answer.withLock({ $0 }) else { throw StoreError(.serviceUnavailable, "away") }
                return App(
                    bundleId: request.bundleId, settings: AppSettings(name: ""), catalogVersion: 1,
                    testerDefaults: answer)
            }
        }

        func pass(_ time: Duration) { now.withLock { $0 += time } }
    }

    private func get(_ defaults: AppDefaults) async -> TesterSettings? {
        await defaults.of("com.example.app", until: .now + .seconds(5))
    }

    @Test func `an answer is used for a second, however often it is asked for, and then anew`() async {
        let world = World()
        let defaults = world.defaults()
        world.answer.withLock { $0 = TesterSettings(storefront: "FRA") }
        for _ in 0..<9 {
            #expect(await get(defaults)?.storefront == "FRA")
            world.pass(.milliseconds(100))
        }
        #expect(world.asked.withLock { $0 } == 1)
        world.answer.withLock { $0 = TesterSettings(storefront: "DEU") }
        world.pass(.milliseconds(100))
        #expect(await get(defaults)?.storefront == "DEU")
        // An app without defaults is an answer too.
        world.answer.withLock { $0 = .some(nil) }
        world.pass(.seconds(1))
        #expect(await get(defaults) == nil)
    }

    @Test func `while Catalog is away the last answer stands, before the first there are none`() async {
        let world = World()
        let defaults = world.defaults()
        #expect(await get(defaults) == nil)
        world.answer.withLock { $0 = TesterSettings(storefront: "FRA") }
        world.pass(.seconds(1))
        #expect(await get(defaults)?.storefront == "FRA")
        world.answer.withLock { $0 = nil }
        world.pass(.seconds(3600))
        #expect(await get(defaults)?.storefront == "FRA")
    }
}
