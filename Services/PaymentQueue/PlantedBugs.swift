import EventLoop
import Persistence
import PlantedBugs
import StoreModels

extension PlantedBug {
    /// Removes the keys from the schema that would stop the planted bug.
    ///
    /// It changes SQLite only. PostgreSQL keeps its schema, and the bug does not show.
    static func weaken(_ database: any SQLDatabase) async {
        guard database.dialect == .sqlite else { return }
        do {
            try await database.write { transaction in
                for index in indexesLeftOut { try await transaction.execute("DROP INDEX IF EXISTS \(index)") }
                for table in tablesWithoutKeys {
                    try await transaction.execute("CREATE TABLE planted AS SELECT * FROM \(table)")
                    try await transaction.execute("DROP TABLE \(table)")
                    try await transaction.execute("ALTER TABLE planted RENAME TO \(table)")
                }
                guard isActive(.positionsReused) else { return }
                // The logs' next numbers fall back to the last row that is left, as keys without AUTOINCREMENT do.
                for table in ["journal", "server_event"] {
                    try await transaction.execute(
                        """
                        CREATE TRIGGER IF NOT EXISTS planted_\(table) AFTER DELETE ON \(table) BEGIN
                            UPDATE sqlite_sequence SET seq = (SELECT COALESCE(MAX(position), 0) FROM \(table))
                            WHERE name = '\(table)';
                        END
                        """)
                }
            }
        } catch {
            fatalError("the planted bug's schema cannot be made: \(error)")
        }
    }

    private static var tablesWithoutKeys: [String] {
        if isActive(.offerClaimedTwice) { return ["offer_claim"] }
        if isActive(.renewalWithoutUniqueRow) { return ["subscription_period"] }
        return isActive(.intentPaidTwice) ? ["used_intent"] : []
    }

    private static var indexesLeftOut: [String] {
        if isActive(.checkThenInsert) { return ["payment_transaction_key"] }
        return isActive(.intentPaidTwice) ? ["payment_transaction_intent"] : []
    }
}

/// Keys of charges that this process has asked for (``PlantedBug/chargeUnderNewKey``).
private let askedCharges = Locked<Set<ExactText>>([])

extension CreateChargeRequest {
    /// The request with another key, unless it is the first for its purchase.
    var underNewKey: CreateChargeRequest {
        let isFirst = askedCharges.withLock { $0.insert(ExactText(chargeKey)).inserted }
        var request = self
        if !isFirst { request.chargeKey += ":2" }
        return request
    }
}

extension RenewalJob {
    /// The job of a second writer, which takes its own number for the transaction.
    var ofAnotherReplica: RenewalJob {
        var job = self
        if case .charge(var attempt) = work {
            attempt.identifier = nil
            job.work = .charge(attempt)
        }
        return job
    }
}
