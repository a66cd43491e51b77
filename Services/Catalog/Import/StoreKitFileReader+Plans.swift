import StoreModels

/// Reads `billingPlans` of version 5 and later.
///
/// Each period up front is always sold, for the subscription's `displayPrice`. A subscription of a year may have the
/// plan `MONTHLY`, too: its `displayPrice` is of one month.
extension StoreKitFileReader {
    /// Reads a subscription's plans.
    /// - Returns: The price of a month, or nil for a subscription that is not sold in monthly payments.
    mutating func readBillingPlans(_ subscription: JSONNode, of period: SubscriptionPeriod?) -> StorefrontPrices? {
        let list = subscription.member("billingPlans")
        let price = subscription.member("displayPrice").value?.stringValue ?? ""
        var monthly: (path: String, prices: StorefrontPrices?)?
        for (index, value) in (list.value?.arrayValue ?? []).enumerated() {
            let plan = JSONNode(path: "\(list.path)[\(index)]", value: value)
            noteUnread(plan, .billingPlan)
            let isEnabled = plan.member("isEnabled").value?.boolValue ?? true
            if isPaidUpFront(plan) {
                noteUpFront(plan, isEnabled: isEnabled, price: price)
            } else if isEnabled, isMonthly(plan, of: period) {
                if let monthly {
                    findings.note(
                        "\(plan.path) is kept and has no effect: one plan MONTHLY counts, the one at \(monthly.path).")
                } else {
                    monthly = (plan.path, readMonthlyPrices(plan))
                }
            }
        }
        return monthly?.prices
    }

    private mutating func noteUpFront(_ plan: JSONNode, isEnabled: Bool, price: String) {
        if !isEnabled {
            findings.note("\(plan.member("isEnabled").path) has no effect: \(Self.plan), which is always sold.")
        }
        for name in ["displayPrice", "commitmentDisplayPrice"] {
            noteOtherPrice(plan.member(name), than: price)
        }
        let prices = plan.member("prices")
        if !prices.isAbsent {
            findings.note("\(prices.path) has no effect: the subscription's own prices count.")
        }
    }

    private static let plan = "this is the plan of paying each period up front"

    private mutating func noteOtherPrice(_ node: JSONNode, than price: String) {
        guard let text = node.value?.stringValue, DecimalAmount(text)?.value != DecimalAmount(price)?.value else {
            return
        }
        findings.note(
            "\(node.path) is \(text.prefix(20)) and has no effect: "
                + "the subscription is sold for its displayPrice, \(price.prefix(20)).")
    }

    /// Tells whether a plan is one of monthly payments that is sold. Any other is noted.
    private mutating func isMonthly(_ plan: JSONNode, of period: SubscriptionPeriod?) -> Bool {
        guard plan.member("billingPlanType").value == .string(BillingPlan.monthly.rawValue) else {
            noteOtherPlan(plan, "a subscription is sold for each period up front, or in monthly payments")
            return false
        }
        guard let period else { return false }
        guard period.isAsLong(as: BillingPlan.committedPeriod) else {
            noteOtherPlan(plan, "only a subscription of one year is sold in monthly payments")
            return false
        }
        return true
    }

    /// Reads the price of a month, and compares the commitment's.
    private mutating func readMonthlyPrices(_ plan: JSONNode) -> StorefrontPrices? {
        guard let prices = readPrices(of: plan) else { return nil }
        let node = plan.member("commitmentDisplayPrice")
        let whole = prices.base.times(BillingPlan.paymentsPerCommitment)
        if let text = node.value?.stringValue, DecimalAmount(text)?.value != whole.value {
            findings.note(
                "\(node.path) is \(text.prefix(20)) and has no effect: "
                    + "the commitment costs twelve times its displayPrice \(prices.base.text), \(whole.text).")
        }
        return prices
    }

    /// Whether a billing plan, or an offer's, is payment of each period up front.
    func isPaidUpFront(_ node: JSONNode) -> Bool {
        let plan = node.member("billingPlanType")
        return plan.isAbsent || plan.value == .string(BillingPlan.upFront.rawValue)
    }

    /// Notes that a plan, or an offer for it, is ignored.
    mutating func noteOtherPlan(_ node: JSONNode, _ reason: String = "offers are sold for a period up front") {
        let plan = node.member("billingPlanType").value?.stringValue.map { "'\($0.prefix(40))'" } ?? "another one"
        findings.note("\(node.path) is kept and has no effect: its billing plan is \(plan), and \(reason).")
    }
}
