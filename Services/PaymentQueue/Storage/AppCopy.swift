import Persistence
import ServiceDatabase
import StoreModels

/// Copies an isolated store's customers, purchases and accounts into another store, between two pieces of work.
///
/// The copy's clock shows the store's time and is frozen, so that nothing falls due in it before it opens.
struct AppCopy: QueuePart {
    private static let position: Set = ["position"]
    private static let log: Set = ["position", "xact"]
    private static let unclaimed: [String: SQLValue] = ["claimed_by": .null, "claimed_until": .integer(0)]
    /// Tables whose rows are copied. A table comes after those that it refers to.
    ///
    /// AppStoreServer has imported `server_event`, and `clock_advance` has the keys of moves.
    private static let tables = [
        StoreCopy.Table("isolated_counter"), StoreCopy.Table("tester", app: "scope"), StoreCopy.Table("customer"),
        StoreCopy.Table("payment_transaction", values: unclaimed), StoreCopy.Table("subscription", values: unclaimed),
        StoreCopy.Table("subscription_period"), StoreCopy.Table("subscription_event", filled: position),
        StoreCopy.Table("paid_group"), StoreCopy.Table("revocation"), StoreCopy.Table("download"),
        StoreCopy.Table("owned_product"), StoreCopy.Table("purchase_slot"), StoreCopy.Table("family_person"),
        StoreCopy.Table("shared_purchase"), StoreCopy.Table("code_redemption"), StoreCopy.Table("offer_code"),
        StoreCopy.Table("offer_code_text"), StoreCopy.Table("offer_claim"), StoreCopy.Table("mass_extension"),
        StoreCopy.Table("subscription_extension"), StoreCopy.Table("refund_request"), StoreCopy.Table("refund"),
        StoreCopy.Table("restore"), StoreCopy.Table("revocation_seen"), StoreCopy.Table("offer_nonce"),
        StoreCopy.Table("used_intent"), StoreCopy.Table("journal", filled: log),
    ]
    /// Their identifiers are numbers of the installation.
    private static let prompts = StoreCopy.Table("prompt", filled: ["id"])
    /// Work under way, or due by the wall clock. Nothing is copied beside it.
    private static let busy = [
        "SELECT 1 FROM payment_transaction WHERE bundle_id = ? AND phase IN ('charging', 'granting') AND awaits_answer = 0",
        "SELECT 1 FROM payment_transaction WHERE bundle_id = ? AND phase = 'waiting' AND awaits_answer = 0 AND waits_for IS NULL",
        "SELECT 1 FROM payment_transaction p WHERE bundle_id = ? AND EXISTS (SELECT 1 FROM capture c WHERE c.transaction_id = p.id)",
        "SELECT 1 FROM subscription WHERE bundle_id = ? AND attempt IS NOT NULL AND due_at IS NOT NULL",
        "SELECT 1 FROM refund WHERE bundle_id = ? AND (is_done = 0 OR reversal = 1)",
        "SELECT 1 FROM prompt WHERE bundle_id = ? AND kind = 'storefrontChange'",
        """
        SELECT 1 FROM family_person p
        JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
        WHERE p.bundle_id = ? AND (p.is_gone = 1 OR p.shared_seq <> c.modified_seq)
        """,
        "SELECT 1 FROM restore WHERE bundle_id = ? AND state = 'running'",
        "SELECT 1 FROM clock_advance WHERE bundle_id = ? AND last_event IS NULL",
        "SELECT 1 FROM mass_extension WHERE bundle_id = ? AND completed_at IS NULL",
    ]

    let context: QueueContext

    /// Copies the store's rows in one commit, then its charges and refunds at the processor. Returns when all events of
    /// the store until then can be read.
    /// - Returns: The mark of the store as it was copied.
    /// - Throws: `requestInvalid`, or `serviceUnavailable`: with `retryAfterMs` 0 beside work under way, and without it
    ///   if the processor does not reply.
    func copy(_ request: CopyAppRequest, deadline: ContinuousClock.Instant) async throws -> AppMark {
        let last = deadline - PurchaseService.replyMargin
        let copy = try StoreCopy(request, wall: clock.wall())
        let mark = try await StoreCopy.commit(in: database, until: last) { transaction in
            let mark = try await lock(request.from, in: transaction)
            try await copyClock(request, in: transaction)
            try await Self.copyRows(copy, in: transaction)
            return mark
        }
        _ = try await collaborators.copyLedger(request, last)
        try await awaitEvents(until: last)
        return mark
    }

    /// Keeps other commits about the store away. One with a new customer or purchase takes a number.
    /// - Returns: The mark of the store from now on.
    private func lock(_ bundleId: String, in transaction: SQLTransaction) async throws -> AppMark {
        try await CustomerRepository.awaitCommits(of: bundleId, in: transaction)
        _ = try await transaction.query(
            "SELECT value FROM isolated_counter WHERE bundle_id = ? ORDER BY name \(transaction.dialect.lockRow)",
            bundleId)
        return try await Self.mark(of: bundleId, in: transaction)
    }

    /// Writes the copy's clock, unless work is under way or due in the store.
    private func copyClock(_ request: CopyAppRequest, in transaction: SQLTransaction) async throws {
        let wall = clock.wall()
        let source = try await ClockRepository.lock(request.from, wall: wall, in: transaction)
        try await checkIsIdle(request.from, at: source.now(wall: wall), in: transaction)
        try await ClockRepository.insert(request.to, wall: wall, in: transaction)
        try await ClockRepository.set(source.set(frozen: true, wall: wall), of: request.to, in: transaction)
    }

    /// Waits until AppStoreServer can read all events that were written until now.
    ///
    /// On PostgreSQL an older transaction under way, of another store as well, hides the newest ones.
    private func awaitEvents(until last: ContinuousClock.Instant) async throws {
        let begun = try await database.read { try await ServerEventRepository.table.horizon(in: $0) }.begun
        while try await ServerEventRepository.table.now(in: database) < begun {
            guard ContinuousClock.now < last else {
                throw StoreError(.serviceUnavailable, "other work at payment-queue takes too long")
            }
        }
    }

    static func copyRows(_ copy: StoreCopy, in transaction: SQLTransaction) async throws {
        for table in tables { try await copy.copy(table, in: transaction) }
        for row in try await copy.rows(of: prompts, in: transaction) {
            let number = try await CounterRepository.next(.prompt, in: transaction)
            try await copy.insert(
                row, into: prompts, values: ["id": .text(Identifiers.prompt(number))], in: transaction)
        }
    }

    /// Returns the mark of a store as it is now.
    func mark(_ request: AppRequest) async throws -> AppMark {
        try await database.read { try await Self.mark(of: request.bundleId, in: $0) }
    }

    private static func mark(of bundleId: String, in reader: SQLReader) async throws -> AppMark {
        let row = try await reader.queryOne(
            """
            SELECT COUNT(*) AS customers, CAST(COALESCE(SUM(head_seq + modified_seq), 0) AS BIGINT) AS changes,
                (SELECT COUNT(*) FROM refund_request WHERE bundle_id = ? AND state = 'open') AS refund_requests,
                (SELECT COUNT(*) FROM mass_extension WHERE bundle_id = ? AND completed_at IS NOT NULL) AS extensions,
                COALESCE((SELECT epoch FROM app_clock WHERE bundle_id = ?), 0) AS clock_epoch
            FROM customer WHERE bundle_id = ?
            """, bundleId, bundleId, bundleId, bundleId)
        guard let row else { throw StoreError(.internal, "the customers were not counted") }
        return AppMark(
            customers: try row["customers"], changes: try row["changes"], refundRequests: try row["refund_requests"],
            extensions: try row["extensions"], clockEpoch: try row["clock_epoch"])
    }

    private func checkIsIdle(_ bundleId: String, at now: Timestamp, in reader: SQLReader) async throws {
        var isBusy = try await ClockRepository.nextEvent(of: bundleId, in: reader).map { $0 <= now } ?? false
        for statement in Self.busy where !isBusy {
            isBusy = try await reader.queryOne(statement, bundleId) != nil
        }
        guard isBusy else { return }
        throw StoreError(
            .serviceUnavailable, "the store is not idle: a purchase, renewal, refund or move of its clock is under way",
            retryAfterMs: 0)
    }
}
