import Persistence

extension Migration {
    /// Devices and the apps installed on them.
    static let devices = Migration(
        number: 1, name: "devices and installations",
        sql: """
            CREATE TABLE device (
                device_id TEXT PRIMARY KEY, platform TEXT NOT NULL, os_version TEXT NOT NULL,
                seen_at BIGINT NOT NULL
            );
            CREATE TABLE installation (
                bundle_id TEXT NOT NULL, device_id TEXT NOT NULL REFERENCES device (device_id),
                app_version TEXT NOT NULL, promoted_purchases TEXT NOT NULL, launched_at BIGINT NOT NULL,
                PRIMARY KEY (bundle_id, device_id)
            );
            """)
}
