import Persistence
import StoreModels

/// Removes an app's rows from the tables of a service, some a commit.
///
/// A deletion's requests may come late or twice. The service remembers the last deletion that has ended in it, and does
/// nothing for one up to that. So none of them touches an app that was made anew under the same name (ADR 0073).
package struct AppRows: Sendable {
    /// The table, which each service with apps has in its schema.
    ///
    /// Its row is the number of the last deletion that has ended. The gateway ends one before it begins with the next.
    package static let table = """
        CREATE TABLE app_removal (id BIGINT PRIMARY KEY CHECK (id = 1), ended BIGINT NOT NULL);
        INSERT INTO app_removal (id, ended) VALUES (1, 0);
        """
    /// Some of a table's rows.
    package struct Selection: Hashable, Sendable {
        let table: String
        let condition: String

        /// - Parameter condition: An SQL condition on the table's columns.
        package init(_ table: String, where condition: String) {
            self.table = table
            self.condition = condition
        }
    }

    /// Maximum number of commits for one request.
    static let commitsMax = 20

    private let database: any SQLDatabase
    private let tables: [String]
    private let busy: [Selection]
    private let kept: [Selection]
    private let rowsMax: Int
    private let lock: @Sendable (_ bundleId: String, SQLTransaction) async throws -> Void

    /// Creates the removal of an app's rows from tables of a service.
    /// - Parameters:
    ///   - tables: Their names, each with a column `bundle_id`. A table comes before those that it refers to.
    ///   - busy: Rows with work under way, of some of the tables. Nothing is removed beside such a row.
    ///   - kept: Rows that stay, of some of the tables.
    ///   - rowsMax: Maximum number of rows that one commit removes of a table.
    ///   - lock: Locks rows of an app that other commits lock first, so that they and the removal do not wait for each
    ///     other.
    package init(
        database: any SQLDatabase, tables: [String], busy: [Selection] = [], kept: [Selection] = [], rowsMax: Int = 500,
        lock: @escaping @Sendable (_ bundleId: String, SQLTransaction) async throws -> Void = { _, _ in }
    ) {
        self.database = database
        self.tables = tables
        self.busy = busy
        self.kept = kept
        self.rowsMax = rowsMax
        self.lock = lock
    }

    /// Removes some of the app's rows.
    /// - Parameter rest: Removes what no table of the list has, in the commit that finds these empty.
    /// - Throws: `requestInvalid` for a request that lacks its deletion, or `serviceUnavailable` beside work under way.
    package func remove(
        _ request: RemoveAppRequest, _ rest: @escaping @Sendable (SQLTransaction) async throws -> Void = { _ in }
    ) async throws -> RemoveAppReply {
        try request.check()
        for _ in 0..<Self.commitsMax {
            let isDone = try await database.write { transaction in
                guard try await Self.isUnderWay(request, in: transaction) else { return true }
                try await lock(request.bundleId, transaction)
                guard try await removeRows(of: request.bundleId, in: transaction) else { return false }
                try await rest(transaction)
                try await Self.end(request, in: transaction)
                return true
            }
            if isDone { return RemoveAppReply(isDone: true) }
        }
        return RemoveAppReply(isDone: false)
    }

    /// - Returns: Whether nothing is left.
    private func removeRows(of bundleId: String, in transaction: SQLTransaction) async throws -> Bool {
        try await checkIsIdle(bundleId, in: transaction)
        for table in tables {
            try await remove(bundleId, from: table, in: transaction)
            guard try await isEmpty(table, of: bundleId, in: transaction) else { return false }
        }
        return true
    }

    /// Tells whether a table has no row of the app, but for those that stay.
    ///
    /// The number of deleted rows does not tell it: on PostgreSQL a statement passes over a row that another commit
    /// changes meanwhile. The next commit removes that row, or finds that it has become busy.
    private func isEmpty(_ table: String, of bundleId: String, in transaction: SQLTransaction) async throws -> Bool {
        let condition = Self.condition(outside: kept, of: table)
        return try await transaction.queryOne(
            "SELECT 1 FROM \(table) WHERE bundle_id = ? AND \(condition) LIMIT 1", bundleId) == nil
    }

    private func checkIsIdle(_ bundleId: String, in transaction: SQLTransaction) async throws {
        for busy in busy {
            let (table, condition) = (busy.table, busy.condition)
            let row = try await transaction.queryOne(
                "SELECT 1 FROM \(table) WHERE bundle_id = ? AND \(condition) LIMIT 1", bundleId)
            guard row == nil else {
                throw StoreError(.serviceUnavailable, "work for \(bundleId) has begun meanwhile", retryAfterMs: 0)
            }
        }
    }

    /// On PostgreSQL it waits for locked rows. A row that has become busy meanwhile stays, and a row that refers to it
    /// rolls the commit back.
    private func remove(
        _ bundleId: String, from table: String, in transaction: SQLTransaction
    ) async throws {
        let condition = Self.condition(outside: busy + kept, of: table)
        let id = transaction.dialect.words(sqlite: "rowid", postgres: "ctid")
        // Materialized: otherwise PostgreSQL may run the selection again for each row, and remove more.
        try await transaction.execute(
            """
            WITH page AS MATERIALIZED (
                SELECT \(id) AS place FROM \(table)
                WHERE bundle_id = ? AND \(condition) LIMIT ? \(transaction.dialect.lockRow))
            DELETE FROM \(table) WHERE \(id) IN (SELECT place FROM page)
            """, bundleId, rowsMax)
    }

    /// The SQL condition on a table's rows that none of the selections has.
    private static func condition(outside selections: [Selection], of table: String) -> String {
        (["true"] + selections.filter { $0.table == table }.map { "NOT (\($0.condition))" }).joined(separator: " AND ")
    }

    /// Tells whether the request's deletion has not ended here.
    ///
    /// It does not end before the commit of the transaction.
    package static func isUnderWay(_ request: RemoveAppRequest, in transaction: SQLTransaction) async throws -> Bool {
        guard let deletion = request.deletion else { return true }
        let row = try await transaction.queryOne(
            "SELECT ended FROM app_removal WHERE id = 1 \(transaction.dialect.lockRow)")
        guard let ended: Int64 = try row?["ended"] else { return false }
        return deletion > ended
    }

    /// Remembers that the deletion has ended, if this is its last request.
    package static func end(_ request: RemoveAppRequest, in transaction: SQLTransaction) async throws {
        guard let deletion = request.deletion, request.isLast else { return }
        try await transaction.execute("UPDATE app_removal SET ended = ? WHERE id = 1", deletion)
    }
}
