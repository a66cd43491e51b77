/// One step of a schema. Steps are only ever added: number 1, 2, 3 …, each with SQL that never changes once released.
package struct Migration: Hashable, Sendable {
    /// 1, 2, 3 …, without gaps, in the order in which steps are applied.
    package let number: Int
    /// A few words for people: `0.1.0`.
    package let name: String
    private let sqlite: String
    private let postgres: String

    /// - Parameters:
    ///   - counters: Counters that the step makes (``SQLCounter``), each with the number before its first.
    ///   - sql: Statements separated by semicolons, for an engine (``SchemaSyntax``).
    package init(
        number: Int, name: String, counters: KeyValuePairs<String, Int64> = [:], sql: (SQLDialect) -> String
    ) {
        self.number = number
        self.name = name
        sqlite = SchemaSyntax.sqlite(sql(.sqlite)) + SQLCounter.schema(counters, .sqlite)
        postgres = SchemaSyntax.postgres(sql(.postgres)) + SQLCounter.schema(counters, .postgres)
    }

    /// A step whose text is the same for both engines.
    package init(number: Int, name: String, counters: KeyValuePairs<String, Int64> = [:], sql: String) {
        self.init(number: number, name: name, counters: counters) { _ in sql }
    }

    /// The statements in an engine's words.
    package func sql(_ dialect: SQLDialect) -> String { dialect == .sqlite ? sqlite : postgres }

    /// FNV-1a, 64 bits, of the step's SQL. It is enough to notice an edit of a released step. It is not a security
    /// measure.
    package func fingerprint(_ dialect: SQLDialect) -> String {
        let hash = sql(dialect).utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
        }
        return String(hash, radix: 16)
    }

    /// Its row in SQLite's `schema_migration`.
    var row: [SQLValue] { [.integer(Int64(number)), .text(name), .text(fingerprint(.sqlite))] }
}
