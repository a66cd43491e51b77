package import Persistence

/// Fingerprints of the migrations that databases in the field were migrated by, in their order.
///
/// A program that has other statements under their numbers refuses these databases.
package struct ReleasedMigrations: Sendable {
    private let fingerprints: [(sqlite: String, postgres: String)]

    /// Takes the fingerprints of migration 1, 2, 3 …, on both engines.
    package init(_ fingerprints: [(sqlite: String, postgres: String)]) { self.fingerprints = fingerprints }

    /// Compares a schema's migrations with the released ones.
    /// - Returns: A line for each released migration that is missing or has another number or other SQL.
    package func differences(from migrations: [Migration]) -> [String] {
        var lines = migrations.enumerated().filter { $0.element.number != $0.offset + 1 }
            .map { "migration \($0.element.number) is at position \($0.offset + 1)" }
        if migrations.count < fingerprints.count {
            lines.append("\(migrations.count) of \(fingerprints.count) released migrations")
        }
        for (migration, released) in zip(migrations, fingerprints) {
            let found = (sqlite: migration.fingerprint(.sqlite), postgres: migration.fingerprint(.postgres))
            if found != released { lines.append("migration \(migration.number) is \(found), released as \(released)") }
        }
        return lines
    }
}
