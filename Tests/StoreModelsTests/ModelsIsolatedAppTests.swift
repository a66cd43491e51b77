import StoreModels
import Testing

/// Goal: an isolated app's identifier says everything about it, its numbers' beginning too.
@Suite struct ModelsIsolatedAppTests {
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

    @Test func `its numbers depend on its seed alone, and the greatest seed leaves room`() {
        let stores: [(number: Int64, seed: Int64)] = [(1, 0), (7, 42), (8, 42), (9, Int64(UInt32.max))]
        let apps = stores.map { IsolatedApp(shownBundleId: "a", number: $0.number, seed: $0.seed) }
        #expect(apps.map(\.numbersOffset) == [0, 4_200_000, 4_200_000, 429_496_729_500_000])
        #expect(!(7_000_000_000_000_000_000 as Int64).addingReportingOverflow(apps[3].numbersOffset).overflow)
    }
}
