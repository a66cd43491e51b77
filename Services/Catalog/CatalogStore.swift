import Foundation
import Logging
import Persistence
import StoreModels

/// The parts of Catalog without the bus: apps, imports and queries about products.
package struct CatalogStore: Sendable {
    let apps: AppRepository
    let directory: AppSnapshots
    let loader: AppLoader
    let catchUp: AppCatchUp
    let importer: CatalogImporter
    let products: ProductQueries
    let uploader: ContentUploader
    let library: ContentLibrary
    let images: ImageUploader
    let promotions: PromotionService
    /// Drops abandoned uploads, in parallel with the endpoints.
    package let sweeper: ContentSweeper
    /// Loads other processes' commits, in parallel with the endpoints.
    package let refresher: CatalogRefresher

    /// The migrations of Catalog's database.
    package static var migrations: [Migration] { CatalogSchema.migrations }

    /// Reads every app's catalogue into memory.
    ///
    /// - Parameter now: The wall clock, by which abandoned imports expire and products become available.
    /// - Throws: `PersistenceError`.
    package static func load(
        _ database: any SQLDatabase, logger: Logger, now: @escaping @Sendable () -> Timestamp = Timestamp.wallClock
    ) async throws -> CatalogStore {
        let store = CatalogStore(database, logger: logger, now: now)
        try await store.importer.imports.deleteExpired(now: now())
        try await store.loader.refresh()
        logger.info("catalogues loaded", metadata: ["apps": "\(store.directory.apps.count)"])
        return store
    }

    private init(_ database: any SQLDatabase, logger: Logger, now: @escaping @Sendable () -> Timestamp) {
        let contents = ContentRepository(database: database)
        apps = AppRepository(database: database)
        directory = AppSnapshots()
        loader = AppLoader(apps: apps, directory: directory, logger: logger)
        catchUp = AppCatchUp(loader)
        importer = CatalogImporter(imports: ImportRepository(database: database), loader: loader, now: now)
        products = ProductQueries(directory: directory, storefronts: .builtIn, now: now)
        uploader = ContentUploader(contents: contents, loader: loader, now: now)
        library = ContentLibrary(contents: contents, directory: directory)
        let stored = PromotionRepository(database: database)
        images = ImageUploader(contents: contents, promotions: stored, loader: loader, now: now)
        promotions = PromotionService(promotions: stored, contents: contents, loader: loader, products: products)
        sweeper = ContentSweeper(contents: contents, now: now, logger: logger)
        refresher = CatalogRefresher(loader: loader, logger: logger)
    }

    /// Sets the function called with each app that changes. The call precedes the response to the operator.
    package func onChange(_ tell: @escaping @Sendable (_ bundleId: String) -> Void) { directory.onChange(tell) }

    /// The apps whose stored file cannot be read. Importing a corrected file fixes it.
    package var unreadableApps: [String] { directory.unreadableApps }

    /// Activates the sample catalogue for `com.example.app`, unless the store has an app (M135). Its products are
    /// Hidden Beaches, Pro Subscription, and Fishing Hot Spots.
    /// - Returns: Whether the catalogue was activated.
    package func importSampleIfEmpty() async throws -> Bool {
        guard directory.apps.isEmpty else { return false }
        let bytes = PackageResources.Sample_storekit
        let begun = try await importer.begin(
            BeginImportRequest(bundleId: "com.example.app", byteCount: bytes.count, fileName: "Sample.storekit"))
        _ = try await importer.add(
            ImportPartRequest(importIdentifier: begun.importIdentifier, index: 0, data: Data(bytes)))
        _ = try await importer.commit(CommitImportRequest(importIdentifier: begun.importIdentifier))
        return true
    }
}
