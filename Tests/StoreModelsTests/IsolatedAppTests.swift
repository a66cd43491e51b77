import StoreModels
import Testing

/// Goal: an isolated app's identifier says everything about it, and its numbers convert both ways.
@Suite struct IsolatedAppTests {
    @Test func `its identifier is read as it is written`() throws {
        let app = IsolatedApp(shownBundleId: "com.example.app", number: 7, seed: 42)
        #expect(app.bundleId == "com.example.app@t-7.42")
        #expect(app.store == "t-7")
        #expect(IsolatedApp(app.bundleId) == app)
        #expect(IsolatedApp.number(ofStore: "t-7") == 7)
        #expect(IsolatedApp.shown(app.bundleId) == "com.example.app")
        #expect(IsolatedApp.shown("com.example.app") == "com.example.app")
    }

    @Test(arguments: [
        "", "com.example.app", "@t-7.42", "com.example.app@", "com.example.app@t-7", "com.example.app@t-.1",
        "com.example.app@t-0.1", "com.example.app@t-7.", "com.example.app@t-7.4294967296", "com.example.app@x-7.1",
        "com.example.app@t-7.1@t-8.1", "com.example.app@t-+7.1", "com.example.app@t-7.1.2",
    ])
    func `no other text is one`(_ text: String) {
        #expect(IsolatedApp(text) == nil)
        #expect(IsolatedApp.shown(text) == text)
    }

    @Test(arguments: IsolatedApp.Kind.allCases) func `numbers convert both ways`(_ kind: IsolatedApp.Kind) throws {
        for (number, seed) in [(1, 0), (7, 42), (99_999, Int64(UInt32.max))] as [(Int64, Int64)] {
            let app = IsolatedApp(shownBundleId: "a", number: number, seed: seed)
            let twin = IsolatedApp(shownBundleId: "a", number: number + 1, seed: seed)
            for place in [1, 2, 99_999, IsolatedApp.numbersMax] {
                let inside = app.number(place, kind)
                #expect(IsolatedApp.inside.contains(inside))
                let shown = try #require(app.shown(inside))
                #expect(!IsolatedApp.inside.contains(shown))
                #expect(app.number(shown: shown) == inside)
                #expect(twin.shown(twin.number(place, kind)) == shown)
                #expect(twin.shown(inside) == nil)
            }
            #expect(app.shown(2_000_000_000_000_001) == nil)
        }
    }
}
