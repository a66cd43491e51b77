import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

@Suite struct AppTests {
    private func put(_ store: CatalogStore, _ bundleId: String, _ settings: AppSettings) async throws -> App {
        try await store.put(PutAppRequest(bundleId: bundleId, settings: settings))
    }

    @Test(arguments: Engine.allCases)
    func `an app is what was put, and keeps its catalogue`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        let settings = AppSettings(
            name: "Guide", appPrice: Money(minorUnits: 499, currency: try #require(Currency(code: "USD"))),
            currentVersion: "2.1", released: false, unfinishedLimit: 5)
        try await fixture.withStore { store async throws in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            let app = try await put(store, CatalogFixture.bundleId, settings)
            #expect(app == App(bundleId: CatalogFixture.bundleId, settings: settings, catalogVersion: 1))
        }
        try await fixture.withStore { store async throws in
            #expect(try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).settings == settings)
            #expect(try store.allProducts().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a name left out stays what it was, or is the bundle identifier`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            #expect(try await put(store, "com.example.new", AppSettings(name: "")).settings.name == "com.example.new")
            _ = try await put(store, "com.example.new", AppSettings(name: "New"))
            #expect(try await put(store, "com.example.new", AppSettings(name: "")).settings.name == "New")
        }
    }

    /// A name of fewer characters than Unicode scalars.
    private static func name(scalars count: Int) -> String {
        String(repeating: "x", count: count - 2) + "e\u{301}"
    }

    @Test func `the longest name is kept, and one from a longer file's name is cut`() async throws {
        let longest = Self.name(scalars: 64)
        try await withCatalog { store async throws in
            #expect(try await put(store, "com.example.app", AppSettings(name: longest)).settings.name == longest)
        }
        let ofFile = AppRules.name(fileName: "\(Self.name(scalars: 65)).storekit", bundleId: "com.example.app")
        #expect(ofFile.unicodeScalars.count == 64)
    }

    @Test(arguments: Engine.allCases)
    func `settings out of range are refused by their path`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let cases: [(AppSettings, JSONValue)] = [
                (AppSettings(name: Self.name(scalars: 65)), "$.name"),
                (AppSettings(name: "A", unfinishedLimit: 0), "$.unfinishedLimit"),
                (AppSettings(name: "A", currentVersion: ""), "$.currentVersion"),
                (AppSettings(name: "A", currentVersion: Self.name(scalars: 33)), "$.currentVersion"),
                (AppSettings(name: "A", promotionsSupportedSince: ""), "$.promotionsSupportedSince"),
            ]
            for (settings, path) in cases {
                let error = await #expect(throws: StoreError.self) { try await put(store, "com.example.app", settings) }
                #expect(error?.code == .requestInvalid)
                #expect(error?.details["path"] == path)
            }
            let unknown = #expect(throws: StoreError.self) { try store.app(AppRequest(bundleId: "com.example.app")) }
            #expect(unknown?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `apps are listed in pages by bundle identifier`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            for name in ["c", "a", "e", "b", "d"] { _ = try await put(store, name, AppSettings(name: name)) }
            let first = try store.list(PageRequest(in: .installation, limit: 2))
            #expect(first.apps.map(\.bundleId) == ["a", "b"])
            #expect(first.after == "b")
            let last = try store.list(PageRequest(in: .installation, after: "d", limit: 2))
            #expect(last.apps.map(\.bundleId) == ["e"])
            #expect(last.after == nil)
        }
    }
}
