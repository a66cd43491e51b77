import Persistence
import StoreModels

/// Stores apps and the files in force.
struct AppRepository: Sendable {
    let database: any SQLDatabase

    /// The versions of an app. If memory has others, another process has changed the app.
    struct Head: Hashable, Sendable {
        let bundleId: String
        let settingsRevision: Int64
        let catalogVersion: Int64
    }

    /// Reads the versions of all apps that are not being deleted, a page at a time, by bundle identifier.
    func heads(after bundleId: String, limit: Int) async throws -> [Head] {
        try await database.read { reader in
            try await reader.query(
                """
                SELECT bundle_id, settings_revision, catalog_version FROM app
                WHERE bundle_id > ? AND deletion IS NULL ORDER BY bundle_id LIMIT ?
                """, bundleId, limit
            ).map { row in
                Head(
                    bundleId: try row["bundle_id"], settingsRevision: try row["settings_revision"],
                    catalogVersion: try row["catalog_version"])
            }
        }
    }

    /// Reads an app with its catalogue from one snapshot, if the app exists.
    ///
    /// - Parameter version: The version of a file that the caller already has.
    func whole(_ bundleId: String, unlessFile version: Int64?) async throws -> StoredApp? {
        try await database.read { reader in
            let app = try await reader.queryOne(
                """
                SELECT bundle_id, settings, settings_revision, catalog_version FROM app
                WHERE bundle_id = ? AND deletion IS NULL
                """, bundleId)
            guard let row = try app.map(AppRow.init) else { return nil }
            let file = try await reader.queryOne(
                "SELECT version, file_name FROM catalog_file WHERE bundle_id = ?", bundleId)
            let fileVersion: Int64 = try file.map { file in try file["version"] } ?? 0
            var stored: StoredApp.File?
            if let file, fileVersion != version {
                let parts = try await reader.query(
                    "SELECT data FROM catalog_part WHERE bundle_id = ? ORDER BY part", bundleId)
                stored = StoredApp.File(name: try file["file_name"], bytes: try joined(parts))
            }
            return StoredApp(
                row: row, fileVersion: fileVersion, file: stored,
                contents: try await ContentRepository.stored(of: bundleId, in: reader),
                promotions: try await PromotionRepository.stored(of: bundleId, in: reader))
        }
    }

    /// Reads the versions of one app, if the app exists.
    func head(of bundleId: String) async throws -> Head? {
        try await database.read { reader in
            try await reader.queryOne(
                "SELECT settings_revision, catalog_version FROM app WHERE bundle_id = ? AND deletion IS NULL", bundleId
            ).map { row in
                Head(
                    bundleId: bundleId, settingsRevision: try row["settings_revision"],
                    catalogVersion: try row["catalog_version"])
            }
        }
    }

    /// Checks that no deletion has closed the app.
    /// - Throws: `serviceUnavailable`, until the deletion has ended.
    static func checkIsOpen(_ bundleId: String, in reader: SQLReader) async throws {
        let closed = try await reader.queryOne(
            "SELECT 1 FROM app WHERE bundle_id = ? AND deletion IS NOT NULL", bundleId)
        guard closed != nil else { return }
        throw StoreError(
            .serviceUnavailable,
            "app \(bundleId) is being deleted; try again when storebus app list (GET /admin/v1/apps) no longer names it",
            retryAfterMs: 10_000)
    }

    /// Tells whether there is an app, or was one before its deletion.
    func hasOrHadApp() async throws -> Bool {
        try await database.read { reader in
            if try await reader.queryOne("SELECT 1 FROM app LIMIT 1") != nil { return true }
            return try await reader.queryOne("SELECT 1 FROM app_removal WHERE ended > 0") != nil
        }
    }

    /// Creates the app or changes its settings. The catalogue stays.
    /// - Throws: `serviceUnavailable` for an app that is being deleted.
    func put(_ bundleId: String, _ settings: AppSettings) async throws -> AppRow {
        let encoded = try StoreJSON.encode(settings)
        return try await database.write { transaction in
            try await Self.checkIsOpen(bundleId, in: transaction)
            let row = try await transaction.queryOne(
                """
                INSERT INTO app (bundle_id, settings, settings_revision, catalog_version)
                VALUES (?, ?, (SELECT version FROM deleted_version) + 1, (SELECT version FROM deleted_version))
                ON CONFLICT (bundle_id) DO UPDATE
                SET settings = excluded.settings, settings_revision = app.settings_revision + 1
                RETURNING bundle_id, settings, settings_revision, catalog_version
                """, bundleId, encoded)
            return try AppRow(found(row))
        }
    }

    /// A part of the file in force.
    struct Part: Sendable {
        let version: Int64
        /// The number of parts of the file.
        let partCount: Int
        /// The number of bytes of the file before this part.
        let start: Int
        /// The bytes, or nil when the part does not exist.
        let data: [UInt8]?
    }

    /// Reads a part of the file in force, or nil before the first import.
    func part(_ index: Int, of bundleId: String) async throws -> Part? {
        try await database.read { reader in
            try await Self.checkIsOpen(bundleId, in: reader)
            guard let file = try await reader.queryOne("SELECT version FROM catalog_file WHERE bundle_id = ?", bundleId)
            else { return nil }
            let sizes = try found(
                try await reader.queryOne(
                    """
                    SELECT count(*) AS n, coalesce(sum(CASE WHEN part < ? THEN length(data) ELSE 0 END), 0) AS start
                    FROM catalog_part WHERE bundle_id = ?
                    """, index, bundleId))
            let part = try await reader.queryOne(
                "SELECT data FROM catalog_part WHERE bundle_id = ? AND part = ?", bundleId, index)
            return Part(
                version: try file["version"], partCount: try sizes["n"], start: try sizes["start"],
                data: try part.map { row in try row["data"] })
        }
    }
}

extension AppRow {
    init(_ row: SQLRow) throws {
        let app = App(
            bundleId: try row["bundle_id"],
            settings: try StoreJSON.decode(AppSettings.self, from: row["settings"]),
            catalogVersion: try row["catalog_version"])
        self.init(app: app, settingsRevision: try row["settings_revision"])
    }
}

/// Unwraps a row that the statement always returns.
func found(_ row: SQLRow?) throws(PersistenceError) -> SQLRow {
    guard let row else { throw PersistenceError(.statement, "a statement that always has a row had none") }
    return row
}

/// Concatenates the `data` of consecutive parts.
func joined(_ parts: [SQLRow]) throws -> [UInt8] {
    try parts.reduce(into: []) { bytes, row in bytes += try row["data"] as [UInt8] }
}

/// An app as stored in its row.
struct AppRow: Hashable, Sendable {
    let app: App
    /// The revision of the settings, which grows by one with each change.
    let settingsRevision: Int64
}

/// An app from one snapshot of the database.
struct StoredApp: Sendable {
    /// A catalogue file in force, as it was imported.
    struct File: Sendable {
        let name: String
        let bytes: [UInt8]
    }

    let row: AppRow
    /// The version of the catalogue that introduced the file in force. 0 before the first import.
    let fileVersion: Int64
    /// The file. Nil before the first import, and when the caller already has it.
    let file: File?
    let contents: StoredContents
    var promotions = StoredPromotions()
}
