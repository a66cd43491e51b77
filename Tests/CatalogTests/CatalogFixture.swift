import EventLoop
import Foundation
import Logging
import Persistence
import StoreModels
import StorebusTesting

@testable import Catalog

/// A catalogue of a test's own: a directory, a clock, and a store that can be closed and opened again.
final class CatalogFixture: Sendable {
    static let bundleId = "com.example.app"

    private let files: TestDatabase
    private let time = Locked(Timestamp(milliseconds: 1_700_000_000_000))

    init(_ engine: Engine = .sqlite) throws { files = try TestDatabase(engine, isHandedOn: true) }

    func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }

    /// Opens the store, hands it over and closes it; the files stay for the next time.
    func withStore<Output>(_ body: (CatalogStore) async throws -> Output) async throws -> Output {
        try await withDatabase { database in try await body(load(database)) }
    }

    func withDatabase<Output>(_ body: (any SQLDatabase) async throws -> Output) async throws -> Output {
        try await files.with(migrations: CatalogStore.migrations, body)
    }

    /// What the service does at its start.
    func load(_ database: any SQLDatabase) async throws -> CatalogStore {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try await CatalogStore.load(database, logger: logger, now: { self.time.withLock { $0 } })
    }
}

/// A store of its own for one test.
func withCatalog<Output>(
    on engine: Engine = .sqlite, _ body: (CatalogStore) async throws -> Output
) async throws -> Output {
    try await CatalogFixture(engine).withStore(body)
}

extension CatalogStore {
    /// Imports a whole file in parts of `partSize`.
    @discardableResult
    func importFile(
        _ bytes: [UInt8], into bundleId: String = CatalogFixture.bundleId, named name: String = "App.storekit",
        partSize: Int = ImportPartRequest.byteCountMax
    ) async throws -> ImportReport {
        let begun = try await importer.begin(
            BeginImportRequest(bundleId: bundleId, byteCount: bytes.count, fileName: name))
        for (index, start) in stride(from: 0, to: bytes.count, by: partSize).enumerated() {
            let part = bytes[start..<min(start + partSize, bytes.count)]
            _ = try await importer.add(
                ImportPartRequest(importIdentifier: begun.importIdentifier, index: index, data: Data(part)))
        }
        return try await importer.commit(CommitImportRequest(importIdentifier: begun.importIdentifier))
    }

    @discardableResult
    func importFile(_ file: JSONValue, into bundleId: String = CatalogFixture.bundleId) async throws -> ImportReport {
        try await importFile(try StoreJSON.encode(file), into: bundleId)
    }

    /// The whole file in force, part by part.
    func exportFile(of bundleId: String = CatalogFixture.bundleId) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var version: Int64?
        var index = 0
        while true {
            let part = try await export(ExportPartRequest(bundleId: bundleId, index: index, catalogVersion: version))
            version = part.catalogVersion
            bytes += part.data
            index += 1
            if index == part.partCount { return bytes }
        }
    }

    func query(
        _ identifiers: [String], in storefront: String = "USA", language: String? = nil,
        of bundleId: String = CatalogFixture.bundleId
    ) throws -> ProductsReply {
        let reply = try products.query(
            ProductsRequest(
                bundleId: bundleId, productIdentifiers: identifiers, storefront: storefront, language: language))
        return ProductsReply(
            products: try reply.products.map { try StoreJSON.decode(Product.self, from: Array($0.bytes)) },
            invalidProductIdentifiers: reply.invalidProductIdentifiers, catalogVersion: reply.catalogVersion)
    }

    func product(_ identifier: String, in storefront: String = "USA", language: String? = nil) throws -> Product? {
        try query([identifier], in: storefront, language: language).products.first
    }

    func quote(
        _ identifier: String, in storefront: String = "USA", of bundleId: String = CatalogFixture.bundleId
    ) throws -> Quote {
        try products.quote(QuoteRequest(bundleId: bundleId, productIdentifier: identifier, storefront: storefront))
    }

    func explain(
        _ identifier: String, in storefront: String? = "USA", of bundleId: String = CatalogFixture.bundleId
    ) throws -> ProductExplanation {
        try products.explain(
            ExplainProductRequest(bundleId: bundleId, productIdentifier: identifier, storefront: storefront))
    }

    func deactivateAgreements(_ inactive: Bool = true) async throws {
        let settings = AppSettings(name: "A", agreementsActive: !inactive)
        _ = try await put(PutAppRequest(bundleId: CatalogFixture.bundleId, settings: settings))
    }

    /// Every product, page by page.
    func allProducts(
        in storefront: String = "USA", of bundleId: String = CatalogFixture.bundleId, limit: Int = 500
    ) throws -> [Product] {
        var all: [Product] = []
        var after: String?
        repeat {
            let page = try products.list(
                ProductsPageRequest(bundleId: bundleId, storefront: storefront, after: after, limit: limit))
            all += page.products
            after = page.after
        } while after != nil
        return all
    }
}
