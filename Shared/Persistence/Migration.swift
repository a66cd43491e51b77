/// One step of a schema. Steps are only ever added: number 1, 2, 3 …, each with SQL that never changes once released.
package struct Migration: Hashable, Sendable {
    /// 1, 2, 3 …, without gaps; the order in which steps are applied.
    package let number: Int
    /// A few words for people: `payments and transactions`.
    package let name: String
    /// Statements separated by semicolons, in SQLite's words.
    package let sql: String
    /// The same for PostgreSQL.
    let postgres: String

    /// - Parameters:
    ///   - sql: Column types are `TEXT`, `INTEGER`, `BIGINT`, `REAL` and `BLOB`, in capitals; PostgreSQL gets its own
    ///     words for them (``SchemaSyntax``).
    ///   - postgres: The whole step for PostgreSQL, where exchanging words is not enough.
    ///   - counters: Names of the counters that the step adds to the table `counter`; sequences on PostgreSQL
    ///     (``SQLCounter``).
    package init(number: Int, name: String, sql: String, postgres: String? = nil, counters: [String] = []) {
        self.number = number
        self.name = name
        self.sql = sql
        let sequences = counters.map { "CREATE SEQUENCE \(SQLCounter.sequence($0))" }
        self.postgres = ([postgres ?? SchemaSyntax.postgres(sql)] + sequences).joined(separator: ";\n")
    }

    /// FNV-1a, 64 bits, of the step's SQL. It is enough to notice that a released step was edited; it is not a security
    /// measure.
    package func fingerprint(_ dialect: SQLDialect) -> String {
        let text = dialect == .sqlite ? sql : postgres
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        return String(hash, radix: 16)
    }

    /// Its row in SQLite's `schema_migration`.
    var row: [SQLValue] { [.integer(Int64(number)), .text(name), .text(fingerprint(.sqlite))] }
}
