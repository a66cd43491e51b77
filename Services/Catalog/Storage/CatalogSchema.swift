import Persistence

/// Catalog's database. Files are kept in parts, as they came over the bus, so that none is ever in one message or one
/// row.
enum CatalogSchema {
    static let migrations = [
        Migration(
            number: 1, name: "apps, files and imports",
            sql: """
                CREATE TABLE app (
                    bundle_id TEXT PRIMARY KEY,
                    settings BLOB NOT NULL,
                    settings_revision BIGINT NOT NULL,
                    catalog_version BIGINT NOT NULL
                );
                CREATE TABLE catalog_file (
                    bundle_id TEXT PRIMARY KEY REFERENCES app (bundle_id),
                    version BIGINT NOT NULL,
                    file_name TEXT NOT NULL
                );
                CREATE TABLE catalog_part (
                    bundle_id TEXT NOT NULL REFERENCES app (bundle_id),
                    part BIGINT NOT NULL,
                    data BLOB NOT NULL,
                    PRIMARY KEY (bundle_id, part)
                );
                CREATE TABLE import (
                    id TEXT PRIMARY KEY,
                    bundle_id TEXT NOT NULL,
                    file_name TEXT NOT NULL,
                    byte_count BIGINT NOT NULL,
                    created_at BIGINT NOT NULL,
                    revision BIGINT NOT NULL,
                    outcome BLOB
                );
                CREATE INDEX import_created_at ON import (created_at);
                CREATE TABLE import_part (
                    import_id TEXT NOT NULL REFERENCES import (id) ON DELETE CASCADE,
                    part BIGINT NOT NULL,
                    data BLOB NOT NULL,
                    PRIMARY KEY (import_id, part)
                );
                """)
    ]
}
