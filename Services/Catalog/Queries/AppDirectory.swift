import StoreModels
import Synchronization

/// Every app's snapshot, by bundle identifier.
final class AppDirectory: Sendable {
    private struct Entry {
        var settingsRevision: Int64
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

    /// Takes over what was committed. Commits may come back in another order than they were made in, so the later
    /// settings and the later catalogue stay, each by its own number.
    ///
    /// - Parameter catalog: nil when only the settings changed.
    func install(_ row: AppRow, catalog: Catalog?) {
        entries.withLock { entries in
            let current = entries[row.app.bundleId]
            var app = row.app
            var inForce = catalog ?? .empty
            if let current {
                if current.settingsRevision > row.settingsRevision { app.settings = current.snapshot.app.settings }
                if catalog == nil || current.snapshot.app.catalogVersion > app.catalogVersion {
                    app.catalogVersion = current.snapshot.app.catalogVersion
                    inForce = current.snapshot.catalog
                }
            }
            app.testerDefaults = inForce.testerDefaults
            entries[app.bundleId] = Entry(
                settingsRevision: max(row.settingsRevision, current?.settingsRevision ?? 0),
                snapshot: AppSnapshot(app: app, catalog: inForce))
        }
    }
}
