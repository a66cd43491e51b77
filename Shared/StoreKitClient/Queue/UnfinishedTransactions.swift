internal import StoreModels

/// The queue's unfinished transactions, whose revisions are delivered once and in order (M21).
///
/// A pure state machine: its input is the app's calls and the store's events, its output ``Change``s in the order of
/// delivery. Only the stream brings states, so one source decides their order. The response to a payment only
/// identifies its transaction.
struct UnfinishedTransactions: Sendable {
    enum Change: Equatable, Sendable {
        case updated([QueuedTransaction])
        case removed([QueuedTransaction])
        case downloads([Download])
    }

    /// The next step of finishing a transaction.
    enum Finish: Equatable, Sendable {
        /// The store is to finish the transaction of this `id`.
        case ask(String)
        /// The transaction never reached the store and was removed.
        case done([Change])
        /// The transaction is finished or being finished.
        case nothing
    }

    private let deviceId: String
    private var order: [String] = []
    private var entries: [String: QueuedTransaction] = [:]
    /// The payments without an `id` of the store: key → identity.
    private var unnamed: [String: String] = [:]
    /// The store's `id` → identity, where the two differ.
    private var identities: [String: String] = [:]
    private var finishing: Set<String> = []
    private var finished = BoundedSet<String>(count: ClientLimits.finishedMax)
    /// The known transactions that a beginning stream has not brought yet. Nil after its beginning.
    private var missing: Set<String>?

    init(deviceId: String) { self.deviceId = deviceId }

    /// The unfinished transactions, oldest first.
    var transactions: [QueuedTransaction] { order.compactMap { entries[$0] } }

    /// The transaction with this number. Nil without one.
    func transaction(_ number: UInt64) -> QueuedTransaction? { transactions.first { $0.model.number == number } }

    /// The payments' keys by the numbers of their transactions.
    var keysByNumber: [UInt64: String] {
        Dictionary(
            transactions.compactMap { entry in entry.model.number.map { ($0, entry.model.payment.requestIdentifier) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The number of payments without an `id` of the store.
    var unnamedCount: Int { unnamed.count }

    // MARK: Calls of the app

    /// Adds a payment. The observer is notified immediately (M37), and the store's event for the same state is not
    /// delivered.
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

    /// Records the transaction that the store made of a payment.
    mutating func name(key: String, id: String) {
        guard let identity = unnamed.removeValue(forKey: key) else { return }
        identities[id] = identity
        entries[identity]?.isLocal = false
        entries[identity]?.model.id = id
    }

    /// Fails a payment that the store refused.
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

    /// Begins to finish a transaction.
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

    /// Removes a transaction that the store has finished.
    mutating func finishAnswered(_ id: String) -> [Change] {
        finishing.remove(id)
        return leave(id)
    }

    /// Records that the store refused to finish a transaction. The app may try again.
    mutating func finishRefused(_ id: String) { finishing.remove(id) }

    /// Forgets the store's transactions after the last observer was removed. The next launch delivers them again (M50).
    mutating func endRun() {
        for entry in transactions where !entry.isLocal { remove(entry.identity) }
        missing = nil
    }

    // MARK: Events of the store

    /// Prepares for a new stream. It begins with every unfinished transaction, so one that it does not bring has left
    /// the queue.
    mutating func streamOpening() { missing = Set(transactions.filter { !$0.isLocal }.map(\.model.id)) }

    mutating func updated(_ models: [PaymentTransaction]) -> [Change] {
        var changed: [QueuedTransaction] = []
        var downloads: [Download] = []
        for model in models {
            missing?.remove(model.id)
            guard !finished.contains(model.id), !finishing.contains(model.id) else { continue }
            let known = entry(for: model)
            if let known, known.model.revision >= model.revision {
                downloads += accept(model.downloads, of: known.identity)
            } else if let entry = accept(model, over: known) {
                changed.append(entry)
            }
        }
        return (changed.isEmpty ? [] : [.updated(changed)]) + (downloads.isEmpty ? [] : [.downloads(downloads)])
    }

    mutating func removed(_ models: [PaymentTransaction]) -> [Change] { models.flatMap { leave($0.id) } }

    mutating func updated(_ downloads: [Download]) -> [Change] {
        let changed = downloads.filter { download in
            !accept([download], of: identity(of: download.transactionId)).isEmpty
        }
        return changed.isEmpty ? [] : [.downloads(changed)]
    }

    /// Removes transactions that the stream did not bring, after its beginning.
    mutating func synchronized() -> [Change] {
        defer { missing = nil }
        return order.compactMap { entries[$0]?.model.id }.filter { missing?.contains($0) ?? false }
            .flatMap { leave($0) }
    }

    // MARK: -

    private func identity(of id: String) -> String { identities[id] ?? id }

    /// Returns the entry of a transaction, connected with the payment of this queue.
    ///
    /// Transactions that replace an interrupted purchase or restore one have the same payment. They come after the
    /// payment's own transaction.
    private mutating func entry(for model: PaymentTransaction) -> QueuedTransaction? {
        let key = model.payment.requestIdentifier
        if unnamed[key] != nil, model.originDeviceId == deviceId, model.supersedes == nil,
            model.transactionState != .restored
        {
            name(key: key, id: model.id)
        }
        return entries[identity(of: model.id)]
    }

    /// - Returns: The transaction to deliver, or nil if its state was delivered before.
    private mutating func accept(
        _ model: PaymentTransaction, over known: QueuedTransaction?
    ) -> QueuedTransaction? {
        let entry = QueuedTransaction(identity: identity(of: model.id), model: model, isLocal: false)
        insert(entry)
        // The observer received this state when the payment was added, or before a storefront change.
        if let known, known.model.transactionState == model.transactionState, model.transactionState.isOpen {
            return nil
        }
        return entry
    }

    /// - Returns: The changed downloads.
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

    /// Removes a transaction permanently (M54).
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
    /// Whether the transaction has not ended yet. Such a state is delivered once, even when the store adds to the
    /// transaction.
    fileprivate var isOpen: Bool { self == .purchasing || self == .deferred }
}

/// A transaction in the queue: the store's latest revision, or the library's own before the store has responded.
struct QueuedTransaction: Hashable, Sendable {
    /// The identity, fixed from the first callback on: the store's `id`, or the payment's key if it was added here.
    let identity: String
    var model: PaymentTransaction
    /// Whether the store has no `id` for it yet. The payment is on its way, or failed before it arrived.
    var isLocal: Bool
    /// The error of a local failure. An error of the store is in the model.
    var failure: SKError?

    static func == (left: QueuedTransaction, right: QueuedTransaction) -> Bool {
        left.identity == right.identity && left.model == right.model && left.isLocal == right.isLocal
    }
    func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension PaymentTransaction {
    /// The transaction's number, which signed data names it by. Nil without one.
    var number: UInt64? { transactionIdentifier.flatMap { UInt64($0) } }
}

extension QueuedTransaction {
    /// A signed transaction that the queue does not have. The store finishes it by its number.
    init(finishing transaction: Transaction) {
        let model = PaymentTransaction(
            id: "\(transaction.id)", transactionIdentifier: "\(transaction.id)", transactionState: .purchased,
            payment: Payment(requestIdentifier: "", productIdentifier: transaction.productID), revision: 0,
            originDeviceId: "")
        self.init(identity: model.id, model: model, isLocal: false)
    }
}
