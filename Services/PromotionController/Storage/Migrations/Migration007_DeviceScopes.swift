import Persistence

extension Migration {
    /// Devices of a scope: those of earlier versions are the installation's, whose scope is the empty text, and of each
    /// isolated store that they have an app of.
    static let deviceScopes = Migration(
        number: 7, name: "devices of each isolated store",
        sql: """
            CREATE TABLE device_next (
                scope TEXT NOT NULL,
                device_id TEXT NOT NULL,
                platform TEXT NOT NULL,
                os_version TEXT NOT NULL,
                seen_at BIGINT NOT NULL,
                PRIMARY KEY (scope, device_id)
            );
            INSERT INTO device_next (scope, device_id, platform, os_version, seen_at)
            SELECT '', device_id, platform, os_version, seen_at FROM device;
            INSERT INTO device_next (scope, device_id, platform, os_version, seen_at)
            SELECT o.bundle_id, d.device_id, d.platform, d.os_version, d.seen_at
            FROM (SELECT bundle_id, device_id FROM installation UNION SELECT bundle_id, device_id FROM app_prompt) o
            JOIN device d ON d.device_id = o.device_id WHERE o.bundle_id LIKE '%@%';

            CREATE TABLE installation_next (
                bundle_id TEXT NOT NULL,
                scope TEXT NOT NULL,
                device_id TEXT NOT NULL,
                version TEXT NOT NULL,
                promoted_purchases TEXT,
                launched_version TEXT,
                launched_at BIGINT,
                overrides TEXT,
                PRIMARY KEY (bundle_id, device_id),
                FOREIGN KEY (scope, device_id) REFERENCES device_next (scope, device_id),
                CHECK ((launched_at IS NULL) = (launched_version IS NULL))
            );
            INSERT INTO installation_next (bundle_id, scope, device_id, version, promoted_purchases, launched_version,
                launched_at, overrides)
            SELECT bundle_id, CASE WHEN bundle_id LIKE '%@%' THEN bundle_id ELSE '' END, device_id, version,
                promoted_purchases, launched_version, launched_at, overrides
            FROM installation;
            DROP TABLE installation;
            ALTER TABLE installation_next RENAME TO installation;
            CREATE INDEX installation_device ON installation (scope, device_id, bundle_id);

            CREATE TABLE app_prompt_next (
                id TEXT PRIMARY KEY,
                bundle_id TEXT NOT NULL,
                scope TEXT NOT NULL,
                device_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                account TEXT NOT NULL,
                version TEXT NOT NULL,
                product_identifier TEXT,
                app_price TEXT,
                created_at BIGINT NOT NULL,
                FOREIGN KEY (scope, device_id) REFERENCES device_next (scope, device_id),
                UNIQUE (bundle_id, device_id, customer_identifier)
            );
            INSERT INTO app_prompt_next (id, bundle_id, scope, device_id, customer_identifier, account, version,
                product_identifier, app_price, created_at)
            SELECT id, bundle_id, CASE WHEN bundle_id LIKE '%@%' THEN bundle_id ELSE '' END, device_id,
                customer_identifier, account, version, product_identifier, app_price, created_at
            FROM app_prompt;
            DROP TABLE app_prompt;
            ALTER TABLE app_prompt_next RENAME TO app_prompt;

            DROP TABLE device;
            ALTER TABLE device_next RENAME TO device;
            """)
}
