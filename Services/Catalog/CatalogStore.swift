import FoundationEssentials
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

    /// The apps whose stored file cannot be read. Importing a corrected file fixes it.
    package var unreadableApps: [String] { directory.unreadableApps }

    /// Activates the sample catalogue for `com.example.app`, unless the store has or had an app (M135). Its products
    /// are Hidden Beaches, Pro Subscription, and Fishing Hot Spots.
    /// - Returns: Whether the catalogue was activated.
    package func importSampleIfEmpty() async throws -> Bool {
        guard try await !apps.hasOrHadApp() else { return false }
        let bytes = PackageResources.Sample_storekit
        let begun = try await importer.begin(
            BeginImportRequest(
                bundleId: "com.example.app", byteCount: bytes.count, fileName: "Sample.storekit", data: Data(bytes)))
        _ = try await importer.commit(CommitImportRequest(importIdentifier: begun.importIdentifier))
        return true
    }
}

extension CatalogStore {
    /// Returns an app with its settings.
    /// - Throws: `notFound`.
    func app(_ request: AppRequest) throws(StoreError) -> App {
        guard let app = directory.snapshot(of: request.bundleId)?.app else { throw Self.unknownApp(request.bundleId) }
        return app
    }

    /// Creates the app, or replaces its settings. The catalogue stays.
    /// - Throws: `requestInvalid`.
    func put(_ request: PutAppRequest) async throws -> App {
        try AppRules.check(bundleId: request.bundleId)
        var settings = request.settings
        if settings.name.isEmpty {
            settings.name =
                directory.snapshot(of: request.bundleId)?.app.settings.name ?? AppRules.name(request.bundleId)
        }
        try AppRules.check(settings)
        let row = try await apps.put(request.bundleId, settings)
        if !directory.update(row) { try await loader.load(request.bundleId) }
        var app = row.app
        let known = directory.snapshot(of: app.bundleId)?.app
        app.testerDefaults = known?.testerDefaults
        app.timeRate = known?.timeRate
        app.subscriptionOfferKeys = known?.subscriptionOfferKeys
        return app
    }

    /// Lists the apps of a scope by bundle identifier.
    /// - Throws: `requestInvalid` for a bad limit.
    func list(_ request: PageRequest) throws(StoreError) -> AppsPage {
        try ProductQueries.check(limit: request.limit)
        let behind = directory.apps.filter {
            ExactText($0.bundleId) > ExactText(request.after ?? "") && request.scope.covers($0.bundleId)
        }.sorted { ExactText($0.bundleId) < ExactText($1.bundleId) }
        let page = Array(behind.prefix(request.limit))
        return AppsPage(apps: page, after: behind.count > page.count ? page.last?.bundleId : nil)
    }

    /// Returns a part of the file in force, byte for byte as imported. A private key is replaced by asterisks.
    /// - Throws: `notFound`, or `requestInvalid` when another file has taken effect since the first part, or the part
    ///   does not exist.
    func export(_ request: ExportPartRequest) async throws -> ExportPartReply {
        guard let part = try await apps.part(request.index, of: request.bundleId) else {
            throw directory.snapshot(of: request.bundleId) == nil
                ? Self.unknownApp(request.bundleId)
                : StoreError(.notFound, "\(request.bundleId) has no catalogue yet; import one first")
        }
        if let version = request.catalogVersion, version != part.version {
            throw StoreError(
                .requestInvalid, "catalogue \(version) was replaced by \(part.version); begin the export again")
        }
        guard let data = part.data else {
            throw StoreError(
                .requestInvalid, "$.index: must be from 0 to \(part.partCount - 1)", details: ["path": "$.index"])
        }
        let secrets = try await secrets(of: request.bundleId, version: part.version)
        return ExportPartReply(
            catalogVersion: part.version, partCount: part.partCount,
            data: Data(FileSecrets.masked(data, at: part.start, secrets)))
    }

    /// Returns the byte ranges of private keys in a version of the file. Another process may have imported it.
    private func secrets(of bundleId: String, version: Int64) async throws -> [Range<Int>] {
        if directory.fileVersion(of: bundleId) != version { try await loader.load(bundleId) }
        let file = directory.file(of: bundleId)
        guard let file, file.version == version else {
            throw StoreError(.requestInvalid, "catalogue \(version) was replaced; begin the export again")
        }
        return file.secrets
    }

    static func unknownApp(_ bundleId: String) -> StoreError {
        StoreError(
            .notFound,
            "no app '\(bundleId.prefix(IdentifierRule.bundle.lengthMax))'; import a catalogue for it, or put it")
    }
}
