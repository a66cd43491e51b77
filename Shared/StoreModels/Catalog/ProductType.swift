/// The four kinds of in-app purchase, as the HTTP API spells them.
public enum ProductType: String, CaseIterable, Sendable, Codable {
    case consumable
    case nonConsumable
    case nonRenewable
    case autoRenewable

    /// Whether `restoreCompletedTransactions` brings it back (M39).
    public var isRestorable: Bool { self == .nonConsumable || self == .autoRenewable }
}
