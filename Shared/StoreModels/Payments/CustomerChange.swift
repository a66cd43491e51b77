/// One row of a customer's journal, and the body of the event that announces it:
///
/// ```json
/// {"bundleId":"com.example.app","customerIdentifier":"c_…","seq":7,"kind":"updated","transaction":{…}}
/// ```
/// `seq` has no gaps per customer; `transaction` is the transaction at that revision, so that a reader sees every state
/// in order even when it reads late.
public struct CustomerChange: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable {
        case updated
        /// The transaction left the queue on every device: it was finished, or an operator has cleared it away.
        case removed
        /// A restore has ended; every transaction it restored comes before it.
        case restoreEnded
        /// Downloads of one device have changed their state.
        case downloadsUpdated
        /// The customer has lost what these products gave.
        case entitlementsRevoked
        /// A subscription has changed in a way no transaction's state shows; streams report a price that waits for
        /// consent.
        case subscriptionChanged
    }

    public var bundleId: String
    public var customerIdentifier: String
    public var seq: Int64
    public var kind: Kind
    /// Of `updated`, `removed`, `entitlementsRevoked` and `subscriptionChanged`.
    public var transaction: PaymentTransaction?
    /// Of `restoreEnded`.
    public var restore: Restore?
    /// Of `downloadsUpdated`, as they are for `deviceId`.
    public var downloads: [Download]?
    /// Of `entitlementsRevoked`.
    public var productIdentifiers: [String]?
    /// The only device that is notified, of `restoreEnded` and `downloadsUpdated`.
    public var deviceId: String?

    /// A transaction was updated or removed.
    public init(
        bundleId: String, customerIdentifier: String, seq: Int64, kind: Kind, transaction: PaymentTransaction
    ) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.seq = seq
        self.kind = kind
        self.transaction = transaction
    }

    /// A restore has ended.
    public init(bundleId: String, customerIdentifier: String, seq: Int64, restore: Restore, deviceId: String) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.seq = seq
        self.kind = .restoreEnded
        self.restore = restore
        self.deviceId = deviceId
    }

    /// Downloads have changed.
    public init(bundleId: String, customerIdentifier: String, seq: Int64, downloads: [Download], deviceId: String) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.seq = seq
        self.kind = .downloadsUpdated
        self.downloads = downloads
        self.deviceId = deviceId
    }

    /// Entitlements are gone; every device of the customer is notified.
    public init(
        bundleId: String, customerIdentifier: String, seq: Int64, revoked productIdentifiers: [String],
        transaction: PaymentTransaction
    ) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.seq = seq
        self.kind = .entitlementsRevoked
        self.transaction = transaction
        self.productIdentifiers = productIdentifiers
    }

    /// Whether the device's stream forwards this change.
    public func isVisible(to deviceId: String) -> Bool {
        if let onlyDevice = self.deviceId { return onlyDevice.isExactly(deviceId) }
        return switch kind {
        case .entitlementsRevoked: true
        case .subscriptionChanged: transaction?.priceIncrease?.status == .pending
        case .updated, .removed, .restoreEnded, .downloadsUpdated: transaction?.isVisible(to: deviceId) ?? false
        }
    }
}
