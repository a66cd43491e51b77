import Logging
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer
@testable import Catalog
@testable import PaymentQueue
@testable import PromotionController

/// Goal: a removed isolated store leaves no rows.
///
/// Method: each table with a column for an app or a scope has one row of the store, then the service removes the app.
@Suite struct AppRemovalTests {
    /// Tables whose rows stay, with the reason.
    private static let exceptions = [
        "charge": "the sandbox processor's ledger keeps the charges of removed stores",
        "isolated_store": "the gateway removes the row last, when each service has removed its own",
    ]

    private static let bundleId = "com.example.app@t-7.42"

    @Test(arguments: ServiceName.allCases)
    func `each table with an app or a scope is empty when the isolated store is removed`(
        _ service: ServiceName
    ) async throws {
        guard let migrations = service.migrations else { return }
        try await TestDatabase(.sqlite).with(migrations: migrations) { database in
            let columns = try await Self.columns(of: database)
            try await Self.fill(columns, of: database)
            if let remove = service.appRemoval(database) {
                let reply = try await remove(AppRequest(bundleId: Self.bundleId))
                #expect(reply.isDone)
            }
            for table in columns.keys.sorted() where Self.exceptions[table] == nil {
                let count: Int? = try await database.read { reader in
                    try await reader.queryOne("SELECT COUNT(*) AS count FROM \"\(table)\"")?["count"]
                }
                #expect(count == 0, "\(service.rawValue) does not remove an app's rows of the table \(table)")
            }
        }
    }

    /// The columns of each table that has one for an app or a scope, with their values in the store's row.
    private static func columns(of database: any SQLDatabase) async throws -> [String: [(name: String, value: String)]]
    {
        let rows = try await database.read { reader in
            try await reader.query(
                """
                SELECT t.name AS name, c.name AS column_name, c.type AS type
                FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                WHERE t.type = 'table'
                    AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name IN ('bundle_id', 'scope'))
                """)
        }
        var columns: [String: [(name: String, value: String)]] = [:]
        for row in rows {
            let (table, column, type): (String, String, String) = (
                try row["name"], try row["column_name"], try row["type"]
            )
            columns[table, default: []].append((name: column, value: value(of: column, type)))
        }
        return columns
    }

    /// Columns of one type have one value in all tables, so that each row refers to rows that are there.
    private static func value(of column: String, _ type: String) -> String {
        switch column {
        case "bundle_id": "'\(bundleId)'"
        case "scope": "'\(IsolationScope(of: bundleId).key)'"
        default: type == "TEXT" ? "'x'" : "1"
        }
    }

    private static func fill(
        _ columns: [String: [(name: String, value: String)]], of database: any SQLDatabase
    ) async throws {
        let rows = columns.map { table, columns in
            let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
            let values = columns.map { $0.value }.joined(separator: ", ")
            return "INSERT INTO \"\(table)\" (\(names)) VALUES (\(values))"
        }
        try await database.write { transaction in
            for pragma in ["defer_foreign_keys", "ignore_check_constraints"] {
                try await transaction.execute("PRAGMA \(pragma) = ON")
            }
            for row in rows { try await transaction.execute(row) }
        }
    }
}

extension ServiceName {
    /// Removes an isolated store's app from the service's database. Nil for a service that removes none.
    fileprivate func appRemoval(_ database: any SQLDatabase) -> ((AppRequest) async throws -> RemoveAppReply)? {
        switch self {
        case .catalog:
            let loader = AppLoader(
                apps: AppRepository(database: database), directory: AppSnapshots(),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            return AppCopies(database: database, loader: loader).remove
        case .paymentQueue: return AppRemoval(database: database).remove
        case .promotionController: return PromotionDataRemoval(database: database).remove
        case .appStoreServer: return AppStoreDataRemoval(database: database).remove
        case .paymentProcessor, .gateway, .eligibility: return nil
        }
    }
}
