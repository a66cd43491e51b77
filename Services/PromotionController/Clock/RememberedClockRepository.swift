import Persistence
import StoreModels

/// Reads and writes the last known business clocks, one row per app.
enum RememberedClockRepository {
    static func find(_ bundleId: String, in reader: SQLReader) async throws(PersistenceError) -> RememberedClock? {
        guard let row = try await reader.queryOne("SELECT * FROM app_clock WHERE bundle_id = ?", bundleId) else {
            return nil
        }
        return RememberedClock(
            epoch: try row["epoch"], anchorWall: try row["anchor_wall"],
            anchorBusiness: try row["anchor_business"],
            rateMillionths: try row["rate_millionths"], isFrozen: try row["is_frozen"])
    }

    /// Stores a clock unless a replica has stored its epoch or a newer one.
    static func put(
        _ clock: RememberedClock, of bundleId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO app_clock (bundle_id, epoch, anchor_wall, anchor_business, rate_millionths, is_frozen)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (bundle_id) DO UPDATE SET
                epoch = excluded.epoch, anchor_wall = excluded.anchor_wall,
                anchor_business = excluded.anchor_business, rate_millionths = excluded.rate_millionths,
                is_frozen = excluded.is_frozen
            WHERE app_clock.epoch < excluded.epoch
            """,
            bundleId, clock.epoch, clock.anchorWall.milliseconds, clock.anchorBusiness.milliseconds,
            clock.rateMillionths, clock.isFrozen)
    }
}
