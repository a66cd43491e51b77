import Logging
import Persistence
import ServiceDatabase
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer
@testable import Catalog
@testable import PaymentProcessor
@testable import PaymentQueue
@testable import PromotionController

/// Goal: a removed isolated store leaves no rows, nor does a deleted app, whose late requests remove nothing. A copied
/// store has every row of its source.
///
/// Method: each table with a column for an app or a scope has one row of the app, then the service removes or copies
/// the app.
@Suite struct AppRowsTests {
    /// Tables whose rows stay, with the reason.
    private static let exceptions = [
        "charge": "the sandbox processor's ledger keeps the charges of removed stores",
        "isolated_store": "the gateway removes the row last, when each service has removed its own",
        "app_deletion": "as isolated_store",
    ]

    /// Tables whose rows are not copied, with the reason.
    private static let uncopied = [
        "app_clock": "the copy's clock is written frozen, and PromotionController asks for it",
        "clock_advance": "it has the keys of moves that have ended",
        "server_event": "AppStoreServer has imported the events",
        "app_key": "the copy has keys of its own",
        "server_api_app": "it is written with the copy's key",
        "server_api_rate": "it counts the requests to the store",
    ]

    private static let isolated = "com.example.app@t-7.42"
    private static let deleted = "com.example.app"

    @Test(arguments: ServiceName.allCases)
    func `each table with an app or a scope is empty when the isolated store is removed`(
        _ service: ServiceName
    ) async throws {
        guard let migrations = service.migrations else { return }
        try await TestDatabase(.sqlite).with(migrations: migrations) { database in
            let columns = try await Self.columns(of: database, bundleId: Self.isolated)
            try await Self.fill(columns, of: database)
            if let remove = service.appRemoval(database) {
                let reply = try await remove(RemoveAppRequest(bundleId: Self.isolated))
                #expect(reply.isDone)
            }
            for table in columns.keys.sorted() where Self.exceptions[table] == nil {
                let count = try await Self.count(table, of: database)
                #expect(count == 0, "\(service.rawValue) does not remove an app's rows of the table \(table)")
            }
        }
    }

    @Test(arguments: ServiceName.allCases)
    func `a deletion removes an app's rows, and after its end none of the next app`(_ service: ServiceName) async throws
    {
        guard let migrations = service.migrations else { return }
        try await TestDatabase(.sqlite).with(migrations: migrations) { database in
            guard let remove = service.appRemoval(database) else { return }
            // Accounts and devices, which have a scope only, belong to all apps.
            let all = try await Self.columns(of: database, bundleId: Self.deleted)
            let columns = all.filter { table, columns in
                columns.contains { $0.name == "bundle_id" } && Self.exceptions[table] == nil
            }
            #expect(!columns.isEmpty)
            let request = RemoveAppRequest(bundleId: Self.deleted, deletion: 3, isLast: true)
            for expected in [0, 1] {
                // The rows of accounts and devices stay, and others refer to them.
                try await Self.fill(expected == 0 ? all : columns, of: database)
                let reply = try await remove(request)
                #expect(reply.isDone)
                for table in columns.keys.sorted() {
                    let count = try await Self.count(table, of: database)
                    #expect(count == expected, "\(service.rawValue), table \(table)")
                }
            }
        }
    }

    @Test(arguments: [ServiceName.paymentQueue, .paymentProcessor, .promotionController, .appStoreServer])
    func `each table with an app or a scope has the copy's rows, or a reason`(_ service: ServiceName) async throws {
        let migrations = try #require(service.migrations)
        try await TestDatabase(.sqlite).with(migrations: migrations) { database in
            let columns = try await Self.columns(of: database, bundleId: Self.isolated)
            try await Self.fill(columns, of: database)
            let copy = try StoreCopy(CopyAppRequest(from: Self.isolated, to: "com.example.app@t-9.42"))
            try await database.write { transaction in
                try await transaction.execute("PRAGMA defer_foreign_keys = ON")
                switch service {
                case .paymentQueue: try await PaymentQueue.AppCopy.copyRows(copy, in: transaction)
                case .paymentProcessor: try await LedgerCopy.copyRows(copy, in: transaction)
                case .promotionController: try await PromotionDataCopy.copyRows(copy, in: transaction)
                default: try await AppStoreDataCopy.copyRows(copy, in: transaction)
                }
            }
            for table in columns.keys.sorted() {
                let count = try await Self.count(table, of: database)
                #expect(
                    count == (Self.uncopied[table] == nil ? 2 : 1),
                    "\(service.rawValue) does not copy a store's rows of the table \(table)")
            }
        }
    }

    private static func count(_ table: String, of database: any SQLDatabase) async throws -> Int? {
        try await database.read { reader in
            try await reader.queryOne("SELECT COUNT(*) AS count FROM \"\(table)\"")?["count"]
        }
    }

    /// The columns of each table that has one for an app or a scope, with their values in the app's row.
    private static func columns(
        of database: any SQLDatabase, bundleId: String
    ) async throws -> [String: [(name: String, value: String)]] {
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
            columns[table, default: []].append((name: column, value: value(of: column, type, bundleId)))
        }
        return columns
    }

    /// Columns of one type have one value in all tables, so that each row refers to rows that are there.
    private static func value(of column: String, _ type: String, _ bundleId: String) -> String {
        switch column {
        case "bundle_id": "'\(bundleId)'"
        case "scope": "'\(IsolationScope(of: bundleId).key)'"
        // A renewal under way delays the removal.
        case "attempt": "NULL"
        // A refund without a reply stays in the outbox.
        case "reversal": "0"
        // Identifiers are unique on the installation, so a copy has others.
        default: type == "TEXT" ? "'t_01k9p3s2rg0123456789abcdef'" : "1"
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
    fileprivate func appRemoval(_ database: any SQLDatabase) -> ((RemoveAppRequest) async throws -> RemoveAppReply)? {
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
