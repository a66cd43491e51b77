import Logging
import Metrics
import StoreModels

/// Logs and counts the outcomes of purchases, renewals and refunds.
///
/// The process that makes the commit writes one line at info and raises one counter for each.
struct SalesRecord: Sendable {
    /// The outcome of a renewal.
    enum Renewal: String, CaseIterable {
        case renewed, declined, quarantined
    }

    private static let states: [TransactionState] = [.purchased, .failed, .deferred]

    private let logger: Logger
    private let purchases: [TransactionState: Counter]
    private let renewals: [Renewal: Counter]
    private let takenBack: [SubscriptionEnding: Counter]

    /// Creates the counters.
    /// - Parameter factory: Nil for the process's own factory.
    init(logger: Logger, factory: (any MetricsFactory)? = nil) {
        let factory = factory ?? MetricsSystem.factory
        func counter(_ name: String, _ label: String, _ value: String) -> Counter {
            Counter(label: name, dimensions: [(label, value)], factory: factory)
        }
        self.logger = logger
        purchases = Dictionary(
            uniqueKeysWithValues: Self.states.map {
                ($0, counter("storebus_purchases_total", "state", $0.rawValue))
            })
        renewals = Dictionary(
            uniqueKeysWithValues: Renewal.allCases.map {
                ($0, counter("storebus_renewals_total", "outcome", $0.rawValue))
            })
        takenBack = [
            .refunded: counter("storebus_taken_back_total", "ending", "refunded"),
            .revoked: counter("storebus_taken_back_total", "ending", "revoked"),
        ]
    }

    /// Notes the state in which a commit of this process left a purchase. A purchasing one has no outcome yet.
    func note(_ stored: StoredTransaction) {
        let value = stored.transaction
        guard let counter = purchases[value.transactionState] else { return }
        counter.increment()
        var metadata = Self.metadata(value, of: stored.customer)
        if let error = value.error { metadata["error"] = "\(error.name)" }
        if let reason = value.error?.reason { metadata["reason"] = "\(reason)" }
        logger.info("purchase \(value.transactionState.rawValue)", metadata: metadata)
    }

    /// Notes a renewal's outcome.
    /// - Parameter paid: The period's transaction, if it was paid.
    func note(_ outcome: Renewal, of value: StoredSubscription, paid: PaymentTransaction?) {
        renewals[outcome]?.increment()
        var metadata: Logger.Metadata = [
            "bundleId": "\(value.customer.bundleId)", "customerIdentifier": "\(value.customer.customerIdentifier)",
            "productIdentifier": "\(value.product)",
        ]
        if let paid { metadata = Self.metadata(paid, of: value.customer) }
        metadata["subscription"] = "\(value.originalIdentifier)"
        logger.info("renewal \(outcome.rawValue)", metadata: metadata)
    }

    /// Notes a refund or revocation.
    func note(_ ending: SubscriptionEnding, of value: PaymentTransaction, _ customer: CustomerReference) {
        takenBack[ending]?.increment()
        let word = ending == .refunded ? "refunded" : "revoked"
        logger.info("purchase \(word)", metadata: Self.metadata(value, of: customer))
    }

    private static func metadata(_ value: PaymentTransaction, of customer: CustomerReference) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "transaction": "\(value.id)", "bundleId": "\(customer.bundleId)",
            "customerIdentifier": "\(customer.customerIdentifier)",
            "productIdentifier": "\(value.payment.productIdentifier)",
        ]
        if let identifier = value.transactionIdentifier { metadata["transactionIdentifier"] = "\(identifier)" }
        if let price = value.price { metadata["price"] = "\(price.amount) \(price.currency.code)" }
        return metadata
    }
}
