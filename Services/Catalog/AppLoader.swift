import BusService
import Logging
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// Loads apps from the database into memory: all at the start, later those that another process has changed.
struct AppLoader: Sendable {
    /// The number of apps read by one statement.
    static let pageMax = 500

    let apps: AppRepository
    let directory: AppSnapshots
    let logger: Logger

    /// Loads every app that is missing or outdated in memory, and drops those that were removed.
    func refresh() async throws {
        // Apps that come to memory after this are not dropped, whenever their rows were read.
        var removed = directory.snapshots
        var last = ""
        while true {
            let heads = try await apps.heads(after: last, limit: Self.pageMax)
            for head in heads {
                removed[ExactText(head.bundleId)] = nil
                if directory.isBehind(head) { try await load(head.bundleId) }
            }
            guard heads.count == Self.pageMax, let head = heads.last else { break }
            last = head.bundleId
        }
        for known in removed.values { directory.forget(known) }
    }

    /// Loads an app if another process has changed it, and drops it if removed. The operator's next request then sees
    /// its current state.
    func refresh(_ bundleId: String) async throws {
        let known = directory.snapshot(of: bundleId)
        if let head = try await apps.head(of: bundleId) {
            if directory.isBehind(head) { try await load(bundleId) }
        } else if let known {
            directory.forget(known)
        }
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

/// Loads other processes' commits for an app before a reply from memory. It does nothing on SQLite, where this process
/// is the only writer.
///
/// Simultaneous requests share one read of the database. While the database is away, replies come from memory.
struct AppCatchUp: Sendable {
    /// The timeout of one read, which may load a large file.
    private static let timeout: Duration = .seconds(30)

    private let hasOthers: Bool
    private let reads: SharedRequest<ExactText, Bool>

    init(_ loader: AppLoader) {
        hasOthers = loader.apps.database.dialect == .postgres
        reads = SharedRequest(timeout: Self.timeout) { (bundleId, _) async throws(StoreError) in
            do {
                try await loader.refresh(bundleId.text)
                return true
            } catch {
                loader.logger.warning(
                    "catalogue not refreshed", metadata: ["bundleId": "\(bundleId)", "error": "\(error)"])
                return false
            }
        }
    }

    /// - Returns: Whether memory has all commits from before the call. False while the database is away.
    @discardableResult
    func callAsFunction(_ bundleId: String) async throws(StoreError) -> Bool {
        guard hasOthers else { return true }
        return try await reads.ask(ExactText(bundleId), until: .now + Self.timeout)
    }
}

/// Loads the commits of the service's other processes ahead of requests. Does nothing on SQLite, where this process is
/// the only one.
///
/// Each reply about an app reads the app's row first (ADR 0021). Then a large file is in memory already.
package struct CatalogRefresher: ServiceLifecycle.Service {
    /// The time between two reads, on the monotonic clock.
    static let interval = BackgroundJob.slowSweep

    let loader: AppLoader
    let logger: Logger

    /// Reads until graceful shutdown.
    package func run() async throws {
        guard loader.apps.database.dialect == .postgres else {
            // Ends with the service, as on PostgreSQL.
            try? await gracefulShutdown()
            return
        }
        await BackgroundJob.run([
            .repeating("catalogue refresh", every: Self.interval, loader.apps.database.commits, logger) {
                try await loader.refresh()
                return .interval
            }
        ])
    }
}
