import StoreModels

/// A renewal's charge in progress, with everything it was decided on.
///
/// It is written before the processor is asked, so a later try, by any replica, asks about the same charge.
///
/// ```json
/// {"chargeKey":"renew:t_…:1","identifier":"2000000000000002","period":1,
///  "product":"com.example.pro.monthly","terms":{…},"at":"2026-12-28T10:00:00.000Z","hasGrace":false}
/// ```
struct RenewalAttempt: Hashable, Sendable, Codable {
    /// `renew:<id of the first transaction>:<period>`, followed by `:<n>` from the second try of a period on.
    var chargeKey: String
    /// The identifier of the transaction an approval creates.
    ///
    /// Identifiers are taken in the order in which renewals fall due, so that a clock moved twice the same way gives
    /// the same identifiers, in any order of the processor's replies. A refusal leaves it unused. Free renewals, and
    /// attempts of older stores, have none and take theirs at the end.
    var identifier: String?
    /// The index of the period it pays.
    var period: Int
    /// The product it pays.
    var product: String
    var terms: PurchaseTerms
    /// The number of later periods of the offer.
    var offerLeft: Int
    /// The instant of the renewal, by the app's clock.
    var at: Timestamp
    /// Whether the app's subscriptions have a grace period.
    var hasGrace: Bool
    /// The price of the period before, if the regular price has changed.
    var formerPrice: Money?
    /// A higher price the subscriber was not asked about in time, if any.
    ///
    /// This period has the former price, the next one the new one.
    var asks: PriceIncrease?

    private static let prefix = "renew:"

    /// Makes the key of the next period's charge.
    ///
    /// A decline gives the next try another key, but an unknown outcome does not.
    static func chargeKey(of value: StoredSubscription) -> String {
        let key = "\(prefix)\(value.originalID):\(value.period.index + 1)"
        return value.retry.count == 0 ? key : "\(key):\(value.retry.count + 1)"
    }

    /// Returns the `id` of the first transaction of a renewal's charge key.
    /// - Returns: Nil for any other key.
    static func originalID(ofChargeKey key: String) -> String? {
        guard key.hasPrefix(prefix) else { return nil }
        return key.dropFirst(prefix.count).split(separator: ":").first.map(String.init)
    }

    func renewal(id: String, identifier: String) throws(StoreError) -> SubscriptionRenewal {
        guard let subscription = terms.subscription else {
            throw StoreError(.internal, "a renewal of a product that is not a subscription")
        }
        return SubscriptionRenewal(id: id, identifier: identifier, attempt: self, terms: subscription)
    }
}

/// One change to make to one subscription.
struct RenewalJob: Hashable, Sendable {
    enum Work: Hashable, Sendable {
        /// Ask the processor about this fixed charge, and write its reply.
        case charge(RenewalAttempt)
        /// Write a period that costs nothing.
        case free(RenewalAttempt)
        case change(SubscriptionTransition)
    }

    /// The subscription as it was read, or fixed.
    var value: StoredSubscription
    var work: Work
    /// The instant of the change, by the app's clock.
    var at: Timestamp
}

/// The outcome of a job.
enum RenewalOutcome: Hashable, Sendable {
    /// This job, or another writer before it, has changed the subscription.
    case done
    /// The outcome is unknown and nothing has changed. The job is tried again.
    case unknown
}
