import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes accounts, and the clocks of their apps.
enum CustomerRepository {
    static func find(_ id: CustomerReference, in reader: SQLReader) async throws(PersistenceError) -> Customer? {
        try await reader.queryOne(
            "SELECT * FROM customer WHERE bundle_id = ? AND customer_identifier = ?", id.bundleId, id.customerIdentifier
        ).map(customer)
    }

    /// Starts to find a customer and the app's clock, for ``foundWithClock(_:)``.
    static func startFindWithClock(
        _ id: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedQuery {
        try await reader.start(
            """
            SELECT c.*, k.epoch, k.anchor_wall, k.anchor_business, k.rate_millionths, k.rate_name, k.is_frozen
            FROM customer c JOIN app_clock k ON k.bundle_id = c.bundle_id
            WHERE c.bundle_id = ? AND c.customer_identifier = ?
            """, id.bundleId, id.customerIdentifier)
    }

    static func foundWithClock(
        _ started: StartedQuery
    ) async throws(PersistenceError) -> (customer: Customer, clock: AppClock)? {
        guard let row = try await started.first() else { return nil }
        return (try customer(row), try AppClock(row))
    }

    /// A customer whose row is locked until the commit, with the columns of every commit.
    struct Locked {
        var customer: Customer
        var clock: AppClock
        /// As an operator has set them for the account.
        var settings: TesterSettings

        init(_ row: SQLRow) throws {
            customer = try CustomerRepository.customer(row)
            clock = try AppClock(row)
            let text: String? = try row["tester_settings"]
            settings = try text.map { try StoredJSON.value(TesterSettings.self, $0) } ?? TesterSettings()
        }
    }

    /// The rows of locked customers: their settings' scope, app and customer.
    static let lockedRows = SQLBatchStatement.query(
        """
        SELECT c.*, k.epoch, k.anchor_wall, k.anchor_business, k.rate_millionths, k.rate_name, k.is_frozen,
            t.settings AS tester_settings
        FROM customer c JOIN app_clock k ON k.bundle_id = c.bundle_id
            LEFT JOIN tester t ON t.scope = ? AND t.account = c.account
        WHERE c.bundle_id = ? AND c.customer_identifier = ?
        """, .text, .text, .text)

    /// Locks customers' rows until the commit: apps and customers. SQLite's writer needs no locks.
    static let lock = SQLBatchStatement.query(keySQL, lock: .waiting, .text, .text)
    /// Locks the rows of customers that no other transaction has locked, as ``lock``.
    static let lockUnlocked = SQLBatchStatement.query(keySQL, lock: .skipping, .text, .text)

    private static let keySQL =
        "SELECT bundle_id, customer_identifier FROM customer WHERE bundle_id = ? AND customer_identifier = ?"

    /// The rows of locked customers after a commit.
    ///
    /// Each has the last journal row, the last place among the transactions' changes, the app and the customer.
    static let newHeads = SQLBatchStatement.update(
        "customer", set: "head_seq = ?, modified_seq = ?", where: "bundle_id = ? AND customer_identifier = ?",
        .integer, .integer, .text, .text)

    /// Lists an account's customers in one app, or in all of the installation.
    static func all(
        of account: String, bundleId: String?, in reader: SQLReader
    ) async throws(PersistenceError) -> [CustomerReference] {
        if let bundleId {
            return try await find(account: account, bundleId: bundleId, in: reader).map { [$0.id] } ?? []
        }
        return try await reader.query(
            "SELECT bundle_id, customer_identifier FROM customer WHERE account = ? ORDER BY bundle_id", account
        ).map { row throws(PersistenceError) in try CustomerReference(row) }
            .filter { IsolatedApp($0.bundleId) == nil }
    }

    static func find(
        account: String, bundleId: String, in reader: SQLReader
    ) async throws(PersistenceError) -> Customer? {
        try await reader.queryOne("SELECT * FROM customer WHERE bundle_id = ? AND account = ?", bundleId, account).map(
            customer)
    }

    /// Creates the account unless it exists, and returns the stored one.
    static func open(
        account: String, bundleId: String, storefront: String, newIdentifier: String, wall: Timestamp,
        in transaction: SQLTransaction
    ) async throws -> Customer {
        try await ClockRepository.insert(bundleId, wall: wall, in: transaction)
        let opened = try await clock(of: bundleId, in: transaction).now(wall: wall)
        let isNew =
            try await transaction.execute(
                """
                INSERT INTO customer (bundle_id, customer_identifier, account, storefront, created_at, opened_at)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """, bundleId, newIdentifier, account, storefront, wall.milliseconds, opened.milliseconds) == 1
        if isNew {
            try await transaction.send(
                "UPDATE customer SET app_transaction_number = ? WHERE bundle_id = ? AND customer_identifier = ?",
                try await CounterRepository.next(.appTransaction, of: bundleId, in: transaction).first, bundleId,
                newIdentifier)
        }
        guard let customer = try await find(account: account, bundleId: bundleId, in: transaction) else {
            throw StoreError(.internal, "the account was not written")
        }
        return customer
    }

    /// Reads the app's clock. Every customer's app has one, created with its first account.
    static func clock(of bundleId: String, in reader: SQLReader) async throws -> AppClock {
        guard let clock = try await ClockRepository.find(bundleId, in: reader) else {
            throw StoreError(.internal, "the app has no clock")
        }
        return clock
    }

    /// Sets the app's clock to the wall clock. Does nothing for an app without accounts, which has no clock.
    static func resetClock(
        of bundleId: String, wall: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            UPDATE app_clock SET epoch = epoch + 1, anchor_wall = ?, anchor_business = ?, rate_millionths = ?,
                rate_name = NULL, is_frozen = 0
            WHERE bundle_id = ?
            """, wall.milliseconds, wall.milliseconds, AppClock.realTime, bundleId)
        // An operator may use the keys of its moves again.
        try await transaction.execute("DELETE FROM clock_advance WHERE bundle_id = ?", bundleId)
    }

    /// Waits for the commits in progress about an app's customers.
    ///
    /// Later commits about them wait for the transaction, and read the clock as it is now.
    /// - Parameter limit: Maximum number of customers.
    static func awaitCommits(
        of bundleId: String, limit: Int = .max, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        guard transaction.dialect == .postgres else { return }
        // Rows are locked in one order, as in every statement that locks several customers.
        try await transaction.execute(
            """
            SELECT 1 FROM customer WHERE bundle_id = ? ORDER BY bundle_id, customer_identifier LIMIT ?
            \(transaction.dialect.lockRow)
            """, bundleId, limit)
    }

    /// Reads when the customer first opened a session, by the app's clock of that time.
    /// - Returns: Nil for an unknown customer.
    static func firstSeen(_ id: CustomerReference, in reader: SQLReader) async throws(PersistenceError) -> Timestamp? {
        let row = try await reader.queryOne(
            "SELECT opened_at FROM customer WHERE bundle_id = ? AND customer_identifier = ?", id.bundleId,
            id.customerIdentifier)
        return try row?["opened_at"]
    }

    /// The download of an app by a customer.
    struct AppTransaction: Hashable, Sendable {
        var customer: CustomerReference
        /// The customer's present storefront, alpha-3.
        var storefront: String
        /// Its number, decimal digits.
        var identifier: String
        /// The customer's first session, by the app's clock of that time.
        var firstSeen: Timestamp
    }

    /// Reads a customer's download of the app.
    static func appTransaction(
        of id: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> AppTransaction? {
        try await reader.queryOne(
            "SELECT * FROM customer WHERE bundle_id = ? AND customer_identifier = ?", id.bundleId, id.customerIdentifier
        ).map(appTransaction)
    }

    /// Finds the download of an app with a number.
    static func appTransaction(
        _ number: Int64, bundleId: String, in reader: SQLReader
    ) async throws(PersistenceError) -> AppTransaction? {
        try await reader.queryOne(
            "SELECT * FROM customer WHERE app_transaction_number = ? AND bundle_id = ?", number, bundleId
        ).map(appTransaction)
    }

    private static func appTransaction(_ row: SQLRow) throws(PersistenceError) -> AppTransaction {
        let number: Int64 = try row["app_transaction_number"]
        return AppTransaction(
            customer: try CustomerReference(row), storefront: try row["storefront"], identifier: "\(number)",
            firstSeen: try row["opened_at"])
    }

    /// Moves one customer to another storefront.
    static func setStorefront(
        _ storefront: String, of id: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "UPDATE customer SET storefront = ? WHERE bundle_id = ? AND customer_identifier = ?", storefront,
            id.bundleId, id.customerIdentifier)
    }

    /// Moves an account's customers in all apps of its scope.
    static func setStorefront(
        _ storefront: String, ofAccount account: ScopedIdentifier, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        let customers = account.scope.condition()
        try await transaction.execute(
            "UPDATE customer SET storefront = ? WHERE account = ? AND storefront <> ? AND \(customers.sql)",
            arguments: [storefront, account.id, storefront] + customers.arguments)
    }

    /// A customer's last journal row and storefront.
    struct Head: Hashable, Sendable {
        /// The number of the last journal row. 0 before the first.
        var seq: Int64
        /// Alpha-3 country code.
        var storefront: String
    }

    /// Reads the heads of many customers in one statement. Unknown customers are left out.
    static func heads(
        _ customers: [CustomerReference], in reader: SQLReader
    ) async throws(PersistenceError) -> [CustomerReference: Head] {
        guard !customers.isEmpty else { return [:] }
        let pairs = Array(repeating: "(?, ?)", count: customers.count).joined(separator: ", ")
        let rows = try await reader.query(
            """
            SELECT bundle_id, customer_identifier, head_seq, storefront FROM customer
            WHERE (bundle_id, customer_identifier) IN (VALUES \(pairs))
            """, arguments: customers.flatMap { [$0.bundleId, $0.customerIdentifier] })
        var heads: [CustomerReference: Head] = [:]
        for row in rows {
            heads[try CustomerReference(row)] =
                Head(seq: try row["head_seq"], storefront: try row["storefront"])
        }
        return heads
    }

    private static func customer(_ row: SQLRow) throws(PersistenceError) -> Customer {
        Customer(
            id: try CustomerReference(row),
            account: try row["account"], storefront: try row["storefront"], headSeq: try row["head_seq"],
            prunedSeq: try row["pruned_seq"], modifiedSeq: try row["modified_seq"],
            appTransaction: try row["app_transaction_number"])
    }
}
