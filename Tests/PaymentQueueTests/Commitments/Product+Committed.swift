import StoreModels

@testable import PaymentQueue

extension Product {
    /// A subscription of a year, also sold in monthly payments.
    static func committed(
        _ identifier: String, _ price: String = "59.99", month: String = "5.99", group: String = "pro"
    ) -> Product {
        var product = subscription(identifier, price, unit: .year, group: group)
        let (year, payment) = (BillingPlan.committedPeriod, Money.usd(month))
        guard let whole = payment.times(BillingPlan.paymentsPerCommitment) else {
            preconditionFailure("twelve times \(month) is no amount")
        }
        product.pricingTerms = [
            BillingTerms(
                billingPlanType: .upFront, price: product.price, displayPrice: price, period: year,
                commitmentPrice: product.price, commitmentDisplayPrice: price, commitmentPeriod: year),
            BillingTerms(
                billingPlanType: .monthly, price: payment, displayPrice: month, period: BillingPlan.monthlyPeriod,
                commitmentPrice: whole, commitmentDisplayPrice: whole.amount, commitmentPeriod: year),
        ]
        return product
    }
}

extension CustomerApp {
    /// Buys a product in monthly payments.
    @discardableResult
    func buyMonthly(_ product: String, key: String = "monthly") async throws -> PaymentTransaction {
        var payment = Payment(requestIdentifier: key, productIdentifier: product)
        payment.billingPlanType = .monthly
        return try await add(payment).transaction
    }

    /// Buys a product in monthly payments, and hands back the subscription's own name.
    func commit(to product: String, key: String = "monthly") async throws -> String {
        let bought = try await buyMonthly(product, key: key)
        guard bought.transactionState == .purchased, let identifier = bought.transactionIdentifier else {
            throw StoreError(.internal, "\(product) was not bought: \(bought.transactionState)")
        }
        return bought.originalTransactionIdentifier ?? identifier
    }
}

extension Subscription {
    /// `3/12`, of the present payment.
    var place: String? { commitment.map { "\($0.billingPeriodNumber)/\($0.totalBillingPeriods)" } }
}
