import Foundation
internal import StoreModels

/// The queue's unfinished transactions, and the pending notifications of an observer (M21: each revision once, in
/// order).
///
/// A pure state machine: the app's calls and the store's events go in, ``Change``s come out in the order of delivery.
/// Only the stream brings states, so one source decides their order; the answer to a payment says which transaction it
/// became, and nothing else.
struct TransactionTable: Sendable {
    enum Change: Equatable, Sendable {
        case updated([QueuedTransaction])
        case removed([QueuedTransaction])
        case downloads([Download])
    }

    /// What finishing a transaction takes.
    enum Finish: Equatable, Sendable {
        /// Ask the store to finish the transaction of this `id`.
        case ask(String)
        /// It never reached the store.
        case done([Change])
        /// It is finished, or is being finished.
        case nothing
    }

    private let deviceId: String
    private var order: [String] = []
    private var entries: [String: QueuedTransaction] = [:]
    /// Payments the store has not named yet: key → identity.
    private var unnamed: [String: String] = [:]
    /// The store's `id` → identity, where the two differ.
    private var identities: [String: String] = [:]
    private var finishing: Set<String> = []
    private var finished = BoundedSet<String>(count: ClientLimits.finishedMax)
    /// While a stream begins: what was known before it and has not come again.
    private var missing: Set<String>?

    init(deviceId: String) { self.deviceId = deviceId }

    /// All of them, oldest first.
    var transactions: [QueuedTransaction] { order.compactMap { entries[$0] } }

    /// How many payments the store has not named yet.
    var unnamedCount: Int { unnamed.count }

    // MARK: What the app does

    /// A payment was added. The observer is notified immediately (M37); the store's own event for it is not delivered
    /// again.
    mutating func add(_ payment: Payment) -> [Change] {
        let identity = "payment:\(payment.requestIdentifier)"
        let entry = QueuedTransaction(
            identity: identity,
            model: PaymentTransaction(
                id: identity, transactionState: .purchasing, payment: payment, revision: 0, originDeviceId: deviceId),
            isLocal: true)
        unnamed[payment.requestIdentifier] = identity
        insert(entry)
        return [.updated([entry])]
    }

    /// The store has answered which transaction a payment became.
    mutating func name(key: String, id: String) {
        guard let identity = unnamed.removeValue(forKey: key) else { return }
        identities[id] = identity
        entries[identity]?.isLocal = false
        entries[identity]?.model.id = id
    }

    /// The store will not make a transaction of the payment, and has not.
    mutating func refuse(key: String, _ error: SKError) -> [Change] {
        guard let identity = unnamed.removeValue(forKey: key), var entry = entries[identity] else { return [] }
        entry.model.transactionState = .failed
        entry.model.revision = 1
        entry.model.error = TransactionError(
            StoreModels.SKErrorCode(rawValue: error.code.rawValue) ?? .unknown, error.localizedDescription)
        entry.failure = error
        entries[identity] = entry
        return [.updated([entry])]
    }

    /// The app is done with a transaction.
    mutating func finish(_ transaction: QueuedTransaction) -> Finish {
        let identity = transaction.identity
        if let entry = entries[identity], entry.isLocal {
            remove(identity)
            return .done([.removed([entry])])
        }
        let id = entries[identity]?.model.id ?? transaction.model.id
        guard !finished.contains(id), finishing.insert(id).inserted else { return .nothing }
        return .ask(id)
    }

    /// The store has taken it out of the queue, or knows that it is out.
    mutating func finishAnswered(_ id: String) -> [Change] {
        finishing.remove(id)
        return leave(id)
    }

    /// The store does not let it go. The app may try again.
    mutating func finishRefused(_ id: String) { finishing.remove(id) }

    /// The last observer is gone: what the store said is forgotten, and delivered again at the next launch (M50).
    mutating func endRun() {
        for entry in transactions where !entry.isLocal { remove(entry.identity) }
        missing = nil
    }

    // MARK: What the store says

    /// A stream is asked for. It begins with everything unfinished, so what does not come again has left the queue.
    mutating func streamOpening() { missing = Set(transactions.filter { !$0.isLocal }.map(\.model.id)) }

    mutating func updated(_ models: [PaymentTransaction]) -> [Change] {
        var told: [QueuedTransaction] = []
        var downloads: [Download] = []
        for model in models {
            missing?.remove(model.id)
            guard !finished.contains(model.id), !finishing.contains(model.id) else { continue }
            let known = entry(for: model)
            if let known, known.model.revision >= model.revision {
                downloads += accept(model.downloads, of: known.identity)
            } else if let entry = accept(model, over: known) {
                told.append(entry)
            }
        }
        return (told.isEmpty ? [] : [.updated(told)]) + (downloads.isEmpty ? [] : [.downloads(downloads)])
    }

    mutating func removed(_ models: [PaymentTransaction]) -> [Change] { models.flatMap { leave($0.id) } }

    mutating func updated(_ downloads: [Download]) -> [Change] {
        let changed = downloads.filter { download in
            !accept([download], of: identity(of: download.transactionId)).isEmpty
        }
        return changed.isEmpty ? [] : [.downloads(changed)]
    }

    /// The stream has brought everything there is.
    mutating func synchronized() -> [Change] {
        defer { missing = nil }
        return order.compactMap { entries[$0]?.model.id }.filter { missing?.contains($0) ?? false }
            .flatMap { leave($0) }
    }

    // MARK: -

    private func identity(of id: String) -> String { identities[id] ?? id }

    /// The entry a model belongs to; names the payment it was, if this queue added it.
    ///
    /// A payment comes back in other transactions too: in what replaces an interrupted purchase, in what is restored.
    /// Those come after the one the payment itself became.
    private mutating func entry(for model: PaymentTransaction) -> QueuedTransaction? {
        let key = model.payment.requestIdentifier
        if unnamed[key] != nil, model.originDeviceId == deviceId, model.supersedes == nil,
            model.transactionState != .restored
        {
            name(key: key, id: model.id)
        }
        return entries[identity(of: model.id)]
    }

    /// - Returns: What is delivered to the observer; nil when it was delivered before.
    private mutating func accept(
        _ model: PaymentTransaction, over known: QueuedTransaction?
    ) -> QueuedTransaction? {
        let entry = QueuedTransaction(identity: identity(of: model.id), model: model, isLocal: false)
        insert(entry)
        // The observer heard of it when the payment was added, or before the store asked about another storefront.
        if let known, known.model.transactionState == model.transactionState, model.transactionState.isOpen {
            return nil
        }
        return entry
    }

    /// - Returns: Those that have changed.
    private mutating func accept(_ downloads: [Download], of identity: String) -> [Download] {
        guard let known = entries[identity]?.model.downloads else { return [] }
        var changed: [Download] = []
        for download in downloads {
            guard let index = known.firstIndex(where: { $0.id == download.id }), known[index] != download else {
                continue
            }
            entries[identity]?.model.downloads[index] = download
            changed.append(download)
        }
        return changed
    }

    /// A transaction has left the queue, for good (M54).
    private mutating func leave(_ id: String) -> [Change] {
        finished.insert(id)
        missing?.remove(id)
        let identity = identity(of: id)
        guard let entry = entries[identity] else { return [] }
        remove(identity)
        return [.removed([entry])]
    }

    private mutating func insert(_ entry: QueuedTransaction) {
        if entries.updateValue(entry, forKey: entry.identity) == nil { order.append(entry.identity) }
    }

    private mutating func remove(_ identity: String) {
        guard let entry = entries.removeValue(forKey: identity) else { return }
        order.removeAll { $0 == identity }
        identities[entry.model.id] = nil
        unnamed[entry.model.payment.requestIdentifier] = nil
    }
}

extension TransactionState {
    /// The transaction has no result yet. Such a state is delivered once, regardless of what else the store adds to the
    /// transaction.
    fileprivate var isOpen: Bool { self == .purchasing || self == .deferred }
}

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
