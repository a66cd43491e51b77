/// A customer's subscriptions and introductory offers in one app, by product and by group.
///
/// The developer may change groups: an import renames, splits and merges them. So no fact is kept by group alone. A
/// purchase or offer counts for its product, for every group the product was bought in, and for the group it is in
/// today.
///
/// ```json
/// {"subscriptions":[{"originalTransactionIdentifier":"2000000000000001","productIdentifier":"pro.monthly",
///   "groups":["21378123"],"activeUntil":"2026-12-21T10:00:00.000Z","activeTransaction":"2000000000000004",
///   "state":"subscribed","isRenewalDue":false}],
///  "offers":[{"productIdentifier":"pro.monthly","groups":["21378123"],"transactionIdentifier":"2000000000000001"}]}
/// ```
public struct SubscriptionHistory: Hashable, Sendable, Codable {
    /// One subscription, from its first transaction on.
    public struct Entry: Hashable, Sendable, Codable {
        /// The subscription's first transaction, decimal digits.
        public var originalTransactionIdentifier: String
        /// Its product now, or at its end.
        public var productIdentifier: String
        /// Every group it was paid in.
        public var groups: [String]
        /// The end of access, grace and billing retry included.
        public var activeUntil: Timestamp?
        /// The latest transaction.
        public var activeTransaction: String?
        /// As the subscription was when the history was read.
        public var state: SubscriptionState
        /// As ``SubscriptionGroupHistory/isRenewalDue``.
        public var isRenewalDue: Bool = false
    }

    /// An introductory offer that was used, or is held by a payment in flight.
    public struct Offer: Hashable, Sendable, Codable {
        /// The product whose offer it was.
        public var productIdentifier: String
        /// Every group the product was bought in.
        public var groups: [String]
        /// Nil while a payment holds it.
        public var transactionIdentifier: String?
    }

    /// Every subscription the customer ever had in the app.
    public var subscriptions: [Entry] = []
    /// Used and held introductory offers, at most one per product.
    public var offers: [Offer] = []
}

extension SubscriptionHistory {
    /// A product in its group of today, which history is asked about.
    public struct Question: Sendable {
        /// The product the offer belongs to.
        public let productIdentifier: String
        /// The product's subscription group today.
        public let group: String
        /// Whether another product is in the same group today, for sale or not.
        let sharesGroup: @Sendable (String) -> Bool

        /// Creates a question. `sharesGroup` answers from the catalogue in force.
        public init(
            of productIdentifier: String, inGroup group: String,
            sharesGroup: @escaping @Sendable (String) -> Bool
        ) {
            self.productIdentifier = productIdentifier
            self.group = group
            self.sharesGroup = sharesGroup
        }

        /// Whether events of a product count for the question.
        fileprivate func concerns(_ product: String, _ groups: [String]) -> Bool {
            product.isExactly(productIdentifier)
                || groups.contains { $0.isExactly(group) } || sharesGroup(product)
        }
    }

    /// The history that counts for a product, or nil without one.
    /// - Parameter now: The app's business clock.
    public func group(of question: Question, at now: Timestamp) -> SubscriptionGroupHistory? {
        let offers = offers.filter { question.concerns($0.productIdentifier, $0.groups) }
        let entry = subscription(of: question, at: now)
        guard entry != nil || !offers.isEmpty else { return nil }
        let used = offers.filter { $0.transactionIdentifier != nil }.min(by: Self.isEarlier)
        var group =
            entry.map { Self.group(question.group, $0) }
            ?? SubscriptionGroupHistory(subscriptionGroupIdentifier: question.group)
        group.introductoryOfferTransaction = used?.transactionIdentifier
        group.introductoryOfferProduct = (used ?? offers.first)?.productIdentifier
        group.introductoryOfferReserved = used == nil && !offers.isEmpty
        return group
    }

    private static func group(_ group: String, _ entry: Entry) -> SubscriptionGroupHistory {
        SubscriptionGroupHistory(
            subscriptionGroupIdentifier: group, activeUntil: entry.activeUntil,
            activeTransaction: entry.activeTransaction, state: entry.state, isRenewalDue: entry.isRenewalDue)
    }

    /// The subscription that a purchase of a product continues or changes. Merged groups may lead to several: active
    /// ones come first, then those of the product itself, then the one that lasts longest.
    public func subscription(of question: Question, at now: Timestamp) -> Entry? {
        subscriptions.filter { question.concerns($0.productIdentifier, $0.groups) }
            .max { Self.rank($0, question, now).lexicographicallyPrecedes(Self.rank($1, question, now)) }
    }

    private static func rank(_ entry: Entry, _ question: Question, _ now: Timestamp) -> [Int64] {
        let isSameProduct = entry.productIdentifier.isExactly(question.productIdentifier)
        let isSubscribed = if case .existing = group("", entry).status(at: now) { true } else { false }
        return [
            isSubscribed ? 1 : 0, isSameProduct ? 1 : 0, entry.activeUntil?.milliseconds ?? .min,
            Int64(entry.originalTransactionIdentifier) ?? 0,
        ]
    }

    /// Identifiers grow with time, and a shorter decimal is a smaller one.
    private static func isEarlier(_ left: Offer, _ right: Offer) -> Bool {
        let (left, right) = (left.transactionIdentifier ?? "", right.transactionIdentifier ?? "")
        return (left.utf8.count, left) < (right.utf8.count, right)
    }
}
