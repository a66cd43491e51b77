import Persistence
import ServiceDatabase

/// The schema of Catalog's database.
///
/// `docs/schema/catalog.sql` shows the tables of both engines.
///
/// `app.deletion` is the deletion that has closed the app. `deleted_version` has one row, the highest version of a
/// deleted app: new apps count on from there, so that a version never names two states of an app.
///
/// Files are stored in the parts that came over the bus, so no row contains a whole file. Instants are milliseconds
/// since 1970.
enum CatalogSchema {
    static let migrations = [
        Migration(number: 1, name: "0.1.0") { sql in
            """
            CREATE TABLE app (
                bundle_id TEXT PRIMARY KEY,
                settings BLOB NOT NULL,
                settings_revision BIGINT NOT NULL,
                catalog_version BIGINT NOT NULL,
                deletion BIGINT
            );
            CREATE TABLE deleted_version (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL);
            INSERT INTO deleted_version (id, version) VALUES (1, 0);
            \(AppRows.table)
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

            CREATE TABLE content_package (
                id TEXT PRIMARY KEY,
                bundle_id TEXT NOT NULL REFERENCES app (bundle_id),
                product_identifier TEXT NOT NULL,
                version TEXT NOT NULL,
                kind TEXT NOT NULL DEFAULT 'content' CHECK \(sql.oneOf("kind", "content", "image")),
                state TEXT NOT NULL CHECK \(sql.oneOf("state", "open", "inForce", "dropped")),
                declared_length BIGINT NOT NULL,
                length BIGINT NOT NULL,
                part_count BIGINT NOT NULL,
                sha256 TEXT,
                is_replacement BIGINT,
                touched_at BIGINT NOT NULL,
                CHECK (state <> 'inForce' OR (sha256 IS NOT NULL AND is_replacement IS NOT NULL))
            );
            CREATE UNIQUE INDEX content_in_force ON content_package (bundle_id, product_identifier, version)
                WHERE state = 'inForce';
            CREATE INDEX content_state ON content_package (state, touched_at);
            CREATE TABLE content_chunk (
                package_id TEXT NOT NULL REFERENCES content_package (id) ON DELETE CASCADE,
                at_byte BIGINT NOT NULL,
                data BLOB NOT NULL,
                PRIMARY KEY (package_id, at_byte)
            );

            CREATE TABLE promotion_image (
                package_id TEXT PRIMARY KEY REFERENCES content_package (id) ON DELETE CASCADE,
                bundle_id TEXT NOT NULL REFERENCES app (bundle_id),
                product_identifier TEXT NOT NULL,
                state TEXT NOT NULL CHECK \(sql.oneOf("state", "waiting", "approved", "rejected")),
                format TEXT NOT NULL CHECK \(sql.oneOf("format", "png", "jpeg")),
                width BIGINT NOT NULL,
                height BIGINT NOT NULL,
                reason TEXT,
                UNIQUE (bundle_id, product_identifier)
            );
            CREATE TABLE promotion_list (
                bundle_id TEXT PRIMARY KEY REFERENCES app (bundle_id),
                entries BLOB NOT NULL
            );
            CREATE TABLE featured_list (
                id BIGINT PRIMARY KEY CHECK (id = 1),
                products BLOB NOT NULL
            );

            \(LeaseHolderRepository.table)
            """
        }
    ]
}
