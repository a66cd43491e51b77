import Persistence
import StoreModels
import StorebusTesting
import Testing

/// Goal: no service has a table whose rows are numbered so that a number could be given twice.
@Suite struct LogSchemaTests {
    /// Keys that the engine numbers and that no reader continues behind, with the reason.
    private static let others = [
        "charge.charge_number": "charges are never removed",
        "refund.refund_number": "refunds are never removed",
        "schema_migration.number": "the program numbers its steps",
        "store_identity.only_row": "there is one row",
        "log_origin.only_row": "there is one row",
    ]

    /// The start of microseconds since 2020; the number of a row that was counted from 1 is less.
    private static let clockStart: Int64 = 1_577_836_800_000_000

    @Test(arguments: ServiceName.allCases)
    func `each key that SQLite numbers is a position that is given once, from the clock on`(
        _ service: ServiceName
    ) async throws {
        guard let migrations = service.migrations else { return }
        try await TestDatabase(.sqlite).with(migrations: migrations) { database in
            try await database.read { reader in
                let keys = try await reader.query(
                    """
                    SELECT t.name AS name, c.name AS key, t.sql LIKE '%AUTOINCREMENT%' AS is_counted
                    FROM sqlite_schema t JOIN pragma_table_info(t.name) c ON c.pk = 1 AND c.type = 'INTEGER'
                    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
                        AND (SELECT COUNT(*) FROM pragma_table_info(t.name) WHERE pk > 0) = 1
                    """)
                for key in keys {
                    let (table, isCounted): (String, Bool) = (try key["name"], try key["is_counted"] as Int == 1)
                    let name = "\(table).\(try key["key"] as String)"
                    guard Self.others[name] == nil else { continue }
                    #expect(name.hasSuffix(".position"), "\(name) is numbered, and no position")
                    #expect(isCounted, "\(name) gives numbers of removed rows again")
                    guard isCounted else { continue }
                    let row = try await reader.queryOne("SELECT seq FROM sqlite_sequence WHERE name = ?", table)
                    let seq = try row.map { row throws(PersistenceError) in try row["seq"] as Int64 } ?? 0
                    #expect(seq > Self.clockStart, "\(name) counts from where a copy of the file was made")
                }
            }
        }
    }

    @Test(arguments: ServiceName.allCases)
    func `each position that PostgreSQL numbers is beyond the clock, and its transactions have the origin`(
        _ service: ServiceName
    ) async throws {
        guard let migrations = service.migrations else { return }
        try await TestDatabase(.postgres).with(migrations: migrations) { database in
            let columns = try await database.read { reader in
                try await reader.query(
                    """
                    SELECT table_name || '.' || column_name AS name, column_name, column_default,
                        pg_sequence_last_value(
                            pg_get_serial_sequence(quote_ident(table_name), column_name)::regclass) AS last
                    FROM information_schema.columns
                    WHERE table_schema = current_schema() AND (is_identity = 'YES' OR column_name = 'xact')
                    """
                ).map { row in
                    (
                        name: try row["name"] as String, column: try row["column_name"] as String,
                        usual: try row["column_default"] as String?, last: try row["last"] as Int64?
                    )
                }
            }
            for column in columns where Self.others[column.name] == nil {
                if column.column == "xact" {
                    #expect(column.usual?.contains("storebus.log_origin") == true, "\(column.name)")
                } else {
                    #expect(column.column == "position", "\(column.name) is numbered, and no position")
                    #expect(column.last ?? 0 > Self.clockStart, "\(column.name) counts from where a dump was made")
                }
            }
        }
    }

    @Test func `the logs are found`() async throws {
        for (service, logs) in [
            (ServiceName.paymentQueue, ["journal", "server_event", "subscription_event"]),
            (.promotionController, ["intent_event"]),
        ] {
            let migrations = try #require(service.migrations)
            try await TestDatabase(.sqlite).with(migrations: migrations) { database in
                let names = try await database.read { reader in
                    try await reader.query("SELECT name FROM sqlite_sequence ORDER BY name").map {
                        try $0["name"] as String
                    }
                }
                #expect(Set(names).isSuperset(of: logs))
            }
        }
    }
}
