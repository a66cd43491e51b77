import StoreModels
import StorebusTesting

/// A customer with random purchases, renewals, expiries, changes and refunds in one group. PaymentQueue's history and
/// the receipt's items are recorded independently of each other.
struct RandomCustomer {
    private(set) var now = Timestamp(milliseconds: 0)
    private(set) var history = SubscriptionGroupHistory(subscriptionGroupIdentifier: "pro")
    private(set) var items: [ReceiptItem] = []
    private var random: SplitMix64

    init(_ random: SplitMix64) { self.random = random }

    /// One thing happens. A renewal is never late here: what is over and not renewed has expired.
    mutating func step() {
        now = now + .seconds(Int64.random(in: 1...100, using: &random))
        if history.state == .subscribed, let end = history.activeUntil, end <= now { expireOrRenew(at: end) }
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where history.state != .subscribed: subscribe()
        case 1 where history.state == .subscribed: upgrade()
        case 2: refund()
        default: break
        }
    }

    private mutating func subscribe() {
        let offer = history.introductoryOfferTransaction == nil && Bool.random(using: &random)
        buy(from: now, offer: offer)
        if offer { history.introductoryOfferTransaction = items.last?.transactionIdentifier }
    }

    private mutating func upgrade() {
        items[items.count - 1].isUpgraded = true
        buy(from: now, offer: false)
    }

    private mutating func expireOrRenew(at end: Timestamp) {
        var end = end
        while end <= now {
            guard Bool.random(using: &random) else {
                history.state = .expired
                return
            }
            buy(from: end, offer: false)
            end = history.activeUntil ?? now
        }
    }

    private mutating func refund() {
        guard let index = items.indices.randomElement(using: &random), items[index].cancellationDate == nil else {
            return
        }
        items[index].cancellationDate = now
        if index == items.count - 1 { history.state = .revoked }
    }

    private mutating func buy(from start: Timestamp, offer: Bool) {
        let end = start + .seconds(Int64.random(in: 10...120, using: &random))
        let isTrial = offer && Bool.random(using: &random)
        let identifier = "\(items.count + 1)"
        items.append(
            with(
                ReceiptItem(
                    transactionIdentifier: identifier, originalTransactionIdentifier: "1",
                    productIdentifier: Bool.random(using: &random) ? "pro.monthly" : "pro.yearly", type: .autoRenewable,
                    quantity: 1, purchaseDate: start, originalPurchaseDate: start, expiresDate: end,
                    subscriptionGroupIdentifier: Bool.random(using: &random) ? "pro" : nil)
            ) {
                $0.isTrialPeriod = isTrial
                $0.isInIntroOfferPeriod = offer && !isTrial
            })
        history.state = .subscribed
        history.activeUntil = end
        history.activeTransaction = identifier
    }

    /// The items as a receipt has them, in no order.
    mutating func shuffledItems() -> [ReceiptItem] { items.shuffled(using: &random) }
}
