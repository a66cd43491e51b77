internal import StoreModels

/// A transaction as the queue knows it: what the store said last, or what the library says until the store does.
struct QueuedTransaction: Hashable, Sendable {
    /// The same from the first callback on: the store's `id`, or the payment's key where the library spoke first.
    let identity: String
    var model: PaymentTransaction
    /// The store has not named it yet: it was added here and is on its way, or never arrived.
    var isLocal: Bool
    /// Why a local one failed. What the store says is in the model.
    var failure: SKError?

    static func == (left: QueuedTransaction, right: QueuedTransaction) -> Bool {
        left.identity == right.identity && left.model == right.model && left.isLocal == right.isLocal
    }
    func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
