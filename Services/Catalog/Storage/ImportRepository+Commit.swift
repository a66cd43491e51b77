import Persistence
import StoreModels

extension ImportRepository {
    /// The result of a commit.
    enum Commit: Sendable {
        /// The file is in force.
        case done(AppRow, ImportReport)
        /// Another commit of the same import was first, with this outcome.
        case repeated(ImportOutcome)
        /// Parts arrived after the file was read, so it must be read again.
        case stale
    }

    /// Makes the import the app's catalogue, in one transaction with the version and the reply.
    ///
    /// - Parameters:
    ///   - defaults: The settings of an app that the import creates.
    ///   - billingGracePeriod: The file's setting. Nil leaves the app's setting unchanged.
    ///   - report: Creates the reply for the catalogue's new version.
    func commit(
        _ identifier: String, _ upload: Upload, defaults: AppSettings, billingGracePeriod: Bool?,
        report: @escaping @Sendable (Int64) -> ImportReport
    ) async throws -> Commit {
        try await database.write { transaction in
            if let early = try await lastMoment(transaction, identifier, upload) { return early }
            let row = try await raiseVersion(transaction, upload.bundleId, defaults, billingGracePeriod)
            try await replaceFile(transaction, identifier, upload, version: row.app.catalogVersion)
            let answer = report(row.app.catalogVersion)
            try await finish(transaction, identifier, .committed(answer))
            return .done(row, answer)
        }
    }

    /// Stores the error as the import's reply and deletes its bytes.
    func refuse(_ identifier: String, _ upload: Upload, _ error: StoreError) async throws -> Commit {
        try await database.write { transaction in
            if let early = try await lastMoment(transaction, identifier, upload) { return early }
            try await finish(transaction, identifier, .refused(error))
            return .repeated(.refused(error))
        }
    }

    private func lastMoment(_ transaction: SQLTransaction, _ identifier: String, _ upload: Upload) async throws
        -> Commit?
    {
        let row = try await transaction.queryOne(
            "SELECT revision, outcome FROM import WHERE id = ? \(transaction.dialect.lockRow)", identifier)
        guard let row else { throw ImportLimits.unknownImport }
        if let outcome = try row["outcome"] as [UInt8]? {
            return .repeated(try StoreJSON.decode(ImportOutcome.self, from: outcome))
        }
        return try row["revision"] == upload.revision ? nil : .stale
    }

    private func raiseVersion(
        _ transaction: SQLTransaction, _ bundleId: String, _ defaults: AppSettings, _ billingGracePeriod: Bool?
    ) async throws -> AppRow {
        try await AppRepository.checkIsOpen(bundleId, in: transaction)
        let current = try await transaction.queryOne(
            "SELECT settings FROM app WHERE bundle_id = ? \(transaction.dialect.lockRow)", bundleId)
        let before = try current.map { try StoreJSON.decode(AppSettings.self, from: $0["settings"]) } ?? defaults
        var settings = before
        settings.billingGracePeriod = billingGracePeriod ?? before.billingGracePeriod
        let row = try await transaction.queryOne(
            """
            INSERT INTO app (bundle_id, settings, settings_revision, catalog_version)
            VALUES (?, ?, (SELECT version FROM deleted_version) + 1, (SELECT version FROM deleted_version) + 1)
            ON CONFLICT (bundle_id) DO UPDATE SET catalog_version = app.catalog_version + 1,
                settings = excluded.settings, settings_revision = app.settings_revision + ?
            RETURNING bundle_id, settings, settings_revision, catalog_version
            """, bundleId, try StoreJSON.encode(settings), settings == before ? 0 : 1)
        return try AppRow(found(row))
    }

    private func replaceFile(
        _ transaction: SQLTransaction, _ identifier: String, _ upload: Upload, version: Int64
    ) async throws {
        try await transaction.execute("DELETE FROM catalog_part WHERE bundle_id = ?", upload.bundleId)
        try await transaction.execute(
            """
            INSERT INTO catalog_part (bundle_id, part, data) \
            SELECT ?, part, data FROM import_part WHERE import_id = ?
            """, upload.bundleId, identifier)
        try await transaction.execute(
            """
            INSERT INTO catalog_file (bundle_id, version, file_name) VALUES (?, ?, ?)
            ON CONFLICT (bundle_id) DO UPDATE SET version = excluded.version, file_name = excluded.file_name
            """, upload.bundleId, version, upload.fileName)
    }

    private func finish(_ transaction: SQLTransaction, _ identifier: String, _ outcome: ImportOutcome) async throws {
        try await transaction.execute("DELETE FROM import_part WHERE import_id = ?", identifier)
        try await transaction.execute(
            "UPDATE import SET outcome = ? WHERE id = ?", try StoreJSON.encode(outcome), identifier)
    }
}
