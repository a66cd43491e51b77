import BusService
import Logging
import Persistence
import ServiceDatabase
import StoreHTTP
import StoreModels

extension AppleServer {
    /// The operator's faults for an app's server.
    var faultRoutes: [ServerRoute] {
        [
            ServerRoute(AppStoreServerRoutes.faults) { [self] call in
                let bundleId = try call.bundleId()
                return ServerAPIFaultsResponse(faults: try await serverAPIFaults.list(of: bundleId))
            },
            ServerRoute(reply: AppStoreServerRoutes.addFault) { [self] call in
                let fault = try call.body(of: AppStoreServerRoutes.addFault)
                let bundleId = try call.bundleId()
                try await serverAPIFaults.add(fault, of: bundleId)
                return try ServerReply(
                    ServerAPIFaultsResponse(faults: try await serverAPIFaults.list(of: bundleId)), status: 201)
            },
            ServerRoute(reply: AppStoreServerRoutes.removeFaults) { [self] call in
                try await serverAPIFaults.removeAll(of: try call.bundleId())
                return .empty(204)
            },
        ]
    }
}

extension ServerAPIFault: CheckedBody {
    /// The range of `times`.
    private static let timesAllowed = 1...10_000
    /// Maximum size of `path`, in bytes, as of a request's target.
    private static let pathBytesMax = 64 * 1024

    package func validate() throws(StoreError) {
        guard Self.timesAllowed.contains(times ?? 1) else {
            throw .invalid("$.times", "must be \(Self.timesAllowed.lowerBound) to \(Self.timesAllowed.upperBound)")
        }
        guard (errorCode == nil) != (outcome == nil) else {
            throw .invalid("$.errorCode", "or outcome is needed, and not both")
        }
        if let errorCode, ServerAPIError(code: errorCode) == nil {
            throw .invalid(
                "$.errorCode", "is not one of Apple's numbers, which docs/server-api.md lists, such as 4040010",
                status: 422)
        }
        if let path,
            !(1...Self.pathBytesMax).contains(path.utf8.count)
                || !path.utf8.starts(with: AppStoreServerRoutes.pathPrefix.utf8)
        {
            throw .invalid(
                "$.path", "must begin with \(AppStoreServerRoutes.pathPrefix). Without it the fault meets every path")
        }
    }
}

/// Ordered faults and rate limits of the App Store Server API, which requests meet before their handlers.
///
/// Both are counted in the service's own database, so that replicas count together.
struct ServerAPIFaults: Sendable {
    /// The most faults of one app. One more is 422.
    static let faultsMax = 100
    /// The length of the window in which requests are counted, in milliseconds of the wall clock.
    private static let window: Int64 = 3_600_000

    let database: any SQLDatabase
    let logger: Logger

    // MARK: Operators

    /// Adds a fault behind those there are.
    /// - Throws: `requestInvalid` (422) at the bound, or `notFound` for a removed isolated store.
    func add(_ fault: ServerAPIFault, of bundleId: String) async throws {
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.write { transaction in
                try await ServerApps.hold(bundleId, in: transaction)
                let row = try await transaction.queryOne(
                    "SELECT COUNT(*) AS faults FROM server_api_fault WHERE bundle_id = ?", bundleId)
                guard let count = try row?["faults"] as Int?, count < Self.faultsMax else {
                    throw StoreError.invalid(
                        "bundleId", "has \(Self.faultsMax) faults already; delete them first", status: 422)
                }
                try await transaction.execute(
                    """
                    INSERT INTO server_api_fault (bundle_id, path, error_code, outcome, remaining)
                    VALUES (?, ?, ?, ?, ?)
                    """, bundleId, fault.path, fault.errorCode.map(Int64.init), fault.outcome?.rawValue,
                    fault.times ?? 1)
            }
        }
    }

    /// Lists the faults that are left, in the order in which they are met.
    func list(of bundleId: String) async throws -> [ServerAPIFault] {
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.read { reader in
                try await reader.query(
                    "SELECT * FROM server_api_fault WHERE bundle_id = ? ORDER BY position", bundleId
                ).map(ServerAPIFault.init)
            }
        }
    }

    func removeAll(of bundleId: String) async throws {
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.write { transaction in
                _ = try await transaction.execute("DELETE FROM server_api_fault WHERE bundle_id = ?", bundleId)
            }
        }
    }

    // MARK: Requests

    /// Takes the first fault of a path, and counts it down. It is met by one request.
    /// - Parameters:
    ///   - route: The path as the API's documentation has it.
    ///   - path: The path with its values.
    func take(of bundleId: String, route: String, path: String) async throws -> ServerAPIFault? {
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.write { transaction in
                let row = try await transaction.queryOne(
                    """
                    UPDATE server_api_fault SET remaining = remaining - 1
                    WHERE position = (
                        SELECT position FROM server_api_fault
                        WHERE bundle_id = ? AND remaining > 0 AND (path IS NULL OR path = ? OR path = ?)
                        ORDER BY position LIMIT 1 \(transaction.dialect.lockRow))
                    RETURNING *
                    """, bundleId, route, path)
                try await transaction.execute(
                    "DELETE FROM server_api_fault WHERE bundle_id = ? AND remaining = 0", bundleId)
                return try row.map(ServerAPIFault.init)
            }
        }
    }

    /// Counts a request.
    /// - Returns: When the app's server may ask again, if the limit is exceeded.
    func count(
        _ operation: ServerAPIOperation, of bundleId: String, limit: Int, now: Timestamp
    ) async throws -> Timestamp? {
        let hour = now.milliseconds / Self.window
        let row = try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.write { transaction in
                try await transaction.queryOne(
                    """
                    INSERT INTO server_api_rate (bundle_id, operation, hour, requests) VALUES (?, ?, ?, 1)
                    ON CONFLICT (bundle_id, operation) DO UPDATE
                    SET requests = CASE WHEN server_api_rate.hour = excluded.hour THEN server_api_rate.requests + 1
                        ELSE 1 END, hour = excluded.hour
                    RETURNING requests
                    """, bundleId, operation.rawValue, hour)
            }
        }
        let requests: Int = try row?["requests"] ?? 1
        return requests > limit ? Timestamp(milliseconds: (hour + 1) * Self.window) : nil
    }
}

extension ServerAPIFault {
    fileprivate init(_ row: SQLRow) throws(PersistenceError) {
        let (code, outcome): (Int64?, String?) = (try row["error_code"], try row["outcome"])
        self.init(
            path: try row["path"], errorCode: code.map(Int.init), outcome: outcome.flatMap(Outcome.init(rawValue:)),
            times: try row["remaining"])
    }
}
