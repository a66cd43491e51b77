import Persistence

extension Migration {
    /// The last numbers that each isolated store has given to its transactions and customers.
    static let isolatedCounters = Migration(
        number: 21, name: "counters of isolated stores",
        sql: """
            CREATE TABLE isolated_counter (
                bundle_id TEXT NOT NULL,
                name TEXT NOT NULL,
                value BIGINT NOT NULL,
                PRIMARY KEY (bundle_id, name)
            );
            """)
}
