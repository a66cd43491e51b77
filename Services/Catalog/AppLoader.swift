import Logging
import Persistence
import StoreModels

/// Loads apps from the database into memory: all at the start, later those that another process has changed.
struct AppLoader: Sendable {
    /// The number of apps read by one statement.
    static let pageMax = 500

    let apps: AppRepository
    let directory: AppSnapshots
    let logger: Logger

    /// Loads every app that is missing or outdated in memory.
    func refresh() async throws {
        var last = ""
        while true {
            let heads = try await apps.heads(after: last, limit: Self.pageMax)
            for head in heads where directory.isBehind(head) { try await load(head.bundleId) }
            guard heads.count == Self.pageMax, let head = heads.last else { return }
            last = head.bundleId
        }
    }

    /// Loads an app if another process has changed it. The operator's next request then sees its current state.
    func refresh(_ bundleId: String) async throws {
        guard let head = try await apps.head(of: bundleId), directory.isBehind(head) else { return }
        try await load(bundleId)
    }

    /// Loads the current state of an app. Its file is read only if memory has another one.
    ///
    /// An app whose file this version cannot read has no products, and the service's health names it. Other apps are
    /// still sold, and the operator can import the file again.
    func load(_ bundleId: String) async throws {
        let known = directory.fileVersion(of: bundleId)
        guard let stored = try await apps.whole(bundleId, unlessFile: known) else { return }
        var catalog: Catalog?
        do {
            if let file = stored.file { catalog = try await Self.read(file) }
        } catch {
            logger.error("catalogue unreadable", metadata: ["bundleId": "\(bundleId)", "error": "\(error)"])
            catalog = stored.file.map { .unreadable($0.bytes) }
        }
        directory.install(stored, catalog: catalog)
    }

    /// Parses a file off the bus's loop, because a large one takes a while.
    @concurrent
    private static func read(_ file: StoredApp.File) async throws(StoreError) -> Catalog {
        try StoreKitFileReader.read(file.bytes, fileName: file.name).catalog
    }
}
