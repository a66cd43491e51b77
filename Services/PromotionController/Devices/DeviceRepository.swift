import Persistence
import StoreModels

/// Reads and writes devices. Each change of a device's apps locks its row first, so that such commits are serialized.
enum DeviceRepository {
    /// Creates or updates the device; its row is locked until the commit.
    static func put(
        _ deviceId: String, platform: DeviceLaunch.Platform, osVersion: String, seenAt wall: Timestamp,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO device (device_id, platform, os_version, seen_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (device_id) DO UPDATE SET
                platform = excluded.platform, os_version = excluded.os_version, seen_at = excluded.seen_at
            """, deviceId, platform, osVersion, wall.milliseconds)
    }

    static func find(_ deviceId: String, in reader: SQLReader) async throws(PersistenceError) -> StoredDevice? {
        guard let row = try await reader.queryOne("SELECT * FROM device WHERE device_id = ?", deviceId) else {
            return nil
        }
        return try StoredDevice(row)
    }

    /// Reads a device, locked until the commit.
    /// - Throws: `notFound` for an unknown device.
    static func lock(_ deviceId: String, in transaction: SQLTransaction) async throws -> StoredDevice {
        let row = try await transaction.queryOne(
            "SELECT * FROM device WHERE device_id = ? \(transaction.dialect.lockRow)", deviceId)
        guard let row else { throw StoreError(.notFound, "no device '\(deviceId)'") }
        return try StoredDevice(row)
    }

    /// Reads devices after `after`, in the order of their identifiers.
    static func list(
        after: String, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> [StoredDevice] {
        var devices: [StoredDevice] = []
        let rows = try await reader.query(
            "SELECT * FROM device WHERE device_id > ? ORDER BY device_id LIMIT ?", after, limit)
        for row in rows { devices.append(try StoredDevice(row)) }
        return devices
    }

    static func remove(_ deviceId: String, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute("DELETE FROM device WHERE device_id = ?", deviceId)
    }
}
