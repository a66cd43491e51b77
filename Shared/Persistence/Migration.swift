/// One step of a schema. Steps are only ever added: number 1, 2, 3 …, each with SQL that never changes once released.
package struct Migration: Hashable, Sendable {
    package let number: Int
    /// A few words for people: `payments and transactions`.
    package let name: String
    /// Statements separated by semicolons.
    package let sql: String

    package init(number: Int, name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }

    /// FNV-1a, 64 bits: enough to notice that a released step was edited; nobody is kept out by it.
    var fingerprint: String {
        let hash = sql.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        return String(hash, radix: 16)
    }

    /// Its row in `schema_migration`.
    var row: [SQLValue] { [.integer(Int64(number)), .text(name), .text(fingerprint)] }
}
