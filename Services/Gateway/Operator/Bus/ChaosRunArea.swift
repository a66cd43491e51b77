import GatewayEdge
import Hummingbird
import Logging
import Persistence
import ServiceDatabase
import StoreHTTP
import StoreModels

/// The routes with which runs of `storebus chaos run` report themselves.
struct ChaosRunArea: Area {
    let runs: ChaosRuns

    var routes: [Route] {
        [
            Route(BusRoutes.runs) { _ in ChaosRunsResponse(runs: try await runs.list()) },
            Route(BusRoutes.run) { call in
                let id = try call.parameter(.id, of: "run")
                guard let run = try await runs.find(id) else {
                    throw StoreError(.notFound, "run '\(id)' not found; GET /admin/v1/chaos/runs lists the last fifty")
                }
                return run
            },
            Route(BusRoutes.putRun) { call in
                let id = try call.parameter(.id, of: "run")
                let run = try await call.body(of: BusRoutes.putRun)
                guard run.setup?.id.isExactly(id) == true else {
                    throw StoreError.invalid("$.setup.id", "must be the identifier in the path, '\(id)'")
                }
                try await runs.put(run)
                return .noContent
            },
        ]
    }
}

extension ChaosRun: CheckedBody {
    /// The allowed range of numbers, those that every JSON reader keeps.
    private static let numbers = 0.0...Double(1 << 53 - 1)
    private static let textLengthMax = 4096
    private static let entriesMax = 1000

    package func validate() throws(StoreError) {
        guard let setup else { throw .invalid("$.setup", "must be there") }
        guard updatedAt != nil else { throw .invalid("$.updatedAt", "must be there") }
        guard (1...20).contains(setup.seed.utf8.count), setup.seed.utf8.allSatisfy(Self.isDigit) else {
            throw .invalid("$.setup.seed", "must be 1 to 20 decimal digits")
        }
        let bytes = (try? StoreJSON.encode(self)) ?? []
        try Self.check(StoreJSON.decode(JSONValue.self, from: bytes), at: "$")
    }

    /// Checks every text, number and list of a value.
    private static func check(_ value: JSONValue, at path: String) throws(StoreError) {
        switch value {
        case .string(let text): try Identifier.check(text, at: path, lengthMax: textLengthMax)
        case .number(let text):
            guard let number = Double(text), numbers.contains(number) else {
                throw .invalid(path, "must be a number from 0 to 2^53-1")
            }
        case .array(let values):
            guard values.count <= entriesMax else {
                throw .invalid(path, "has \(values.count) entries, at most \(entriesMax) are allowed")
            }
            for (index, value) in values.enumerated() { try check(value, at: "\(path)[\(index)]") }
        case .object(let members):
            for (name, value) in members.sorted(by: { $0.key < $1.key }) { try check(value, at: "\(path).\(name)") }
        case .bool, .null: break
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// Reports of `storebus chaos run`. They are in the gateway's own database, because the run may kill the gateway.
package struct ChaosRuns: Sendable {
    /// Maximum number of runs kept. Beyond it the oldest is removed.
    static let runsMax = 50

    private let database: any SQLDatabase
    private let logger: Logger

    /// Reads and writes the table `chaos_run`.
    /// - Parameter database: The gateway's own. Its creator closes it.
    package init(database: any SQLDatabase, logger: Logger) {
        self.database = database
        self.logger = logger
    }

    /// Keeps a report in place of the run's report before.
    func put(_ run: ChaosRun) async throws {
        guard let kept = ChaosRunSummary(run) else { throw StoreError.invalid("$.setup", "must be there") }
        let report = String(decoding: try StoreJSON.encode(run), as: UTF8.self)
        let summary = String(decoding: try StoreJSON.encode(kept), as: UTF8.self)
        try await withStoreErrors(of: GatewaySchema.owner, logger: logger) {
            try await database.write { transaction in
                try await transaction.execute(
                    """
                    INSERT INTO chaos_run (run_id, started_at, summary, report) VALUES (?, ?, ?, ?)
                    ON CONFLICT (run_id) DO UPDATE
                    SET started_at = excluded.started_at, summary = excluded.summary, report = excluded.report
                    """, kept.id, kept.startedAt.milliseconds, summary, report)
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
