/// One row of a customer's journal, and the body of the event that announces it:
///
/// ```json
/// {"bundleId":"com.example.app","customerIdentifier":"c_…","seq":7,"kind":"updated","transaction":{…}}
/// ```
/// `seq` has no gaps per customer. `transaction` is the transaction at that revision, so that a reader sees every state
/// in order even when it reads late. `Item` is the transaction, or its JSON as it is stored.
public struct CustomerChangeOf<Item: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// Counts the customer's changes, without gaps.
    public var seq: Int64
    /// Decides which of the members below are present.
    public var kind: CustomerChangeKind
    /// For `updated`, `removed`, `entitlementsRevoked` and `subscriptionChanged`.
    public var transaction: Item?
    /// For `restoreEnded`.
    public var restore: Restore?
    /// For `downloadsUpdated`, as they are for `deviceId`.
    public var downloads: [Download]?
    /// For `entitlementsRevoked`.
    public var productIdentifiers: [String]?
    /// For `restoreEnded` and `downloadsUpdated`, the only device that is notified.
    public var deviceId: String?
    /// The event that the change is in the store's log. Nil for a change of this customer only.
    public var event: StoreEvent.Kind?
}

public typealias CustomerChange = CustomerChangeOf<PaymentTransaction>

/// The kind of a change.
public enum CustomerChangeKind: String, Sendable, Codable {
    /// A transaction is new or has another state.
    case updated
    /// The transaction left the queue on every device. The app finished it, or an operator deleted it.
    case removed
    /// A restore has ended. Every transaction it restored comes before it.
    case restoreEnded
    /// Downloads of one device have changed their state.
    case downloadsUpdated
    /// The customer's entitlements to products were revoked.
    case entitlementsRevoked
    /// A subscription or a finished transaction has changed, without a new state of a transaction. Streams report a
    /// price that waits for consent. Those of StoreKit 2 report all of it.
    case subscriptionChanged
}

extension CustomerChangeOf {
    public typealias Kind = CustomerChangeKind

    /// Returns the same change with its transaction in another form.
    public func carrying<Other>(_ transaction: Other?) -> CustomerChangeOf<Other> {
        CustomerChangeOf<Other>(
            bundleId: bundleId, customerIdentifier: customerIdentifier, seq: seq, kind: kind, transaction: transaction,
            restore: restore, downloads: downloads, productIdentifiers: productIdentifiers, deviceId: deviceId,
            event: event)
    }
}

extension CustomerChange {
    /// Creates the change for the end of a restore.
    public init(bundleId: String, customerIdentifier: String, seq: Int64, restore: Restore, deviceId: String) {
        self.init(
            bundleId: bundleId, customerIdentifier: customerIdentifier, seq: seq, kind: .restoreEnded, restore: restore,
            deviceId: deviceId)
    }

    /// Creates the change of downloads.
    public init(bundleId: String, customerIdentifier: String, seq: Int64, downloads: [Download], deviceId: String) {
        self.init(
            bundleId: bundleId, customerIdentifier: customerIdentifier, seq: seq, kind: .downloadsUpdated,
            downloads: downloads, deviceId: deviceId)
    }

    /// Creates the change for revoked entitlements, which every device of the customer receives.
    public init(
        bundleId: String, customerIdentifier: String, seq: Int64, revoked productIdentifiers: [String],
        transaction: PaymentTransaction
    ) {
        self.init(
            bundleId: bundleId, customerIdentifier: customerIdentifier, seq: seq, kind: .entitlementsRevoked,
            transaction: transaction, productIdentifiers: productIdentifiers)
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
