import StoreModels
import Synchronization

/// Every app's snapshot, by bundle identifier.
final class AppDirectory: Sendable {
    private struct Entry {
        var settingsRevision: Int64
        /// The catalogue's version that brought the file, and the one that brought the content.
        var fileVersion: Int64
        var contentsVersion: Int64
        var snapshot: AppSnapshot
    }

    private let entries = Mutex<[String: Entry]>([:])

    func snapshot(of bundleId: String) -> AppSnapshot? { entries.withLock { $0[bundleId]?.snapshot } }

    var apps: [App] { entries.withLock { $0.values.map(\.snapshot.app) } }

    /// The apps that have a product of that identifier, by bundle identifier.
    func owners(of productIdentifier: String) -> [String] {
        let snapshots = entries.withLock { $0.values.map(\.snapshot) }
        return snapshots.filter { $0.position(of: productIdentifier) != nil }.map(\.app.bundleId).sorted()
    }

    var unreadableApps: [String] {
        entries.withLock { $0.values.map(\.snapshot).filter(\.catalog.isUnreadable).map(\.app.bundleId) }
    }

    /// A product of the file in force, for sale or not.
    /// - Throws: `notFound` for an unknown app, `productNotFound`.
    func product(_ productIdentifier: String, of bundleId: String) throws(StoreError) -> CatalogProduct {
        guard let snapshot = snapshot(of: bundleId) else { throw CatalogStore.unknownApp(bundleId) }
        guard let product = snapshot.product(productIdentifier) else {
            throw StoreError(
                .productNotFound, "the catalogue of \(bundleId) has no product '\(productIdentifier.prefix(100))'")
        }
        return product
    }

    /// Takes over what was committed. Commits may come back in another order than they were made in, so the later
    /// settings, the later file and the later content stay, each by its own number.
    ///
    /// - Parameters:
    ///   - catalog: nil when the file stays.
    ///   - contents: nil when the content stays.
    func install(_ row: AppRow, catalog: Catalog? = nil, contents: StoredContents? = nil) {
        entries.withLock { entries in
            let current = entries[row.app.bundleId]
            let version = row.app.catalogVersion
            var app = row.app
            if let current, current.settingsRevision > row.settingsRevision {
                app.settings = current.snapshot.app.settings
            }
            app.catalogVersion = max(version, current?.snapshot.app.catalogVersion ?? 0)
            let isLaterFile = catalog != nil && version >= current?.fileVersion ?? 0
            let isLaterContent = contents != nil && version >= current?.contentsVersion ?? 0
            let inForce = (isLaterFile ? catalog : current?.snapshot.catalog) ?? .empty
            let stored = (isLaterContent ? contents : current?.snapshot.contents) ?? StoredContents()
            app.testerDefaults = inForce.testerDefaults
            entries[app.bundleId] = Entry(
                settingsRevision: max(row.settingsRevision, current?.settingsRevision ?? 0),
                fileVersion: isLaterFile ? version : current?.fileVersion ?? 0,
                contentsVersion: isLaterContent ? version : current?.contentsVersion ?? 0,
                snapshot: AppSnapshot(app: app, catalog: inForce, contents: stored))
        }
    }
}
