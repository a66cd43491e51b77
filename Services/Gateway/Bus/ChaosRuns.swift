import Logging
import Persistence
import ServiceDatabase
import StoreHTTP
import StoreModels

/// Reports of `storebus chaos run`. They are in the gateway's own database, because the run may kill the gateway.
struct ChaosRuns: Sendable {
    /// Maximum number of runs kept. Beyond it the oldest is removed.
    static let runsMax = 50

    let database: any SQLDatabase
    let logger: Logger

    /// Keeps a report in place of the run's report before.
    func put(_ run: ChaosRun) async throws {
        let report = String(decoding: try StoreJSON.encode(run), as: UTF8.self)
        let summary = String(decoding: try StoreJSON.encode(ChaosRunSummary(run)), as: UTF8.self)
        try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.write { transaction in
                try await transaction.execute(
                    """
                    INSERT INTO chaos_run (run_id, started_at, summary, report) VALUES (?, ?, ?, ?)
                    ON CONFLICT (run_id) DO UPDATE
                    SET started_at = excluded.started_at, summary = excluded.summary, report = excluded.report
                    """, run.id, run.startedAt.milliseconds, summary, report)
                try await transaction.execute(
                    """
                    DELETE FROM chaos_run WHERE run_id NOT IN (
                        SELECT run_id FROM chaos_run ORDER BY started_at DESC, run_id LIMIT ?)
                    """, Self.runsMax)
            }
        }
    }

    /// Lists the runs, the newest first.
    func list() async throws -> [ChaosRunSummary] {
        try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.read { reader in
                try await reader.query("SELECT summary FROM chaos_run ORDER BY started_at DESC, run_id").map { row in
                    try StoredJSON.value(ChaosRunSummary.self, try row["summary"])
                }
            }
        }
    }

    /// Finds the last report of a run, or nil for an unknown one.
    func find(_ id: String) async throws -> ChaosRun? {
        try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.read { reader in
                try await reader.queryOne("SELECT report FROM chaos_run WHERE run_id = ?", id).map { row in
                    try StoredJSON.value(ChaosRun.self, try row["report"])
                }
            }
        }
    }
}
