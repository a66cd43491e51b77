import Persistence
import ServiceDatabase
import StoreModels

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
        LEFT JOIN tester t ON t.account = c.account
        LEFT JOIN subscription_period p ON p.original_id = s.original_id AND p.period_index = s.period_index
        """

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
