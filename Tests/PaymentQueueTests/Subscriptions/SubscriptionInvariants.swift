import BusService
import Persistence
import ServiceTesting
import StoreModels
import Testing

@testable import PaymentQueue

extension TestStore {
    /// Checks the invariants of settled subscriptions against the tables and the processor's ledger.
    /// - Parameter contiguous: false where clocks were set back under subscriptions that were bought anew.
    func checkSubscriptions(contiguous: Bool = true, _ comment: Comment? = nil) async throws {
        let captured = try await allCharges().filter { $0.outcome == .approved }
        let (subscriptions, periods) = try await database.read { reader in
            (
                try await reader.query("SELECT * FROM subscription").map(StoredSubscription.init),
                try await reader.query("SELECT * FROM subscription_period ORDER BY original_id, period_index")
                    .map { row in
                        (
                            stored: try SubscriptionPeriodRepository.Stored(row), key: try row["charge_key"] as String?,
                            amount: try row["amount_minor"] as Int64
                        )
                    }
            )
        }
        // S6: one row a customer and group; none is left with a charge under way.
        #expect(Set(subscriptions.map { "\($0.customer) \($0.group)" }).count == subscriptions.count, comment)
        #expect(subscriptions.allSatisfy { $0.attempt == nil }, comment)
        // S1, P2: what was captured for subscriptions is what their periods have cost, charge by charge.
        let paid = periods.filter { $0.key != nil }
        #expect(Set(paid.compactMap(\.key)).count == paid.count, comment)
        let renewed = captured.filter { $0.chargeKey.hasPrefix("renew:") }
        let ledger = renewed.map { "\($0.chargeKey) \($0.amount?.minorUnits ?? -1)" }
        let renewals = paid.filter { $0.key?.hasPrefix("renew:") == true }
        #expect(ledger.sorted() == renewals.map { "\($0.key ?? "") \($0.amount)" }.sorted(), comment)
        #expect(Set(renewed.map { $0.chargeKey.split(separator: ":").prefix(3) }).count == renewed.count, comment)
        try await checkMoney(captured, comment)
        for value in subscriptions {
            let own = periods.map(\.stored).filter { $0.originalID == value.originalID }
            // S2: numbered without gaps, in order, none over another.
            #expect(own.map(\.index) == Array(0..<own.count), comment)
            #expect(own.last?.index == value.period.index, comment)
            guard contiguous else { continue }
            // One that was replaced before it began has no length.
            let lived = own.filter { $0.start < $0.end }
            for (one, next) in zip(lived, lived.dropFirst()) { #expect(one.end <= next.start, comment) }
        }
    }

    /// P2: each captured charge is one purchased transaction at its price. P10: no charge is given back more than it
    /// was.
    private func checkMoney(_ captured: [Charge], _ comment: Comment?) async throws {
        let (bought, refunds) = try await database.read { reader in
            (
                try await reader.query(
                    """
                    SELECT t.body, p.charge_key FROM payment_transaction t
                    LEFT JOIN subscription_period p ON p.transaction_id = t.id WHERE t.state = 'purchased'
                    """),
                try await reader.query("SELECT charge_key, amount_minor FROM refund")
            )
        }
        var paid: [String] = []
        for row in bought {
            let (body, key): (String, String?) = (try row["body"], try row["charge_key"])
            let value = try StoreJSON.decode(PaymentTransaction.self, from: Array(body.utf8))
            let isRenewal = value.payment.requestIdentifier.hasPrefix("renew:")
            guard let price = value.price?.minorUnits, price > 0 else { continue }
            paid.append("\(isRenewal ? key ?? "no key" : "purchase:\(value.id)") \(price)")
        }
        #expect(captured.map { "\($0.chargeKey) \($0.amount?.minorUnits ?? 0)" }.sorted() == paid.sorted(), comment)
        var left: [String: Int64] = [:]
        for charge in captured { left[charge.chargeKey] = charge.amount?.minorUnits }
        for refund in refunds {
            let (key, amount): (String, Int64) = (try refund["charge_key"], try refund["amount_minor"])
            left[key, default: 0] -= amount
        }
        #expect(left.values.allSatisfy { $0 >= 0 }, comment)
    }

    /// The whole ledger, page by page, after everything that was committed is captured.
    func allCharges() async throws -> [Charge] {
        _ = try await alive?.service.captures.captureAll()
        var (all, after): ([Charge], String?) = ([], nil)
        repeat {
            let page = try await caller.call(
                ProcessorEndpoints.listCharges, ChargeListRequest(after: after, limit: 500))
            all += page.charges
            after = page.after
        } while after != nil
        return all
    }
}
