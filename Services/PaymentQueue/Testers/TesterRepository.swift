import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes the testers' settings, one row per account of a scope.
///
/// A row has the settings an operator has set, without the app's defaults.
enum TesterRepository {
    /// Reads an account's settings.
    /// - Returns: Nil when no operator has set any.
    static func find(_ account: ScopedIdentifier, in reader: SQLReader) async throws -> TesterSettings? {
        let row = try await reader.queryOne(
            "SELECT settings FROM tester WHERE scope = ? AND account = ?", account.scope.key, account.id)
        return try row.map { try StoredJSON.value(TesterSettings.self, try $0["settings"]) }
    }

    /// Merges an account's settings: an operator's, over the app's defaults, over StoreKit's behaviour.
    static func effective(
        of customer: Customer, defaults: TesterSettings?, in reader: SQLReader
    ) async throws -> TesterSettings {
        (try await find(customer.tester, in: reader) ?? TesterSettings()).over(defaults).over(.standard)
    }

    static func put(
        _ settings: TesterSettings, of account: ScopedIdentifier, wall: Timestamp, in transaction: SQLTransaction
    ) async throws {
        try await transaction.execute(
            """
            INSERT INTO tester (scope, account, settings, updated_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (scope, account) DO UPDATE SET settings = excluded.settings, updated_at = excluded.updated_at
            """, account.scope.key, account.id, try StoredJSON.text(settings), wall.milliseconds)
        try await raiseVersion(in: transaction)
    }

    static func delete(_ account: ScopedIdentifier, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute(
            "DELETE FROM tester WHERE scope = ? AND account = ?", account.scope.key, account.id)
        try await raiseVersion(in: transaction)
    }

    /// Reads the version of all settings, which grows with each change of any account.
    static func version(in reader: SQLReader) async throws -> Int64 {
        guard let row = try await reader.queryOne("SELECT version FROM testers_version") else {
            throw StoreError(.internal, "the testers' settings have no version")
        }
        return try row["version"]
    }

    /// Raises the version, in the commit of every change of an account's settings or storefront.
    static func raiseVersion(in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute("UPDATE testers_version SET version = version + 1")
    }

    /// Reads the accounts of a scope that have settings or customers, by name.
    static func accounts(
        _ page: PageRequest, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        let (after, customers) = (page.after ?? "", page.scope.condition())
        // An index orders both halves as the whole, so the page's cost grows with its limit only.
        let rows = try await reader.query(
            """
            SELECT account FROM tester WHERE scope = ? AND account > ?
            UNION SELECT account FROM customer WHERE account > ? AND \(customers.sql)
            ORDER BY account LIMIT ?
            """, arguments: [page.scope.key, after, after] + customers.arguments + [limit])
        return try rows.values(of: "account")
    }

    /// Reads the storefront that all of an account's customers share.
    /// - Returns: The storefront, or nil when the account has no customers, or they differ.
    static func commonStorefront(
        of account: ScopedIdentifier, in reader: SQLReader
    ) async throws(PersistenceError) -> String? {
        let customers = account.scope.condition()
        let row = try await reader.query(
            """
            SELECT MIN(storefront) AS first, MAX(storefront) AS last FROM customer
            WHERE account = ? AND \(customers.sql)
            """, arguments: [account.id] + customers.arguments
        ).first
        guard let row else { return nil }
        let (first, last): (String?, String?) = (try row["first"], try row["last"])
        return first == last ? first : nil
    }
}
