import Persistence

/// Table for the store's certificates: one row, created once.
enum SigningSchema {
    static let migration = Migration(
        number: 2, name: "the authority that signs receipts",
        sql: """
            CREATE TABLE signing_authority (
                name TEXT PRIMARY KEY,
                root_certificate BLOB NOT NULL,
                intermediate_certificate BLOB NOT NULL,
                leaf_certificate BLOB NOT NULL,
                root_key BLOB NOT NULL,
                intermediate_key BLOB NOT NULL,
                leaf_key BLOB NOT NULL,
                created_at BIGINT NOT NULL
            );
            """)
}
