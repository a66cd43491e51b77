import Persistence

extension Migration {
    /// Purchases whose charge was authorized before their commit and is to be captured (ADR 0047).
    ///
    /// A row lives from the purchase's commit to the processor's reply, and its charge's key is made of the
    /// transaction's `id`. The journal's index of ages is dropped: rows are in the order in which they were written.
    static let captures = Migration(
        number: 22, name: "captures of authorized charges",
        sql: "\(table(text: "TEXT")) WITHOUT ROWID; \(dropAges)",
        postgres: "\(table(text: #"TEXT COLLATE "C""#)); \(dropAges)")

    private static let dropAges = "DROP INDEX journal_age;"

    private static func table(text: String) -> String {
        """
        CREATE TABLE capture (
            transaction_id \(text) PRIMARY KEY,
            written_at BIGINT NOT NULL
        )
        """
    }
}
