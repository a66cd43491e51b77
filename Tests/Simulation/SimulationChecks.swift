import EventLoop
import Persistence
import StoreModels

/// A broken rule, by its number in `docs/rules.md`.
struct SimulationViolation: Hashable, Sendable {
    var rule: String
    var text: String
}

/// Checks the databases after each commit, and everything at rest. The first violation counts.
final class SimulationChecks: Sendable {
    /// A rule, and a query for rows that break it.
    private struct Rule {
        let number: String
        let text: String
        let sql: String
    }

    /// A transaction's row, as far as its charge depends on it.
    private struct Sale {
        let id: String
        let state: String
        let price: Int64
        let isFinished: Bool
        let waitsForCapture: Bool
    }

    private let first = Locked<SimulationViolation?>(nil)
    /// Prices of purchased transactions in cents. They do not change.
    private let prices = Locked<[String: Int64]>([:])

    var violation: SimulationViolation? { first.withLock { $0 } }

    func report(_ violation: SimulationViolation) { first.withLock { $0 = $0 ?? violation } }

    private func report(_ rule: String, _ text: String) { report(SimulationViolation(rule: rule, text: text)) }

    /// Checks both databases, and the replies so far.
    func check(_ store: SimulatedStore, _ clients: SimulatedClients) {
        guard violation == nil else { return }
        do {
            try check(Self.queueRules, store.queueDisk)
            try check(Self.ledgerRules, store.ledgerDisk)
            try checkMoney(store, clients)
        } catch {
            report("simulation", "a check failed: \(error)")
        }
    }

    /// Checks what holds once nothing is left to do.
    func checkAtRest(_ store: SimulatedStore, _ clients: SimulatedClients) {
        check(store, clients)
        guard violation == nil else { return }
        do {
            try check(Self.restRules, store.queueDisk)
            try checkRefunds(store, clients)
        } catch {
            report("simulation", "a check failed: \(error)")
        }
        for key in clients.keys where key.ended == nil && !key.isRefused {
            report("P4", "\(key.request.payment.requestIdentifier) gets no final answer")
        }
    }

    private func check(_ rules: [Rule], _ disk: SimulatedDisk) throws {
        for rule in rules {
            guard let row = try disk.rows(rule.sql).first else { continue }
            return report(rule.number, "\(rule.text): \(row.values)")
        }
    }

    // MARK: Queries for what is wrong

    private static let queueRules = [
        Rule(
            number: "P3", text: "a key has two payments",
            sql: """
                SELECT customer_identifier, request_key FROM payment_transaction WHERE request_key IS NOT NULL
                GROUP BY bundle_id, customer_identifier, request_key HAVING COUNT(*) > 1
                """),
        Rule(
            number: "I3", text: "an intent has two payments",
            sql: """
                SELECT intent_identifier FROM payment_transaction WHERE intent_identifier IS NOT NULL
                GROUP BY bundle_id, intent_identifier HAVING COUNT(*) > 1
                """),
        Rule(
            number: "Q2", text: "a journal has a gap, or does not end at its head",
            sql: """
                SELECT c.customer_identifier, c.head_seq, COUNT(j.seq) FROM customer c
                LEFT JOIN journal j ON j.bundle_id = c.bundle_id AND j.customer_identifier = c.customer_identifier
                GROUP BY c.bundle_id, c.customer_identifier
                HAVING COUNT(j.seq) <> c.head_seq OR COALESCE(MAX(j.seq), 0) <> c.head_seq
                """),
        Rule(
            number: "Q2", text: "a state is not in the journal",
            sql: """
                SELECT id, state, revision FROM payment_transaction
                WHERE (state = 'failed' OR is_finished = 0) AND (id, revision) NOT IN (
                    SELECT transaction_id, revision FROM journal WHERE kind = 'updated')
                """),
        Rule(
            number: "S1", text: "a period was renewed twice",
            sql: """
                SELECT original_id, period_index FROM subscription_period
                GROUP BY original_id, period_index HAVING COUNT(*) > 1
                """),
        Rule(
            number: "S2", text: "periods overlap",
            sql: """
                SELECT a.original_id, a.period_index FROM subscription_period a
                JOIN subscription_period b ON b.original_id = a.original_id AND b.period_index = a.period_index + 1
                WHERE b.starts_at < a.ends_at
                """),
        Rule(
            number: "S2", text: "a period is missing",
            sql: """
                SELECT original_id FROM subscription_period GROUP BY original_id
                HAVING COUNT(DISTINCT period_index) <> MAX(period_index) - MIN(period_index) + 1
                """),
        Rule(
            number: "P2", text: "two purchases have one charge",
            sql: """
                SELECT charge_key FROM payment_transaction WHERE state = 'purchased'
                GROUP BY charge_key HAVING COUNT(*) > 1
                """),
        Rule(
            number: "P8", text: "a product is held by a purchase that has ended",
            sql: """
                SELECT s.transaction_id FROM purchase_slot s
                JOIN payment_transaction t ON t.id = s.transaction_id WHERE t.phase = 'settled'
                """),
        Rule(
            number: "O1", text: "an offer is claimed twice",
            sql: """
                SELECT customer_identifier, subscription_group FROM offer_claim
                GROUP BY bundle_id, customer_identifier, subscription_group HAVING COUNT(*) > 1
                """),
        Rule(
            number: "O4", text: "a claim does not follow its purchase",
            sql: """
                SELECT c.transaction_id, c.state, t.state AS sold FROM offer_claim c
                JOIN payment_transaction t ON t.id = c.transaction_id
                WHERE t.state = 'failed' OR (t.state = 'purchased') <> (c.state = 'consumed')
                """),
        Rule(
            number: "O6", text: "a code's count is over its limit, or not that of its redemptions",
            sql: """
                SELECT c.id, c.redemptions, COUNT(r.transaction_id) FROM offer_code c
                LEFT JOIN code_redemption r ON r.bundle_id = c.bundle_id AND r.offer_identifier = c.offer_identifier
                GROUP BY c.id HAVING COUNT(r.transaction_id) <> c.redemptions OR c.redemptions > c.redemptions_max
                """),
        Rule(
            number: "O6", text: "a redemption does not follow its purchase",
            sql: """
                SELECT r.transaction_id, t.state FROM code_redemption r
                LEFT JOIN payment_transaction t ON t.id = r.transaction_id WHERE t.state IS NULL OR t.state = 'failed'
                """),
        Rule(
            number: "O6", text: "a purchase with a code has not redeemed it",
            sql: """
                SELECT id FROM payment_transaction
                WHERE state = 'purchased' AND json_extract(offer_request, '$.code') IS NOT NULL
                    AND id NOT IN (SELECT transaction_id FROM code_redemption)
                """),
        Rule(
            number: "P5", text: "a charge is captured without a purchase",
            sql: """
                SELECT c.transaction_id FROM capture c LEFT JOIN payment_transaction t ON t.id = c.transaction_id
                WHERE t.state IS NULL OR t.state <> 'purchased'
                """),
    ]

    private static let ledgerRules = [
        Rule(
            number: "P10", text: "refunds exceed their charge",
            sql: """
                SELECT r.charge_key FROM refund r JOIN charge c ON c.charge_key = r.charge_key
                WHERE r.reversed_at IS NULL GROUP BY r.charge_key
                HAVING SUM(r.amount_minor) > MAX(c.amount_minor) OR MAX(c.outcome) <> 'approved'
                    OR MAX(c.is_uncaptured) = 1
                """)
    ]

    private static let restRules = [
        Rule(
            number: "P4", text: "a purchase has no end",
            sql: "SELECT id, phase, waits_for FROM payment_transaction WHERE phase <> 'settled'"),
        Rule(number: "P2", text: "a charge is not captured", sql: "SELECT transaction_id FROM capture"),
        Rule(
            number: "S1", text: "a renewal has no end",
            sql: "SELECT original_id, attempt FROM subscription WHERE attempt IS NOT NULL"),
        Rule(number: "P10", text: "a refund was not made", sql: "SELECT refund_key FROM refund WHERE is_done = 0"),
        Rule(number: "P8", text: "a product is still held", sql: "SELECT transaction_id FROM purchase_slot"),
        Rule(
            number: "O4", text: "an offer is still reserved",
            sql: "SELECT transaction_id FROM offer_claim WHERE state = 'reserved'"),
        Rule(number: "R3", text: "a restore has no end", sql: "SELECT id FROM restore WHERE state = 'running'"),
    ]

    // MARK: Queue and ledger

    /// Compares what was sold with what was charged, and both with what was told.
    private func checkMoney(_ store: SimulatedStore, _ clients: SimulatedClients) throws {
        let (byKey, byID) = try sales(store.queueDisk)
        let renewing = Set(
            try store.queueDisk.rows(
                "SELECT json_extract(attempt, '$.chargeKey') AS key FROM subscription WHERE attempt IS NOT NULL"
            ).values(of: "key") as [String])
        var charged: Set<String> = []
        for row in try store.ledgerDisk.rows("SELECT charge_key, outcome, is_uncaptured, amount_minor FROM charge") {
            let (key, outcome, isUncaptured): (String, String, Bool) = (
                try row["charge_key"], try row["outcome"], try row["is_uncaptured"]
            )
            guard outcome == "approved" else { continue }
            let amount: Int64 = try row["amount_minor"]
            if byKey[key].map({ !isUncaptured || $0.waitsForCapture }) ?? false { charged.insert(key) }
            if !isUncaptured { check(key, amount, byKey[key], isRenewing: renewing.contains(key)) }
        }
        for (key, sale) in byKey where sale.state == "purchased" && sale.price > 0 && !charged.contains(key) {
            report("P2", "\(sale.id) was sold for \(sale.price) without a charge")
        }
        checkReplies(byID, clients)
    }

    private func check(_ key: String, _ amount: Int64, _ sale: Sale?, isRenewing: Bool) {
        guard let sale else {
            if !isRenewing { report("P2", "\(key) is charged \(amount) without a purchase") }
            return
        }
        switch sale.state {
        case "failed": report("P5", "\(key) is charged \(amount) for a purchase that failed")
        case "restored": report("R2", "\(key) is charged \(amount) for a restore")
        case "deferred": report("D1", "\(key) is charged \(amount) before the approval")
        case "purchased" where sale.price != amount: report("P6", "\(key) is charged \(amount), not \(sale.price)")
        default: break
        }
    }

    private func checkReplies(_ sales: [String: Sale], _ clients: SimulatedClients) {
        for key in clients.keys {
            for reply in [key.begun, key.ended].compactMap(\.self) where sales[reply.transaction.id] == nil {
                report("P1", "\(key.request.payment.requestIdentifier) is lost: \(reply.transaction.id)")
            }
            if let told = key.ended?.transaction, let state = sales[told.id]?.state,
                state != told.transactionState.rawValue
            {
                report("P1", "\(told.id) is \(state) and was acknowledged as \(told.transactionState)")
            }
        }
        for id in clients.finished where sales[id]?.isFinished == false {
            report("Q3", "\(id) is unfinished after an acknowledged finish")
        }
    }

    private func sales(_ disk: SimulatedDisk) throws -> (byKey: [String: Sale], byID: [String: Sale]) {
        var (byKey, byID): ([String: Sale], [String: Sale]) = ([:], [:])
        let waiting = Set(try disk.rows("SELECT transaction_id FROM capture").values(of: "transaction_id") as [String])
        for row in try disk.rows("SELECT id, state, charge_key, is_finished FROM payment_transaction") {
            let (id, state): (String, String) = (try row["id"], try row["state"])
            let sale = Sale(
                id: id, state: state, price: state == "purchased" ? try price(of: id, disk) : 0,
                isFinished: try row["is_finished"], waitsForCapture: waiting.contains(id))
            byKey[try row["charge_key"]] = sale
            byID[id] = sale
        }
        return (byKey, byID)
    }

    private func price(of id: String, _ disk: SimulatedDisk) throws -> Int64 {
        if let known = prices.withLock({ $0[id] }) { return known }
        let rows = try disk.rows(
            """
            SELECT CAST(ROUND(COALESCE(json_extract(body, '$.price.amount'), 0) * 100) AS INTEGER) AS cents
            FROM payment_transaction WHERE id = ?
            """, .text(id))
        let price: Int64 = try rows.first?["cents"] ?? 0
        prices.withLock { $0[id] = price }
        return price
    }

    /// Compares the refunds of queue and ledger, and both with what was acknowledged.
    private func checkRefunds(_ store: SimulatedStore, _ clients: SimulatedClients) throws {
        func refunds(_ disk: SimulatedDisk) throws -> Set<[SQLValue]> {
            Set(try disk.rows("SELECT refund_key, charge_key, amount_minor FROM refund").map(\.values))
        }
        let (decided, made) = (try refunds(store.queueDisk), try refunds(store.ledgerDisk))
        if decided != made { report("P10", "refunds differ: \(decided.symmetricDifference(made))") }
        for id in clients.refunded {
            let rows = try store.queueDisk.rows(
                """
                SELECT id FROM payment_transaction
                WHERE id = ? AND json_extract(body, '$.revocationDate') IS NOT NULL
                """, .text(id))
            if rows.isEmpty { report("P1", "an acknowledged refund of \(id) is lost") }
        }
    }
}
