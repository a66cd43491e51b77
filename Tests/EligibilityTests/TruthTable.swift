import StoreModels

@testable import Eligibility

/// Cases of a customer's eligibility for the introductory offer of the group `pro` (`pro.monthly`, `pro.yearly`). Each
/// case is written twice: as PaymentQueue keeps it, and as the customer's receipt has it.
enum TruthTable {
    static let now = Timestamp(milliseconds: 100 * day)
    static let day: Int64 = 86_400_000

    struct Case: Sendable {
        let name: String
        let seed: String
        let rule: IntroductoryOfferPolicy.Rule
        /// Nil: PaymentQueue is away.
        var groups: [SubscriptionGroupHistory]? = []
        /// Nil: there is no receipt that would say the same.
        var items: [ReceiptItem]? = []
        var renewals: [ReceiptRenewal]?
        /// When the receipt cannot say what PaymentQueue knows.
        var receiptRule: IntroductoryOfferPolicy.Rule?
    }

    static let cases: [Case] = [
        Case(name: "never bought anything", seed: "M124", rule: .newSubscriber),
        Case(
            name: "bought coins, no subscription", seed: "M124", rule: .newSubscriber,
            items: [item(1, "coins", group: nil, ends: nil)]),
        Case(
            name: "a trial or introductory price in another group", seed: "M121", rule: .newSubscriber,
            groups: [history(group: "news", used: 1, product: "news", ends: 10, .subscribed)],
            items: [item(1, "news", group: "news", ends: 10, trial: true)]),
        Case(
            name: "in a free trial", seed: "M119 M121", rule: .offerUsed,
            groups: [history(used: 1, ends: 5, .subscribed)], items: [item(1, ends: 5, trial: true)]),
        Case(
            name: "in a period at an introductory price", seed: "M119 M121", rule: .offerUsed,
            groups: [history(used: 1, ends: 5, .subscribed)], items: [item(1, ends: 5, introductory: true)]),
        Case(
            name: "had a trial, pays the regular price now", seed: "M121", rule: .offerUsed,
            groups: [history(used: 1, ends: 5, .subscribed, latest: 2)],
            items: [item(1, ends: -25, trial: true), item(2, ends: 5)]),
        Case(
            name: "had a trial long ago, expired", seed: "M120 M125", rule: .offerUsed,
            groups: [history(used: 1, ends: -90, .expired)], items: [item(1, ends: -90, trial: true)]),
        Case(
            name: "had a trial that was refunded", seed: "M128", rule: .offerUsed,
            groups: [history(used: 1, ends: 5, .revoked)], items: [item(1, ends: 5, trial: true, refunded: true)]),
        Case(
            name: "paid without an offer, expired", seed: "M125", rule: .lapsedWithoutOffer,
            groups: [history(ends: -1, .expired)], items: [item(1, ends: -1)]),
        Case(
            name: "paid without an offer, refunded before the end", seed: "M125 M128", rule: .lapsedWithoutOffer,
            groups: [history(ends: 5, .revoked)], items: [item(1, ends: 5, refunded: true)]),
        Case(
            name: "billing retry ended without a charge", seed: "M125 M127", rule: .lapsedWithoutOffer,
            groups: [history(ends: -61, .expired)], items: [item(1, ends: -61)]),
        Case(
            name: "subscribed at the regular price", seed: "M126", rule: .subscribed,
            groups: [history(ends: 5, .subscribed)], items: [item(1, ends: 5)]),
        Case(
            name: "subscribed, renewal switched off", seed: "M126", rule: .subscribed,
            groups: [history(ends: 5, .subscribed)], items: [item(1, ends: 5)]),
        Case(
            name: "upgraded to another product of the group", seed: "M126 M127", rule: .subscribed,
            groups: [history(ends: 30, .subscribed, latest: 2)],
            items: [item(1, "pro.monthly", ends: 20, upgraded: true), item(2, "pro.yearly", ends: 30)]),
        Case(
            name: "crossgraded to another product of the group", seed: "M126 M127", rule: .subscribed,
            groups: [history(ends: 30, .subscribed, latest: 2)],
            items: [item(1, "pro.monthly", ends: 20, upgraded: true), item(2, "pro.yearly", ends: 30)]),
        Case(
            name: "a downgrade waits for the renewal", seed: "M126 M127", rule: .subscribed,
            groups: [history(ends: 20, .subscribed)], items: [item(1, "pro.yearly", ends: 20)]),
        Case(
            name: "the last renewal failed, in the grace period", seed: "M127", rule: .inGracePeriod,
            groups: [history(ends: 10, .inGracePeriod)], items: [item(1, ends: -6)],
            renewals: [renewal(retry: true, grace: 10)]),
        Case(
            name: "the last renewal failed, in billing retry", seed: "M127", rule: .inBillingRetryPeriod,
            groups: [history(ends: -6, .inBillingRetryPeriod)], items: [item(1, ends: -6)],
            renewals: [renewal(retry: true, grace: nil)]),
        Case(
            name: "in billing retry, a receipt alone", seed: "M127", rule: .inBillingRetryPeriod,
            groups: [history(ends: -6, .inBillingRetryPeriod)], items: [item(1, ends: -6)],
            receiptRule: .lapsedWithoutOffer),
        Case(
            name: "the period is over, its renewal is late", seed: "M126", rule: .subscribed,
            groups: [history(ends: -1, .subscribed, due: true)], items: [item(1, ends: -1)],
            receiptRule: .lapsedWithoutOffer),
        Case(
            name: "a payment in flight holds the offer", seed: "M134", rule: .offerReserved,
            groups: [history(reserved: true)], receiptRule: .newSubscriber),
        Case(
            name: "a receipt that names no group: the catalogue does", seed: "M122", rule: .offerUsed,
            groups: [history(used: 1, ends: -90, .expired)], items: [item(1, group: nil, ends: -90, trial: true)]),
        Case(
            name: "the group is in pending_renewal_info only", seed: "M122", rule: .offerUsed,
            groups: [history(used: 1, product: "gone", ends: -90, .expired)],
            items: [item(1, "gone", group: nil, ends: -90, trial: true)],
            renewals: [renewal(group: "pro", retry: false, grace: nil)]),
        Case(
            name: "a trial of a product that no longer exists, group unknown", seed: "M120", rule: .offerUsed,
            groups: [history(used: 1, product: "gone", ends: -90, .expired)],
            items: [item(1, "gone", group: nil, ends: -90, trial: true)], receiptRule: .historyUnavailable),
        Case(
            name: "had a trial in the group when it had another name", seed: "M119 M125", rule: .offerUsed,
            groups: [history(group: "former", used: 1, ends: -90, .expired)],
            items: [item(1, group: "former", ends: -90, trial: true)]),
        Case(name: "PaymentQueue is away", seed: "O3", rule: .historyUnavailable, groups: nil, items: nil),
    ]

    // MARK: Facts, in days from now

    private static func at(_ days: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds + days * day) }

    static func history(
        group: String = "pro", used: Int? = nil, product: String = "pro.monthly", ends: Int64? = nil,
        _ state: SubscriptionState? = nil,
        latest: Int = 1, reserved: Bool = false, due: Bool = false
    ) -> SubscriptionGroupHistory {
        SubscriptionGroupHistory(
            subscriptionGroupIdentifier: group, introductoryOfferTransaction: used.map(String.init),
            introductoryOfferProduct: used == nil ? nil : product, introductoryOfferReserved: reserved,
            activeUntil: ends.map(at),
            activeTransaction: state == nil ? nil : "\(latest)", state: state, isRenewalDue: due)
    }

    static func item(
        _ number: Int, _ product: String = "pro.monthly", group: String? = "pro", ends: Int64?, trial: Bool = false,
        introductory: Bool = false, refunded: Bool = false, upgraded: Bool = false
    ) -> ReceiptItem {
        with(
            ReceiptItem(
                transactionIdentifier: "\(number)", originalTransactionIdentifier: "1", productIdentifier: product,
                type: ends == nil ? .consumable : .autoRenewable, quantity: 1, purchaseDate: at(-100 + Int64(number)),
                originalPurchaseDate: at(-99), expiresDate: ends.map(at), subscriptionGroupIdentifier: group)
        ) {
            $0.isTrialPeriod = trial
            $0.isInIntroOfferPeriod = introductory
            $0.isUpgraded = upgraded
            $0.cancellationDate = refunded ? at(-1) : nil
        }
    }

    private static func renewal(group: String? = nil, retry: Bool, grace: Int64?) -> ReceiptRenewal {
        ReceiptRenewal(
            originalTransactionIdentifier: "1", subscriptionGroupIdentifier: group, isInBillingRetryPeriod: retry,
            gracePeriodExpiresDate: grace.map(at))
    }
}
