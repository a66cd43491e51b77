import Persistence

extension Migration {
    /// The place of the last removed event, which all logs keep in one table. The oldest row
    /// takes its part.
    static let removedEvents = Migration(
        number: 24, name: "removed events of all logs",
        sql: """
            INSERT INTO log_removed (name, last_xact, last_position)
            SELECT 'journal', xact, position FROM journal
            WHERE EXISTS (SELECT 1 FROM journal_pruned) ORDER BY position LIMIT 1;
            DROP TABLE journal_pruned;
            """)
}
