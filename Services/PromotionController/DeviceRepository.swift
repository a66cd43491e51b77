import Persistence
import StoreModels

/// Devices and the apps launched on them, in PromotionController's own database.
struct DeviceRepository: Sendable {
    let database: any SQLDatabase

    /// Records a launch: the device as it describes itself now, and that the app has run on it at least once (M94).
    func recordLaunch(_ launch: DeviceLaunch, at instant: Timestamp) async throws {
        try await database.write { transaction in
            try await transaction.execute(
                """
                INSERT INTO device (device_id, platform, os_version, seen_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (device_id) DO UPDATE SET
                    platform = excluded.platform, os_version = excluded.os_version, seen_at = excluded.seen_at
                """,
                launch.deviceId, launch.platform.rawValue, launch.osVersion, instant.milliseconds)
            try await transaction.execute(
                """
                INSERT INTO installation (bundle_id, device_id, app_version, promoted_purchases, launched_at)
                VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (bundle_id, device_id) DO UPDATE SET
                    app_version = excluded.app_version, promoted_purchases = excluded.promoted_purchases,
                    launched_at = excluded.launched_at
                """,
                launch.bundleId, launch.deviceId, launch.appVersion, launch.promotedPurchases.rawValue,
                instant.milliseconds)
        }
    }

    /// The last launch of an app on a device; nil when there was none.
    func lastLaunch(bundleId: String, deviceId: String) async throws -> DeviceLaunch? {
        try await database.read { reader in
            guard
                let row = try await reader.queryOne(
                    """
                    SELECT platform, os_version, app_version, promoted_purchases
                    FROM installation JOIN device USING (device_id) WHERE bundle_id = ? AND device_id = ?
                    """, bundleId, deviceId),
                let platform = DeviceLaunch.Platform(rawValue: try row["platform"]),
                let handling = DeviceLaunch.PromotedPurchases(rawValue: try row["promoted_purchases"])
            else { return nil }
            return DeviceLaunch(
                bundleId: bundleId, deviceId: deviceId, platform: platform, osVersion: try row["os_version"],
                appVersion: try row["app_version"], promotedPurchases: handling)
        }
    }

    static let migrations = [
        Migration(
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
    ]
}
