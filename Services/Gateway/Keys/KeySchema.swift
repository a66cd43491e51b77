import Persistence

/// The gateway's database: keys of apps, and the store's own certificates.
enum KeySchema {
    static let migrations = [
        Migration(
            number: 1, name: "keys",
            sql: """
                CREATE TABLE app_key (
                    key_identifier TEXT PRIMARY KEY,
                    bundle_id TEXT NOT NULL,
                    kind TEXT NOT NULL,
                    created_at BIGINT NOT NULL,
                    digest BLOB,
                    public_key TEXT
                );
                CREATE INDEX app_key_bundle_id ON app_key (bundle_id);
                """),
        SigningSchema.migration,
    ]
}
