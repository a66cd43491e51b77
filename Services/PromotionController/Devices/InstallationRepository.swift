import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes apps on devices, with each device's overrides.
enum InstallationRepository {
    static func find(
        _ installation: InstallationReference, in reader: SQLReader
    ) async throws -> StoredInstallation? {
        try await reader.queryOne(
            "SELECT * FROM installation WHERE bundle_id = ? AND device_id = ?", installation.bundleId,
            installation.deviceId
        ).map(StoredInstallation.init)
    }

    /// Reads an installation, with its row locked until the commit.
    static func lock(
        _ installation: InstallationReference, in transaction: SQLTransaction
    ) async throws -> StoredInstallation? {
        try await transaction.queryOne(
            "SELECT * FROM installation WHERE bundle_id = ? AND device_id = ? \(transaction.dialect.lockRow)",
            installation.bundleId, installation.deviceId
        ).map(StoredInstallation.init)
    }

    /// Reads a device's apps in the order of their bundle identifiers.
    static func list(on device: ScopedIdentifier, in reader: SQLReader) async throws -> [StoredInstallation] {
        try await reader.query(
            "SELECT * FROM installation WHERE scope = ? AND device_id = ? ORDER BY bundle_id", device.scope.key,
            device.id
        ).map(StoredInstallation.init)
    }

    /// Installs the app or another version of it. An earlier launch stays recorded, and so do the overrides.
    /// - Parameter promotedPurchases: Nil keeps the current value.
    static func install(
        _ installation: InstallationReference, version: String,
        promotedPurchases: DeviceLaunch.PromotedPurchases? = nil, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO installation (bundle_id, scope, device_id, version, promoted_purchases) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (bundle_id, device_id) DO UPDATE SET
                version = excluded.version,
                promoted_purchases = COALESCE(excluded.promoted_purchases, installation.promoted_purchases)
            """, installation.bundleId, installation.device.scope.key, installation.deviceId, version,
            promotedPurchases)
    }

    /// Records a launch with its version and handler (M94).
    static func launch(
        _ launch: DeviceLaunch, at wall: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO installation (bundle_id, scope, device_id, version, promoted_purchases, launched_version,
                launched_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (bundle_id, device_id) DO UPDATE SET
                version = excluded.version, promoted_purchases = excluded.promoted_purchases,
                launched_version = excluded.launched_version, launched_at = excluded.launched_at
            """,
            launch.bundleId, launch.installation.device.scope.key, launch.deviceId, launch.appVersion,
            launch.promotedPurchases, launch.appVersion,
            wall.milliseconds)
    }

    /// Reads a device's overrides of an app, and whether it shows promotions, in one query.
    static func promotions(
        of installation: InstallationReference, in reader: SQLReader
    ) async throws -> DevicePromotions {
        let row = try await reader.queryOne(
            """
            SELECT d.device_id, d.platform, d.os_version, i.launched_version, i.overrides FROM device d
            LEFT JOIN installation i ON i.device_id = d.device_id AND i.bundle_id = ?
            WHERE d.scope = ? AND d.device_id = ?
            """, installation.bundleId, installation.device.scope.key, installation.deviceId)
        guard let row else {
            return DevicePromotions(overrides: PromotionOverrides(), isLaunched: false, isKnown: false)
        }
        let overrides = try (row["overrides"] as String?).map { try StoredJSON.value(PromotionOverrides.self, $0) }
        return DevicePromotions(
            overrides: overrides ?? PromotionOverrides(),
            isLaunched: (try row["launched_version"] as String?) != nil,
            unsupported: try StoredDevice(row).unsupported)
    }

    static func setOverrides(
        _ overrides: PromotionOverrides, of installation: InstallationReference, in transaction: SQLTransaction
    ) async throws {
        let isEmpty = overrides == PromotionOverrides()
        try await transaction.execute(
            "UPDATE installation SET overrides = ? WHERE bundle_id = ? AND device_id = ?",
            isEmpty ? nil : try StoredJSON.text(overrides), installation.bundleId, installation.deviceId)
    }

    /// Removes the app with its overrides (M96).
    static func remove(
        _ installation: InstallationReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "DELETE FROM installation WHERE bundle_id = ? AND device_id = ?", installation.bundleId,
            installation.deviceId)
    }

    static func removeAll(
        on device: ScopedIdentifier, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "DELETE FROM installation WHERE scope = ? AND device_id = ?", device.scope.key, device.id)
    }
}
