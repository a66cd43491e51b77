import EventLoop
import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: an app's defaults are those of now while Catalog answers, and stay while it does not.
@Suite struct AppDefaultsTests {
    /// A Catalog whose answers the test sets.
    private final class World: Sendable {
        let answer = Locked<TesterSettings??>(nil)

        func defaults() -> AppDefaults {
            AppDefaults { [self] request, _ throws(StoreError) in
                guard let answer = answer.withLock({ $0 }) else { throw StoreError(.serviceUnavailable, "away") }
                return App(
                    bundleId: request.bundleId, settings: AppSettings(name: ""), catalogVersion: 1,
                    testerDefaults: answer)
            }
        }
    }

    private func get(_ defaults: AppDefaults) async -> TesterSettings? {
        await defaults.of("com.example.app", until: .now + .seconds(5))
    }

    @Test func `what a catalogue says counts for the next question`() async {
        let world = World()
        let defaults = world.defaults()
        world.answer.withLock { $0 = TesterSettings(storefront: "FRA") }
        #expect(await get(defaults)?.storefront == "FRA")
        world.answer.withLock { $0 = TesterSettings(storefront: "DEU") }
        #expect(await get(defaults)?.storefront == "DEU")
        // An app without defaults is an answer too.
        world.answer.withLock { $0 = .some(nil) }
        #expect(await get(defaults) == nil)
    }

    @Test func `while Catalog is away the last answer counts, before the first there are none`() async {
        let world = World()
        let defaults = world.defaults()
        #expect(await get(defaults) == nil)
        world.answer.withLock { $0 = TesterSettings(storefront: "FRA") }
        #expect(await get(defaults)?.storefront == "FRA")
        world.answer.withLock { $0 = nil }
        #expect(await get(defaults)?.storefront == "FRA")
    }
}
