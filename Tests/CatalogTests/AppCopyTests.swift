import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: an isolated store begins with the whole catalogue, and what happens to either is not seen in the other.
@Suite struct AppCopyTests {
    private static let copy = "com.example.app@t-7.42"

    private func copies(_ store: CatalogStore) -> AppCopies {
        AppCopies(database: store.apps.database, loader: store.loader)
    }

    @Test(arguments: Engine.allCases)
    func `a copy sells what the app sells, until one of them changes`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a", price: "1.49")]))
            let request = CopyAppRequest(from: CatalogFixture.bundleId, to: Self.copy)
            let made = try await copies(store).copy(request)
            #expect(made.bundleId == Self.copy)
            let again = try await copies(store).copy(request)
            #expect(again == made)
            #expect(try store.query(["a"], of: Self.copy).products.map(\.price.amount) == ["1.49"])
            let (copied, original) = (try await store.exportFile(of: Self.copy), try await store.exportFile())
            #expect(copied == original)

            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a", price: "2.49")]))
            #expect(try store.query(["a"], of: Self.copy).products.map(\.price.amount) == ["1.49"])
            try await store.importFile(
                FileBuilder.file(products: [FileBuilder.product("b", price: "3.49")]), into: Self.copy)
            #expect(try store.query(["a", "b"]).products.map(\.productIdentifier) == ["a"])
            #expect(try store.query(["a", "b"], of: Self.copy).products.map(\.productIdentifier) == ["b"])
            #expect(
                try store.list(PageRequest(in: .installation, limit: 100)).apps.map(\.bundleId) == [
                    CatalogFixture.bundleId
                ])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a removed copy is gone, also after a restart, and the app stays`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withStore { store in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            _ = try await copies(store).copy(CopyAppRequest(from: CatalogFixture.bundleId, to: Self.copy))
            for _ in 0..<2 {
                let reply = try await copies(store).remove(RemoveAppRequest(bundleId: Self.copy))
                #expect(reply.isDone)
            }
            #expect(store.directory.snapshot(of: Self.copy) == nil)
        }
        try await fixture.withStore { store in
            let left = try store.query(["a"])
            #expect(left.products.count == 1)
            #expect(store.directory.snapshot(of: Self.copy) == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an app that another process has removed is forgotten`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withDatabase { database in
            let (store, other) = (try await fixture.load(database), try await fixture.load(database))
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            _ = try await copies(store).copy(CopyAppRequest(from: CatalogFixture.bundleId, to: Self.copy))
            try await other.loader.refresh(Self.copy)
            #expect(other.directory.version(of: Self.copy).catalogVersion == 1)
            _ = try await copies(store).remove(RemoveAppRequest(bundleId: Self.copy))
            try await other.loader.refresh(Self.copy)
            #expect(other.directory.version(of: Self.copy) == AppVersion(catalogVersion: 0, settingsRevision: 0))
        }
    }

    @Test func `only isolated stores get copies, of apps that exist`() async throws {
        try await withCatalog { store in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            let copies = copies(store)
            let wrong = try await refusal {
                try await copies.copy(CopyAppRequest(from: CatalogFixture.bundleId, to: "com.example.other"))
            }
            #expect(wrong?.code == .requestInvalid)
            let missing = try await refusal {
                try await copies.copy(CopyAppRequest(from: "com.example.missing", to: "com.example.missing@t-1.1"))
            }
            #expect(missing?.code == .notFound)
            let kept = try await refusal {
                try await copies.remove(RemoveAppRequest(bundleId: CatalogFixture.bundleId))
            }
            #expect(kept?.code == .requestInvalid)
            #expect(try store.query(["a"]).products.count == 1)
        }
    }

    private func request(_ deletion: Int64, isLast: Bool = false) -> RemoveAppRequest {
        RemoveAppRequest(bundleId: CatalogFixture.bundleId, deletion: deletion, isLast: isLast)
    }

    @Test(arguments: Engine.allCases)
    func `a closed app sells nothing and is refused, and once removed its versions go on`(
        _ engine: Engine
    ) async throws {
        try await withCatalog(on: engine) { store in
            let file = FileBuilder.file(products: [FileBuilder.product("a")])
            for _ in 0..<3 { try await store.importFile(file) }
            try await store.importFile(file, into: "com.example.app2")
            _ = try await copies(store).remove(request(1))
            #expect(store.directory.snapshot(of: CatalogFixture.bundleId) == nil)
            let listed = try store.list(PageRequest(in: .installation, limit: 9)).apps
            #expect(listed.map(\.bundleId) == ["com.example.app2"])
            let refusals = [
                try await refusal { try await store.importFile(file) },
                try await refusal {
                    try await store.put(
                        PutAppRequest(bundleId: CatalogFixture.bundleId, settings: AppSettings(name: "Again")))
                },
                try await refusal {
                    try await copies(store).copy(CopyAppRequest(from: CatalogFixture.bundleId, to: Self.copy))
                },
            ]
            for error in refusals {
                #expect(error?.code == .serviceUnavailable)
                #expect(error?.message.contains("is being deleted") == true)
            }
            try await store.loader.refresh()
            #expect(store.directory.snapshot(of: CatalogFixture.bundleId) == nil)
            let sample = try await store.importSampleIfEmpty()
            #expect(!sample)

            _ = try await copies(store).remove(request(1, isLast: true))
            let report = try await store.importFile(file)
            #expect(report.catalogVersion == 4)
            // Late requests of the ended deletion.
            for isLast in [false, true] { _ = try await copies(store).remove(request(1, isLast: isLast)) }
            let (own, other) = (try store.query(["a"]), try store.query(["a"], of: "com.example.app2"))
            #expect(own.products.count == 1)
            #expect(other.products.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a store whose last app was deleted begins without the sample, and an import from before is unknown`(
        _ engine: Engine
    ) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withStore { store in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            let begun = try await store.importer.begin(
                BeginImportRequest(bundleId: CatalogFixture.bundleId, byteCount: 2, fileName: nil))
            _ = try await copies(store).remove(request(1))
            _ = try await copies(store).remove(request(1, isLast: true))
            let late = try await refusal {
                try await store.importer.commit(CommitImportRequest(importIdentifier: begun.importIdentifier))
            }
            #expect(late?.code == .notFound)
        }
        try await fixture.withStore { store in
            let sample = try await store.importSampleIfEmpty()
            #expect(!sample)
            #expect(store.directory.apps.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an app that another process has closed leaves memory with the next look at all apps`(
        _ engine: Engine
    ) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withDatabase { database in
            let (store, other) = (try await fixture.load(database), try await fixture.load(database))
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            try await other.loader.refresh()
            #expect(other.directory.apps.count == 1)
            _ = try await copies(store).remove(request(1))
            try await other.loader.refresh()
            #expect(other.directory.apps.isEmpty)
        }
    }
}
