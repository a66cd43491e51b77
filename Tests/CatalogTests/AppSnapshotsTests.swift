import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: what is in memory is one state of each app, and never an older one than was there before.
@Suite struct AppSnapshotsTests {
    private let bundleId = CatalogFixture.bundleId

    private func row(_ version: Int64, revision: Int64 = 1, name: String = "A") -> AppRow {
        AppRow(
            app: App(bundleId: bundleId, settings: AppSettings(name: name), catalogVersion: version),
            settingsRevision: revision)
    }

    private func catalog(_ product: String) throws -> Catalog {
        let file = FileBuilder.file(products: [FileBuilder.product(product)])
        return try StoreKitFileReader.read(try StoreJSON.encode(file), fileName: "A.storekit").catalog
    }

    @Test func `a file follows the version before it; behind a gap the app has to be loaded`() throws {
        let directory = AppSnapshots()
        let (first, second) = (try catalog("a"), try catalog("b"))
        let results = [
            directory.advance(row(1), to: first), directory.advance(row(3), to: second),
            directory.advance(row(2), to: second), directory.advance(row(1), to: first),
        ]
        #expect(results == [true, false, true, true])
        #expect(directory.snapshot(of: bundleId)?.app.catalogVersion == 2)
        #expect(directory.snapshot(of: bundleId)?.catalog == second)
    }

    @Test func `an older state does not replace a later one`() throws {
        let directory = AppSnapshots()
        let (old, new) = (try catalog("a"), try catalog("b"))
        directory.install(
            StoredApp(row: row(5, revision: 2, name: "New"), fileVersion: 4, file: nil, contents: StoredContents()),
            catalog: new)
        directory.install(
            StoredApp(row: row(3), fileVersion: 3, file: nil, contents: StoredContents()), catalog: old)
        _ = directory.update(row(9, revision: 1, name: "Old"))
        let snapshot = try #require(directory.snapshot(of: bundleId))
        #expect(snapshot.catalog == new)
        // Settings say nothing of the catalogue.
        #expect(snapshot.app.catalogVersion == 5)
        #expect(snapshot.app.settings.name == "New")
        let heads = [(5, 2, false), (6, 2, true), (5, 3, true), (4, 1, false)] as [(Int64, Int64, Bool)]
        for (version, revision, isBehind) in heads {
            let head = AppRepository.Head(bundleId: bundleId, settingsRevision: revision, catalogVersion: version)
            #expect(directory.isBehind(head) == isBehind)
        }
    }

    @Test func `an app without a file does not get that of a deleted app of its name`() throws {
        let directory = AppSnapshots()
        let first = try catalog("a")
        directory.install(
            StoredApp(row: row(2), fileVersion: 2, file: nil, contents: StoredContents()), catalog: first)
        // As after a change of content, for which the file is not read again.
        directory.install(
            StoredApp(row: row(3), fileVersion: 2, file: nil, contents: StoredContents()), catalog: nil)
        #expect(directory.snapshot(of: bundleId)?.catalog == first)
        directory.install(
            StoredApp(row: row(4), fileVersion: 0, file: nil, contents: StoredContents()), catalog: nil)
        #expect(directory.snapshot(of: bundleId)?.catalog == .empty)
    }

    @Test(arguments: Engine.allCases)
    func `what one process commits the others have after a look, whole`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withDatabase { database async throws in
            let (first, second) = (try await fixture.load(database), try await fixture.load(database))
            try await first.importFile(FileBuilder.hosted(length: 2))
            #expect(try second.query(["guide"]).catalogVersion == 0)
            try await second.loader.refresh()
            #expect(try second.explain("guide").reasons == [.hostedContentMissing])
            #expect(try second.catalogVersion == 1)
            try await first.upload([1, 2])
            // The other one does not know of the content yet; with its own commit it does.
            try await second.importFile(FileBuilder.hosted(length: 2, [FileBuilder.product("more")]))
            #expect(try second.allProducts().map(\.productIdentifier) == ["guide", "more"])
            #expect(try second.catalogVersion == 3)
            try await second.deactivateAgreements()
            try await first.loader.refresh()
            #expect(try first.catalogVersion == 3)
            #expect(try first.explain("more").reasons == [.agreementInactive])
            let before = first.directory.snapshot(of: bundleId)
            try await first.loader.refresh()
            #expect(first.directory.snapshot(of: bundleId) === before, "what has not changed is not read again")
        }
    }

    @Test(arguments: Engine.allCases)
    func `an upload goes on in whichever process its parts come to`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withDatabase { database async throws in
            let (first, second) = (try await fixture.load(database), try await fixture.load(database))
            try await first.importFile(FileBuilder.hosted(length: 2))
            let upload = try await first.beginUpload()
            try await second.addPart([1], at: 0, to: upload)
            try await first.addPart([2], at: 1, to: upload)
            try await second.loader.refresh()
            let content = try await second.commitUpload(upload, length: 2).content
            #expect(try second.product("guide") != nil)
            #expect(try await first.read(content) == [1, 2])
            #expect(try await first.commitUpload(upload, length: 2).content == content)
            #expect(try first.product("guide") != nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `settings of an app that another process has made are put into memory with its catalogue`(
        _ engine: Engine
    ) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withDatabase { database async throws in
            let (first, second) = (try await fixture.load(database), try await fixture.load(database))
            try await first.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            let settings = AppSettings(name: "Other", released: false)
            _ = try await second.put(PutAppRequest(bundleId: bundleId, settings: settings))
            #expect(try second.allProducts().map(\.productIdentifier) == ["a"])
            #expect(try second.app(AppRequest(bundleId: bundleId)).settings == settings)
        }
    }
}
