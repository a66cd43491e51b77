import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

/// Finds subscriptions by their transactions, and lists them.
enum SubscriptionLookup {
    /// Finds the subscription of the transaction that an operator names.
    /// - Throws: `notFound`, also for a transaction of another scope.
    static func find(_ named: ScopedIdentifier, in reader: SQLReader) async throws -> DueSubscription {
        guard let stored = try await TransactionRepository.find(named, in: reader),
            let original = stored.transaction.originalTransactionIdentifier ?? stored.transaction.transactionIdentifier,
            let due = try await find(original: original, of: stored.customer, in: reader)
        else { throw StoreError(.notFound, "no such subscription") }
        return due
    }

    /// Finds a customer's own subscription by its first transaction's identifier.
    static func find(
        original identifier: String, of customer: CustomerReference, in reader: SQLReader
    ) async throws -> DueSubscription? {
        try await reader.queryOne(
            """
            \(DueSubscription.select)
            WHERE s.original_identifier = ? AND s.bundle_id = ? AND s.customer_identifier = ?
            """, identifier, customer.bundleId, customer.customerIdentifier
        ).map(DueSubscription.init)
    }

    /// Reads a customer's subscriptions in the order of their first purchase.
    static func list(
        of customer: CustomerReference, after: String, limit: Int, in reader: SQLReader
    ) async throws -> [DueSubscription] {
        try await reader.query(
            """
            \(DueSubscription.select)
            WHERE s.bundle_id = ? AND s.customer_identifier = ? AND s.original_identifier > ?
            ORDER BY s.original_identifier LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, after, limit
        ).map(DueSubscription.init)
    }

    /// Reads subscriptions of all customers for the operator, in the order of their first purchase.
    static func list(_ request: SubscriptionListRequest, in reader: SQLReader) async throws -> [DueSubscription] {
        var filter = OperatorFilter(app: request.bundleId, "s.", after: request.after, by: "original_identifier")
        filter.add("c.account = ?", request.account)
        filter.add("s.state = ?", request.state?.rawValue)
        return try await reader.query(
            """
            \(DueSubscription.select)
            WHERE \(filter.sql) ORDER BY s.original_identifier LIMIT ?
            """, arguments: filter.arguments + [request.limit]
        ).map(DueSubscription.init)
    }
}

/// A subscription with the facts for the decision about its renewal, read in one statement.
struct DueSubscription: Hashable, Sendable {
    var value: StoredSubscription
    var account: String
    /// The customer's present storefront.
    var storefront: String
    /// The account's settings. Nil when no operator has set any.
    var tester: TesterSettings?
    /// The charge of the present period. Nil for one sold before periods were stored.
    var lastAmount: Money?

    /// The request for the quote of the next renewal's product.
    var quoteRequest: QuoteRequest {
        QuoteRequest(
            bundleId: value.customer.bundleId, productIdentifier: value.renewProduct, storefront: storefront)
    }

    /// The request for the quote of the product that follows the commitment.
    var quoteAfterwards: QuoteRequest {
        var request = quoteRequest
        request.productIdentifier = value.productAfterwards
        return request
    }

    func context(_ quote: Quote) -> RenewalPolicy.Context {
        RenewalPolicy.Context(
            quote: quote, tester: (tester ?? TesterSettings()).over(quote.testerDefaults), lastAmount: lastAmount,
            storefront: storefront)
    }
}

extension DueSubscription {
    /// The beginning of a statement that reads such rows.
    static let select = """
        SELECT s.*, c.account, c.storefront, t.settings, p.amount_minor, p.currency
        FROM subscription s
        JOIN customer c ON c.bundle_id = s.bundle_id AND c.customer_identifier = s.customer_identifier
        LEFT JOIN tester t ON \(isOfScope) AND t.account = c.account
        LEFT JOIN subscription_period p ON p.original_id = s.original_id AND p.period_index = s.period_index
        """

    private static let isOfScope =
        PlantedBug.isActive(.settingsOfEveryStore) ? "1 = 1" : "t.scope = \(IsolationScope.key("c."))"

    init(_ row: SQLRow) throws {
        let settings: String? = try row["settings"]
        let (minor, code): (Int64?, String?) = (try row["amount_minor"], try row["currency"])
        self.init(
            value: try StoredSubscription(row), account: try row["account"], storefront: try row["storefront"],
            tester: try settings.map { try StoredJSON.value(TesterSettings.self, $0) },
            lastAmount: minor.flatMap { minor in
                code.flatMap(Currency.init(code:)).map { Money(minorUnits: minor, currency: $0) }
            })
    }
}
