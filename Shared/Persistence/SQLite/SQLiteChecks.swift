/// Spells the lists of CHECK constraints out.
///
/// For a list of three or more values SQLite makes a table of its own each time a statement checks the constraint: an
/// INSERT with `CHECK (state IN ('a', 'b', 'c', 'd', 'e'))` takes four times as long as one with
/// `CHECK ((state = 'a' OR state = 'b' OR …))`, which admits the same values (ADR 0046). Migrations are written with
/// lists, and files of earlier versions have them, so the schema is changed where it is (``SQLiteSchema``). Conditions
/// of indexes stay, because queries are compared with them.
enum SQLiteChecks {
    /// Replaces each list of three or more words in a table's SQL.
    static func spellOut(_ sql: String) -> String {
        sql.replacing(/([a-z_]+) IN \(\s*('[A-Za-z]+'(?:,\s*'[A-Za-z]+'){2,})\s*\)/) { match in
            let equations = match.2.split(separator: ",").map { value in
                "\(match.1) = \(value.drop(while: \.isWhitespace))"
            }
            return "(\(equations.joined(separator: " OR ")))"
        }
    }
}
