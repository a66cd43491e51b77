import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// The apps of the installation that are being deleted, in the gateway's own database, one after another.
package struct AppDeletions: Sendable {
    /// How long a gateway that goes on with a deletion keeps others from it. It renews the claim before each step.
    static let claimTime = Duration.seconds(30)

    private let stores: IsolatedStores
    private var database: any SQLDatabase { stores.database }

    /// - Parameter stores: The isolated stores in the same database. They close with the app that they were made from.
    package init(_ stores: IsolatedStores) { self.stores = stores }

    // MARK: Requests

    /// Finds the number of an app's deletion under way.
    package func number(of bundleId: String) async throws -> Int64? {
        try await withStoreErrors(of: GatewaySchema.owner, logger: stores.logger) {
            try await database.read { try await Self.number(of: bundleId, in: $0) }
        }
    }

    private static func number(of bundleId: String, in reader: SQLReader) async throws -> Int64? {
        let row = try await reader.queryOne("SELECT number FROM app_deletion WHERE bundle_id = ?", bundleId)
        return try row.map { row in try row["number"] }
    }

    /// Begins to delete an app, and closes the isolated stores made from it.
    /// - Returns: The deletion's number, or that of the app's deletion under way.
    package func begin(_ bundleId: String) async throws -> Int64 {
        try await withStoreErrors(of: GatewaySchema.owner, logger: stores.logger) {
            try await database.write { transaction -> Int64 in
                // Its lock lasts until the commit, so deletions are committed in the order of their numbers.
                let row = try await transaction.queryOne(
                    "UPDATE app_deletion_number SET last = last + 1 WHERE id = 1 RETURNING last")
                guard let number: Int64 = try row?["last"] else {
                    throw StoreError(.internal, "the number of deletions is missing")
                }
                // Another request may have begun it meanwhile.
                if let known = try await Self.number(of: bundleId, in: transaction) { return known }
                try await transaction.execute(
                    "INSERT INTO app_deletion (number, bundle_id, begun_at, claimed_until) VALUES (?, ?, ?, 0)", number,
                    bundleId, stores.now().milliseconds)
                try await stores.closeAll(of: bundleId, in: transaction)
                return number
            }
        }
    }

    /// Lists the deletions under way, oldest first.
    package func list(limit: Int) async throws -> [AppDeletion] {
        let rows = try await withStoreErrors(of: GatewaySchema.owner, logger: stores.logger) {
            try await database.read { reader in
                try await reader.query("SELECT * FROM app_deletion ORDER BY number LIMIT ?", limit)
            }
        }
        return try rows.map { row in
            AppDeletion(
                bundleId: try row["bundle_id"], begunAt: Timestamp(milliseconds: try row["begun_at"]),
                problem: try row["problem"])
        }
    }

    // MARK: Work

    /// A deletion that this gateway goes on with.
    package struct Claim: Hashable, Sendable {
        package let number: Int64
        package let bundleId: String
        /// Why a step has failed last.
        package let problem: String?
        /// By the wall clock. The claim is lost if the row has another instant.
        fileprivate var until: Timestamp
    }

    /// Reads when the oldest deletion can be claimed, in wall time.
    /// - Returns: Nil without deletions.
    package func next() async throws -> Timestamp? {
        let next: Int64? = try await database.read { reader in
            try await reader.queryOne("SELECT claimed_until AS next FROM app_deletion ORDER BY number LIMIT 1")?["next"]
        }
        return next.map(Timestamp.init(milliseconds:))
    }

    /// Claims the oldest deletion, and closes the stores that were made from its app meanwhile.
    /// - Returns: Nil without deletions, or while another gateway goes on with it.
    package func claim() async throws -> Claim? {
        let now = stores.now()
        let until = now + Self.claimTime
        return try await database.write { transaction -> Claim? in
            let row = try await transaction.queryOne(
                """
                UPDATE app_deletion SET claimed_until = ?
                WHERE number = (SELECT MIN(number) FROM app_deletion) AND claimed_until <= ? RETURNING *
                """, until.milliseconds, now.milliseconds)
            guard let row else { return nil }
            let claim = Claim(
                number: try row["number"], bundleId: try row["bundle_id"], problem: try row["problem"], until: until)
            try await stores.closeAll(of: claim.bundleId, in: transaction)
            return claim
        }
    }

    /// Renews a claim.
    /// - Throws: `CancellationError` when another gateway has the deletion.
    package func renew(_ claim: inout Claim) async throws {
        let (held, until) = (claim, stores.now() + Self.claimTime)
        let count = try await database.write { transaction in
            try await transaction.execute(
                "UPDATE app_deletion SET claimed_until = ? WHERE number = ? AND claimed_until = ?", until.milliseconds,
                held.number, held.until.milliseconds)
        }
        guard count == 1 else { throw CancellationError() }
        claim.until = until
    }

    /// Ends a claim, so that others may try at once.
    /// - Parameter problem: Why the step has failed, for the operator's list. Nil for a gateway that stops.
    package func release(_ claim: Claim, problem: String?) async throws {
        try await database.write { transaction in
            _ = try await transaction.execute(
                """
                UPDATE app_deletion SET claimed_until = 0, problem = COALESCE(?, problem)
                WHERE number = ? AND claimed_until = ?
                """, problem, claim.number, claim.until.milliseconds)
        }
    }

    /// Forgets a deletion that has ended in every service.
    package func forget(_ claim: Claim) async throws {
        try await database.write { transaction in
            _ = try await transaction.execute("DELETE FROM app_deletion WHERE number = ?", claim.number)
        }
    }
}
