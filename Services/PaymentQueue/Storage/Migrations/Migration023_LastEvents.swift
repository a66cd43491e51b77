import Persistence

extension Migration {
    /// The last events of an app, where the events that were removed end, and the refund requests that wait.
    ///
    /// - `journal_app` has the rows that are events. SQLite's own end of an index entry is `position`.
    /// - `journal_pruned` has one row, once rows were removed: the place of the last one.
    static let lastEvents = Migration(
        number: 23, name: "last events, removed events and waiting refund requests",
        sql: """
            CREATE INDEX journal_app ON journal (bundle_id) WHERE event IS NOT NULL;
            \(shared)
            """,
        postgres: """
            CREATE INDEX journal_app ON journal (bundle_id, xact, position) WHERE event IS NOT NULL;
            \(shared)
            """)

    private static let shared = """
        CREATE INDEX refund_request_waiting ON refund_request (bundle_id, id) WHERE state = 'open';
        CREATE TABLE journal_pruned (name TEXT PRIMARY KEY, position TEXT NOT NULL);
        """
}
