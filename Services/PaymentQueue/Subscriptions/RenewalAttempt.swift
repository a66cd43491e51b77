import StoreModels

/// A charge of a renewal that is under way, with all it was decided on. It is written before the processor is asked, so
/// a later try, by any replica, asks about the same charge.
///
/// ```json
/// {"chargeKey":"renew:2000000000000001:1","identifier":"2000000000000002","period":1,
///  "product":"com.example.pro.monthly","terms":{…},"at":"2026-12-28T10:00:00.000Z","hasGrace":false}
/// ```
struct RenewalAttempt: Hashable, Sendable, Codable {
    /// `renew:<original identifier>:<period>`, with `:<n>` behind it from the second try of a period on.
    var chargeKey: String
    /// The identifier of the transaction an approval creates. Identifiers are taken in the order in which renewals fall
    /// due, so that a clock moved twice the same way gives the same identifiers, in any order of the processor's
    /// answers. A refusal leaves it unused; free renewals, and attempts of older stores, have none and take theirs at
    /// the end.
    var identifier: String?
    /// The period it pays.
    var period: Int
    var product: String
    var terms: PurchaseTerms
    /// Of the offer, the periods left behind this one.
    var offerLeft: Int
    /// As of when it happens, by the app's clock.
    var at: Timestamp
    var hasGrace: Bool
    /// What the period before cost, where the regular price is another one now.
    var formerPrice: Money?
    /// The subscriber has to agree to a higher price, and was not asked in time: the next period has it.
    var asks: PriceIncrease?

    private static let prefix = "renew:"

    /// A definitive no gives the next try a key of its own; an unknown outcome does not.
    static func chargeKey(of value: StoredSubscription) -> String {
        let key = "\(prefix)\(value.originalIdentifier):\(value.period.index + 1)"
        return value.retryCount == 0 ? key : "\(key):\(value.retryCount + 1)"
    }

    /// The subscription a charge key of ours is about, by its first transaction's identifier.
    /// - Returns: Nil for a key this service did not make.
    static func originalIdentifier(ofChargeKey key: String) -> String? {
        guard key.hasPrefix(prefix) else { return nil }
        return key.dropFirst(prefix.count).split(separator: ":").first.map(String.init)
    }

    func renewal(id: String, identifier: String) throws(StoreError) -> SubscriptionRenewal {
        guard let subscription = terms.subscription else {
            throw StoreError(.internal, "a renewal of something that is no subscription")
        }
        return SubscriptionRenewal(
            id: id, identifier: identifier, product: product, group: subscription.group,
            price: subscription.price, asks: asks, level: subscription.level, length: subscription.length,
            chargeKey: terms.isFree ? nil : chargeKey, amount: terms.amount,
            offer: terms.offer.map { .init(applied: $0, amount: terms.amount, periodsLeft: offerLeft) },
            formerPrice: formerPrice)
    }
}
