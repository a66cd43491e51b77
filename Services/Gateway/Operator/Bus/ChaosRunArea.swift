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
                guard run.id.isExactly(id) else {
                    throw StoreError.invalid("$.id", "must be the identifier in the path, '\(id)'")
                }
                try await runs.put(run)
                return .noContent
            },
        ]
    }
}

extension ChaosRun: CheckedBody {
    /// The allowed range of numbers, those that every JSON reader keeps.
    private static let numbers = 0...(1 << 53 - 1)
    private static let lineLengthMax = 1000
    private static let pathLengthMax = 4096

    package func validate() throws(StoreError) {
        for (path, text) in [("$.app", app), ("$.workload", workload)] { try Identifier.check(text, at: path) }
        guard (1...20).contains(seed.utf8.count), seed.utf8.allSatisfy(Self.isDigit) else {
            throw .invalid("$.seed", "must be 1 to 20 decimal digits")
        }
        if let line { try Identifier.check(line, at: "$.line", lengthMax: Self.lineLengthMax) }
        if let report { try Identifier.check(report, at: "$.report", lengthMax: Self.pathLengthMax) }
        try Self.check(targets, at: "$.targets")
        try Self.check(faultNames, at: "$.faultNames")
        try checkLengths()
        try checkNumbers()
        for (index, service) in services.enumerated() {
            try Identifier.check(service.service, at: "$.services[\(index)].service")
            try Self.check(service.faults, at: "$.services[\(index)].faults")
        }
        for (index, fault) in faults.enumerated() {
            try Identifier.check(fault.fault, at: "$.faults[\(index)].fault")
            try Identifier.check(fault.service, at: "$.faults[\(index)].service")
        }
        for (index, one) in invariants.enumerated() {
            try Identifier.check(one.invariant, at: "$.invariants[\(index)].invariant")
            try Identifier.check(one.statement, at: "$.invariants[\(index)].statement")
        }
    }

    private func checkLengths() throws(StoreError) {
        let lengths = [
            ("services", services.count, 64), ("faults", faults.count, 1000), ("steps", steps.count, 180),
            ("invariants", invariants.count, 64),
        ]
        for (name, count, max) in lengths where count > max {
            throw .invalid("$.\(name)", "has \(count) entries, at most \(max) are allowed")
        }
    }

    private func checkNumbers() throws(StoreError) {
        let own: [(String, Int?)] = [
            ("elapsedSeconds", elapsedSeconds), ("durationSeconds", durationSeconds), ("rate", rate),
            ("operations", operations), ("succeeded", succeeded), ("refused", refused), ("unknown", unknown),
            ("stepSeconds", stepSeconds), ("lost", lost), ("doubleCharges", doubleCharges),
            ("worstRecoveryMilliseconds", worstRecoveryMilliseconds),
        ]
        for (name, value) in own { try Self.check(value.map(Double.init), at: "$.\(name)") }
        for (index, service) in services.enumerated() {
            try Self.check(service.worstRecoveryMilliseconds.map(Double.init), at: "$.services[\(index)]")
        }
        for (index, fault) in faults.enumerated() {
            for value in [Double(fault.number), fault.beganAtSecond, fault.endedAtSecond] {
                try Self.check(value, at: "$.faults[\(index)]")
            }
        }
        for (index, step) in steps.enumerated() {
            let counts = [step.second, step.succeeded, step.refused, step.unknown].map(Double.init)
            for value in counts + [step.p50Milliseconds ?? 0, step.p99Milliseconds ?? 0] {
                try Self.check(value, at: "$.steps[\(index)]")
            }
        }
        for (index, one) in invariants.enumerated() {
            for value in [one.examined, one.violations] {
                try Self.check(Double(value), at: "$.invariants[\(index)]")
            }
        }
    }

    private static func check(_ value: Double?, at path: String) throws(StoreError) {
        guard let value else { return }
        guard (Double(numbers.lowerBound)...Double(numbers.upperBound)).contains(value) else {
            throw .invalid(path, "must have numbers from 0 to 2^53-1")
        }
    }

    private static func check(_ words: [String], at path: String) throws(StoreError) {
        guard words.count <= 64 else {
            throw .invalid(path, "has \(words.count) entries, at most 64 are allowed")
        }
        for (index, word) in words.enumerated() { try Identifier.check(word, at: "\(path)[\(index)]") }
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
