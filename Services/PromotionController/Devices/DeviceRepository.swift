import Persistence
import StoreModels

/// Reads and writes devices. Each change of a device's apps locks its row first, so that such commits are serialized.
enum DeviceRepository {
    /// Creates or updates the device. Its row is locked until the commit.
    static func put(
        _ device: ScopedIdentifier, platform: DeviceLaunch.Platform, osVersion: String, seenAt wall: Timestamp,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO device (scope, device_id, platform, os_version, seen_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (scope, device_id) DO UPDATE SET
                platform = excluded.platform, os_version = excluded.os_version, seen_at = excluded.seen_at
            """, device.scope.key, device.id, platform, osVersion, wall.milliseconds)
    }

    static func find(
        _ device: ScopedIdentifier, in reader: SQLReader
    ) async throws(PersistenceError) -> StoredDevice? {
        try await reader.queryOne(
            "SELECT * FROM device WHERE scope = ? AND device_id = ?", device.scope.key, device.id
        ).map(StoredDevice.init)
    }

    /// Reads a device, locked until the commit.
    /// - Throws: `notFound` for an unknown device.
    static func lock(_ device: ScopedIdentifier, in transaction: SQLTransaction) async throws -> StoredDevice {
        let row = try await transaction.queryOne(
            "SELECT * FROM device WHERE scope = ? AND device_id = ? \(transaction.dialect.lockRow)", device.scope.key,
            device.id)
        guard let row else { throw unknown(device) }
        return try StoredDevice(row)
    }

    static func unknown(_ device: ScopedIdentifier) -> StoreError {
        StoreError(.notFound, "no device '\(device.id)'")
    }

    /// Reads devices of a scope, in the order of their identifiers.
    static func list(
        _ page: PageRequest, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> [StoredDevice] {
        try await reader.query(
            "SELECT * FROM device WHERE scope = ? AND device_id > ? ORDER BY device_id LIMIT ?", page.scope.key,
            page.after ?? "", limit
        ).map { row throws(PersistenceError) in try StoredDevice(row) }
    }

    static func remove(_ device: ScopedIdentifier, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute(
            "DELETE FROM device WHERE scope = ? AND device_id = ?", device.scope.key, device.id)
    }
}
