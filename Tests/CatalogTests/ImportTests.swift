import Foundation
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

@Suite struct ImportTests {
    private func bytes(_ products: String...) throws -> [UInt8] {
        try StoreJSON.encode(FileBuilder.file(products: products.map { FileBuilder.product($0) }))
    }

    private func begin(_ store: CatalogStore, _ bytes: [UInt8], into bundleId: String = CatalogFixture.bundleId)
        async throws -> String
    {
        try await store.importer.begin(BeginImportRequest(bundleId: bundleId, byteCount: bytes.count)).importIdentifier
    }

    private func add(_ store: CatalogStore, _ identifier: String, _ index: Int, _ bytes: some Sequence<UInt8>)
        async throws
    {
        _ = try await store.importer.add(
            ImportPartRequest(importIdentifier: identifier, index: index, data: Data(Array(bytes))))
    }

    private func commit(_ store: CatalogStore, _ identifier: String) async throws -> ImportReport {
        try await store.importer.commit(CommitImportRequest(importIdentifier: identifier))
    }

    @Test(arguments: Engine.allCases)
    func `the report says what was imported, applied and ignored`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let report = try await store.importFile(
                FileBuilder.file(
                    products: [FileBuilder.product("a")],
                    subscriptions: [
                        FileBuilder.subscription(
                            "s", ["introductoryOffer": FileBuilder.offer("free", "P1W"), "billingPlans": [["x": 1]]])
                    ],
                    settings: ["_locale": "fr_FR", "_timeRate": 3, "_askToBuyEnabled": false]))
            #expect(report.productCount == 2)
            #expect(report.subscriptionGroupCount == 1)
            #expect(report.introductoryOfferCount == 1)
            #expect(report.fileVersion == "4.0")
            #expect(report.settingsApplied == ["_askToBuyEnabled", "_locale"])
            #expect(report.settingsIgnored == ["_timeRate"])
            #expect(report.offerCodeCount == 0)
            #expect(report.notes.contains { $0.contains("_timeRate has no effect") })
            #expect(report.notes.contains { $0.contains("same number") })
        }
    }

    @Test(arguments: Engine.allCases)
    func `the first part may come with the beginning of an import`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let file = try bytes("a")
            func begin(_ data: some Sequence<UInt8>, of count: Int) async throws -> String {
                try await store.importer.begin(
                    BeginImportRequest(
                        bundleId: CatalogFixture.bundleId, byteCount: count, data: Data(Array(data)))
                ).importIdentifier
            }
            let whole = try await begin(file, of: file.count)
            #expect(try await commit(store, whole).productCount == 1)
            let parts = try await begin(file.prefix(10), of: file.count)
            try await add(store, parts, 1, file.dropFirst(10))
            #expect(try await commit(store, parts).productCount == 1)
            for (data, code) in [
                ([], .requestInvalid), ([1, 2], .requestInvalid),
                (Array(repeating: 0, count: ImportPartRequest.byteCountMax + 1), .bodyTooLarge),
            ] as [([UInt8], StoreErrorCode)] {
                #expect(try await refusal { try await begin(data, of: 1) }?.code == code)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a file that is tried is reported on, and nothing takes force or stays behind`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            _ = try await store.importFile(try bytes("a"))
            let file = try bytes("b", "c")
            let identifier = try await begin(store, file)
            let incomplete = await #expect(throws: StoreError.self) {
                try await store.importer.judge(CommitImportRequest(importIdentifier: identifier))
            }
            #expect(incomplete?.code == .requestInvalid)
            try await add(store, identifier, 0, file)
            let report = try await store.importer.judge(CommitImportRequest(importIdentifier: identifier))
            #expect(report.productCount == 2)
            #expect(report.catalogVersion == 1)
            #expect(try store.allProducts().map(\.productIdentifier) == ["a"])
            let gone = await #expect(throws: StoreError.self) { try await commit(store, identifier) }
            #expect(gone?.code == .notFound)
            let wrong = Array("[]".utf8)
            let other = try await begin(store, wrong, into: "com.example.new")
            try await add(store, other, 0, wrong)
            let refused = await #expect(throws: StoreError.self) {
                try await store.importer.judge(CommitImportRequest(importIdentifier: other))
            }
            #expect(refused?.code == .catalogInvalid)
            #expect(throws: StoreError.self) { try store.app(AppRequest(bundleId: "com.example.new")) }
        }
    }

    @Test(arguments: Engine.allCases)
    func `an import into an unknown app creates it under the file's name, another one adds a version`(_ engine: Engine)
        async throws
    {
        try await withCatalog(on: engine) { store async throws in
            #expect(try await store.importFile(try bytes("a"), named: "Travel Guide.storekit").catalogVersion == 1)
            let app = try store.app(AppRequest(bundleId: CatalogFixture.bundleId))
            #expect(app.settings == AppSettings(name: "Travel Guide"))
            #expect(try await store.importFile(try bytes("b"), named: "Other.storekit").catalogVersion == 2)
            #expect(try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).settings.name == "Travel Guide")
            #expect(try store.allProducts().map(\.productIdentifier) == ["b"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `parts may come in any order and more than once`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let file = try bytes("a", "b")
            let identifier = try await begin(store, file)
            try await add(store, identifier, 2, file[80...])
            try await add(store, identifier, 0, file[..<40])
            try await add(store, identifier, 1, file[40..<80].reversed())
            try await add(store, identifier, 1, file[40..<80])
            try await add(store, identifier, 2, file[80...])
            #expect(try await commit(store, identifier).productCount == 2)
            #expect(try await store.exportFile() == file)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a commit with a part missing says which, and the import goes on`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let file = try bytes("a")
            let identifier = try await begin(store, file)
            try await add(store, identifier, 0, file[..<40])
            try await add(store, identifier, 2, file[80...])
            let gap = await #expect(throws: StoreError.self) { try await commit(store, identifier) }
            #expect(gap?.code == .requestInvalid)
            #expect(gap?.message.contains("part 1 is missing") == true)
            try await add(store, identifier, 1, file[40..<80])
            #expect(try await commit(store, identifier).productCount == 1)
            let short = try await begin(store, file)
            try await add(store, short, 0, file[..<40])
            let end = await #expect(throws: StoreError.self) { try await commit(store, short) }
            #expect(end?.message.contains("announced \(file.count) bytes and has 40; send part 1") == true)
            #expect(try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).catalogVersion == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a repeated commit gives the same answer and no new version`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let file = try bytes("a")
            let identifier = try await begin(store, file)
            try await add(store, identifier, 0, file)
            let first = try await commit(store, identifier)
            #expect(try await commit(store, identifier) == first)
            let late = await #expect(throws: StoreError.self) { try await add(store, identifier, 0, file) }
            #expect(late?.code == .notFound)
            let bad = try await begin(store, [1, 2])
            try await add(store, bad, 0, [1, 2])
            let refused = await #expect(throws: StoreError.self) { try await commit(store, bad) }
            let again = await #expect(throws: StoreError.self) { try await commit(store, bad) }
            #expect(refused?.code == .catalogInvalid)
            #expect(refused == again)
        }
    }

    @Test(arguments: Engine.allCases)
    func `commits of one import at the same time make one version`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let file = try bytes("a")
            let identifier = try await begin(store, file)
            try await add(store, identifier, 0, file)
            let reports = try await withThrowingTaskGroup(of: ImportReport.self) { group in
                for _ in 0..<8 { group.addTask { try await commit(store, identifier) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(reports.map(\.catalogVersion)) == [1])
            #expect(try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).catalogVersion == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `imports of many files into one app at the same time end with the last version in memory and on disk`(
        _ engine: Engine
    ) async throws {
        let fixture = try CatalogFixture(engine)
        let inMemory = try await fixture.withStore { store async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    let file = try bytes("p\(number)")
                    group.addTask { try await store.importFile(file) }
                }
                try await group.waitForAll()
            }
            #expect(try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).catalogVersion == 10)
            return try store.allProducts()
        }
        let afterRestart = try await fixture.withStore { try $0.allProducts() }
        #expect(inMemory == afterRestart)
    }

    @Test(arguments: Engine.allCases)
    func `the bounds of an import are answered by name`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let tooLarge = await #expect(throws: StoreError.self) {
                try await store.importer.begin(BeginImportRequest(bundleId: "a", byteCount: 128 * 1024 * 1024 + 1))
            }
            #expect(tooLarge?.code == .bodyTooLarge)
            for count in [0, -1] {
                await #expect(throws: StoreError.self) {
                    try await store.importer.begin(BeginImportRequest(bundleId: "a", byteCount: count))
                }
            }
            for bundleId in ["", "with space", "ü", String(repeating: "a", count: 156)] {
                let error = await #expect(throws: StoreError.self) { try await begin(store, [1], into: bundleId) }
                #expect(error?.details["path"] == "$.bundleId")
            }
            let identifier = try await begin(store, [1, 2, 3])
            let over = await #expect(throws: StoreError.self) { try await add(store, identifier, 0, [1, 2, 3, 4]) }
            #expect(over?.code == .requestInvalid)
            for index in [-1, ImportLimits.partsMax] {
                await #expect(throws: StoreError.self) { try await add(store, identifier, index, [1]) }
            }
            await #expect(throws: StoreError.self) { try await add(store, identifier, 0, []) }
            let part = await #expect(throws: StoreError.self) {
                try await add(store, identifier, 0, [UInt8](repeating: 0, count: ImportPartRequest.byteCountMax + 1))
            }
            #expect(part?.code == .bodyTooLarge)
            let unknown = await #expect(throws: StoreError.self) { try await commit(store, "nobody") }
            #expect(unknown?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `open imports are bounded in number and bytes, and expire after an hour`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withStore { store async throws in
            let file = try bytes("a")
            var identifiers: [String] = []
            for _ in 0..<ImportLimits.openMax { identifiers.append(try await begin(store, file)) }
            let full = await #expect(throws: StoreError.self) { try await begin(store, file) }
            #expect(full?.code == .rateLimited)
            try await add(store, identifiers[0], 0, file)
            fixture.advance(by: .seconds(3_599))
            #expect(try await commit(store, identifiers[0]).productCount == 1)
            fixture.advance(by: .seconds(2))
            let expired = await #expect(throws: StoreError.self) { try await add(store, identifiers[1], 0, file) }
            #expect(expired?.code == .notFound)
            // The largest there may be takes all the bytes.
            _ = try await store.importer.begin(
                BeginImportRequest(bundleId: "a", byteCount: ImportLimits.fileBytesMax))
            let bytes = await #expect(throws: StoreError.self) { try await begin(store, file) }
            #expect(bytes?.code == .rateLimited)
        }
    }

    @Test(arguments: Engine.allCases)
    func `imports begun before the clock was set back a day keep no others out`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withStore { store async throws in
            let file = try bytes("a")
            for _ in 0..<ImportLimits.openMax { _ = try await begin(store, file) }
            fixture.advance(by: .seconds(-86_400))
            let identifier = try await begin(store, file)
            try await add(store, identifier, 0, file)
            #expect(try await commit(store, identifier).productCount == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a restart keeps the catalogue and an import under way`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        let file = try bytes("a", "b")
        let identifier = try await fixture.withStore { store async throws in
            try await store.importFile(try bytes("kept"))
            let identifier = try await begin(store, file)
            try await add(store, identifier, 0, file)
            return identifier
        }
        try await fixture.withStore { store async throws in
            #expect(try store.allProducts().map(\.productIdentifier) == ["kept"])
            #expect(try await commit(store, identifier).catalogVersion == 2)
        }
        try await fixture.withStore { store async throws in
            #expect(try store.allProducts().map(\.productIdentifier) == ["a", "b"])
            let exported = try await store.exportFile()
            #expect(exported == file)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a stored file that cannot be read stops neither the others nor its own correction`(_ engine: Engine)
        async throws
    {
        let fixture = try CatalogFixture(engine)
        try await fixture.withStore { store async throws in
            try await store.importFile(try bytes("a"))
            try await store.importFile(try bytes("b"), into: "com.example.other")
            _ = try await store.apps.database.write { transaction in
                try await transaction.execute(
                    "UPDATE catalog_part SET data = ? WHERE bundle_id = ?", Array("{}".utf8), CatalogFixture.bundleId)
            }
        }
        try await fixture.withStore { store async throws in
            #expect(store.unreadableApps == [CatalogFixture.bundleId])
            #expect(try store.allProducts().isEmpty)
            #expect(try store.allProducts(of: "com.example.other").count == 1)
            #expect(try await store.importFile(try bytes("c")).catalogVersion == 2)
            #expect(store.unreadableApps.isEmpty)
            #expect(try store.allProducts().map(\.productIdentifier) == ["c"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `an export under way notices another file`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            let file = try bytes("a")
            try await store.importFile(file, partSize: 50)
            let first = try await store.export(ExportPartRequest(bundleId: CatalogFixture.bundleId, index: 0))
            try await store.importFile(try bytes("b"), partSize: 50)
            let error = await #expect(throws: StoreError.self) {
                try await store.export(
                    ExportPartRequest(bundleId: CatalogFixture.bundleId, index: 1, catalogVersion: first.catalogVersion)
                )
            }
            #expect(error?.code == .requestInvalid)
            let unknown = await #expect(throws: StoreError.self) {
                try await store.exportFile(of: "com.example.nobody")
            }
            #expect(unknown?.code == .notFound)
        }
    }
}
