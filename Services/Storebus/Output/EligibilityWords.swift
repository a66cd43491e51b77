import StoreModels

/// Why an answer about an introductory offer is what it is.
enum EligibilityWords {
    /// One sentence without a full stop: `no earlier subscription in group 21378123`.
    static func because(_ one: ProductEligibility) -> String {
        let group = "group \(one.subscriptionGroupIdentifier)"
        let decider = one.transactionIdentifier.map { " (\($0))" } ?? ""
        return switch one.rule {
        case .newSubscriber: "no earlier subscription in \(group)"
        case .lapsedWithoutOffer:
            "subscribed to \(group) before\(decider), never with an introductory offer, and not now"
        case .offerUsed:
            "an introductory offer of \(group) was used\(decider)\(other(one)); no product of it and no refund gives it back"
        case .offerReserved: "a payment under way\(other(one)) holds the introductory offer of \(group)"
        case .subscribed: "subscribed to \(group) now\(decider)"
        case .inGracePeriod: "a subscriber of \(group) still\(decider), in the grace period"
        case .inBillingRetryPeriod: "a subscriber of \(group) still\(decider), whose renewal is charged again"
        case .historyUnavailable: "payment-queue is away, so nobody knows what was bought; it is not guessed"
        }
    }

    /// The product that decided, where it is another one: ` by com.example.pro.yearly`.
    private static func other(_ one: ProductEligibility) -> String {
        one.usedProductIdentifier.map { " by \($0)" } ?? ""
    }

    /// `1 week free, then 9.99 USD a month`, or that there is none.
    static func offer(_ product: Product?) -> String? {
        guard let product else { return nil }
        guard let offer = product.introductoryPrice else { return "none: \(Words.price(of: product)) from the start" }
        return "\(Words.offer(offer)), then \(Words.price(of: product))"
    }
}
