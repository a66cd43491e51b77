import Foundation
internal import StoreModels

/// A transaction in the queue, as it was when the observer was told.
///
/// It does not change in the observer's hands: a new state is a new object, and two objects of one transaction are equal,
/// so `==`, `contains` and dictionaries see one transaction through all its states.
public final class SKPaymentTransaction: NSObject, Sendable {
    let queued: QueuedTransaction
    /// Of hosted products; empty otherwise.
    public let downloads: [SKDownload]

    init(_ queued: QueuedTransaction, downloads: [SKDownload]) {
        self.queued = queued
        self.downloads = downloads
    }

    private var model: PaymentTransaction { queued.model }

    public var transactionState: SKPaymentTransactionState { SKPaymentTransactionState(model.transactionState) }
    /// Nil except in `.purchased` and `.restored`.
    public var transactionIdentifier: String? { model.transactionIdentifier }
    /// Nil except in `.purchased` and `.restored`.
    public var transactionDate: Date? { model.transactionDate?.date }
    public var payment: SKPayment { SKPayment(PaymentFields(model.payment)) }
    /// An ``SKError`` in `.failed`; nil in every other state.
    public var error: (any Error)? { queued.failure ?? model.error.map { SKError($0) } }
    /// What was bought first: of restored transactions and of renewals.
    public var original: SKPaymentTransaction? {
        guard let original = model.original?.transaction else { return nil }
        return SKPaymentTransaction(
            QueuedTransaction(identity: original.id, model: original, isLocal: false), downloads: [])
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SKPaymentTransaction)?.queued.identity == queued.identity
    }
    public override var hash: Int { queued.identity.hashValue }

    public override var description: String {
        "<SKPaymentTransaction \(model.id) \(model.transactionState) \(model.payment.productIdentifier)>"
    }
}
