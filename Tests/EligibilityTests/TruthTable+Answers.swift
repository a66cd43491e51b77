import StoreModels

@testable import Eligibility

extension TruthTable {
    static let subscriptions = SubscriptionList(
        [("pro.monthly", "pro"), ("pro.yearly", "pro"), ("news", "news")].map {
            SubscriptionProduct(productIdentifier: $0.0, subscriptionGroupIdentifier: $0.1, isAvailable: true)
        })

    /// What Eligibility answers from what PaymentQueue keeps.
    static func answers(_ value: Case) -> [ProductEligibility] {
        evaluate(.summary(value.groups.map { OfferSummary(groups: $0, businessNow: now) }))
    }

    /// What it answers from the customer's receipt; nil without one.
    static func answersFromReceipt(_ value: Case) -> [ProductEligibility]? {
        value.items.map { evaluate(.receipt(ReceiptHistory(items: $0, now: now, renewals: value.renewals))) }
    }

    private static func evaluate(_ history: OfferEvaluation.History) -> [ProductEligibility] {
        OfferEvaluation(subscriptions: subscriptions, identifiers: nil, history: history).reply().eligibility
    }

    /// The table as in `docs/eligibility.md`.
    static var text: String {
        let head = ["customer", "rules", "answer", "rule", "transaction", "from the receipt"]
        let rows = cases.map { value -> [String] in
            let answer = answers(value)[0]
            let receipt = answersFromReceipt(value)?[0]
            let isSame = receipt.map { $0.rule == answer.rule }
            return [
                value.name, value.seed, answer.eligibility.rawValue, "`\(answer.rule.rawValue)`",
                answer.transactionIdentifier ?? "",
                isSame == nil
                    ? "" : isSame == true ? "the same" : receipt.map { "\($0.eligibility), `\($0.rule)`" } ?? "",
            ]
        }
        let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            "| "
                + zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: " | ")
                + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([line(head), rule] + rows.map(line)).joined(separator: "\n") + "\n"
    }
}
