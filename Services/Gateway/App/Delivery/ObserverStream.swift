import BusClient
import EventLoop
import GatewayEdge
import StoreHTTP
import StoreModels

/// One open stream: a ``DeliveryMachine``, its outgoing events, and the one task that sends them.
///
/// The bus delivers hints and heads, and the hub ticks. The task takes one ``Step`` after the other. A read begins only
/// after all earlier events were written, so a slow observer delays only itself.
final class ObserverStream: Sendable {
    /// The sending task's next step.
    enum Step: Sendable {
        case write([UInt8])
        case read(DeliveryMachine.Need)
        /// Requests the pending purchase intents.
        case askForIntents
        /// Has changes signed, beside the steps that follow.
        case sign([LiveChange])
        /// The last step: the stream ends in good order.
        case end
    }

    fileprivate struct State {
        var machine: DeliveryMachine
        var intents: IntentDelivery
        var signing = SigningQueue()
        var outbox: [[UInt8]] = []
        var pendingBytes = 0
        var isEnding = false
        /// Services the stream currently runs without, by name.
        var degraded: Set<String> = []
        var commentDue: ContinuousClock.Instant
        var waiter: CheckedContinuation<Void, Never>?
        /// The storefront of the last queued storefront event. Nil without one.
        var storefrontQueued: String?
        /// The storefront of the last storefront event in the current write. Nil without one.
        var storefrontInWrite: String?
        var acknowledgements = Acknowledgements()
        /// The launch that PromotionController does not know yet.
        var pendingLaunch: Session?
    }

    let session: Session
    let promotedPurchases: DeviceLaunch.PromotedPurchases
    /// Whether the app gets events about purchases that began in the store.
    let handlesIntents: Bool
    private let state: Locked<State>
    private let subscriptions = Locked<[any BusSubscription]>([])
    private let cut: @Sendable () -> Void
    private let forget: @Sendable (ObserverStream.ID) -> Void
    private let onStorefrontSent: @Sendable (String) -> Void
    let id: ID

    typealias ID = UInt64

    /// - Parameters:
    ///   - tellsChanges: Whether live changes are sent in signed form, too.
    ///   - storefront: The storefront the observer's session or last stream had.
    ///   - cut: Closes the connection when too much waits for it.
    ///   - forget: Removes the stream from its hub.
    ///   - onStorefrontSent: Called with each storefront sent to the observer.
    init(
        id: ID, session: Session, promotedPurchases: DeviceLaunch.PromotedPurchases, tellsChanges: Bool = false,
        storefront: String,
        now: ContinuousClock.Instant, cut: @escaping @Sendable () -> Void, forget: @escaping @Sendable (ID) -> Void,
        onStorefrontSent: @escaping @Sendable (String) -> Void
    ) {
        self.id = id
        self.session = session
        self.promotedPurchases = promotedPurchases
        self.cut = cut
        self.forget = forget
        self.onStorefrontSent = onStorefrontSent
        let intents = IntentDelivery(promotedPurchases)
        handlesIntents = intents.isHandled
        let machine = DeliveryMachine(
            customer: session.customer, deviceId: session.deviceId, storefront: storefront,
            tellsIntents: intents.isHandled, tellsChanges: tellsChanges)
        state = Locked(
            State(machine: machine, intents: intents, commentDue: now + DeliveryLimits.commentInterval))
    }

    /// Releases the subscriptions of a stream whose response never began.
    deinit {
        forget(id)
        let owned = subscriptions.withLock { $0 }
        guard !owned.isEmpty else { return }
        // Unsubscribing waits for the broker, and a deinit cannot.
        Task { for subscription in owned { await subscription.unsubscribe() } }
    }

    /// Keeps a subscription that ends with the stream.
    func own(_ subscription: any BusSubscription) {
        subscriptions.withLock { $0.append(subscription) }
    }

    /// Ends the subscriptions. Idempotent.
    func close() async {
        forget(id)
        let owned = subscriptions.withLock { subscriptions in
            defer { subscriptions = [] }
            return subscriptions
        }
        for subscription in owned { await subscription.unsubscribe() }
    }

    /// Records a launch to announce to PromotionController before intents are requested.
    func registerLater(_ launch: Session) { state.withLock { $0.pendingLaunch = launch } }

    var pendingLaunch: Session? { state.withLock { $0.pendingLaunch } }

    func launchRegistered() { state.withLock { $0.pendingLaunch = nil } }

    /// The number of the last processed reply about the installation's intents.
    var intentPosition: Int64 { state.withLock { $0.intents.position } }

    /// The stream's position in its customer's journal.
    var position: Int64 { state.withLock { $0.machine.position } }

    /// The storefront last sent to the observer, ISO 3166-1 alpha-3.
    var storefront: String { state.withLock { $0.machine.storefront } }

    /// Waits for the next step. Only one task may call it. The stream ends when that task is cancelled.
    func next() async -> Step {
        while true {
            if let step = takeStep() { return step }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in park(continuation) }
            } onCancel: {
                end()
            }
        }
    }

    /// Whether the current write contains notices that PaymentQueue keeps until they are read.
    var isWritingNotices: Bool { state.withLock { $0.acknowledgements.isWriting } }

    /// The notices written while the reader was connected.
    var written: [Acknowledgements.Notice] { state.withLock { $0.acknowledgements.written } }

    /// Records that the connection has taken the whole write.
    /// - Parameter isRead: Whether the reader was still connected.
    func writeEnded(isRead: Bool = true) {
        let storefront = state.withLock { state in
            state.acknowledgements.wereWritten(isRead: isRead)
            defer { state.storefrontInWrite = nil }
            return state.storefrontInWrite
        }
        if let storefront { onStorefrontSent(storefront) }
    }

    func receive(_ page: Snapshot) {
        update { state in
            state.degraded.remove(Self.payments)
            return state.machine.receive(page)
        }
    }

    func receive(_ reply: ChangesReply) {
        update { state in
            state.degraded.remove(Self.payments)
            return state.machine.receive(reply)
        }
    }

    func receive(_ storefront: Storefront) {
        update { state in
            let events = state.machine.receive(storefront)
            if !events.isEmpty { state.storefrontQueued = storefront.countryCode }
            return events
        }
    }

    func receive(hint change: CustomerChange) {
        update { $0.machine.receive(hint: change) }
    }

    func receive(head: Int64, askedAt position: Int64) {
        update { state in
            state.degraded.remove(Self.payments)
            state.machine.receive(head: head, askedAt: position)
            return []
        }
    }

    /// Processes the pending purchases that began in the store.
    func receive(_ reply: DeliverIntentsReply) {
        update { state in
            state.degraded.remove(Self.promotions)
            let events = state.intents.receive(reply, at: state.machine.position)
            state.enqueue(events)
            return state.machine.intentsWereTold()
        }
    }

    func receive(intentHint seq: Int64) {
        update { state in
            state.intents.receive(hint: seq)
            return []
        }
    }

    func receive(intentHead: Int64, askedAt position: Int64) {
        update { state in
            state.degraded.remove(Self.promotions)
            state.intents.receive(head: intentHead, askedAt: position)
            return []
        }
    }

    /// Processes the signed form of the first changes that waited for it.
    func receive(_ signed: SignedChanges, of changes: [LiveChange]) {
        update { state in
            state.degraded.remove(Self.receipts)
            state.signing.wereSigned()
            for event in SignedEvent.events(of: changes, signed, for: session.deviceId) {
                // Events consist of values decoded from JSON, so encoding cannot fail.
                if let bytes = try? StreamEventEncoder.bytes(event) { state.enqueue(bytes) }
            }
            return []
        }
    }

    /// Keeps the changes for the next tick, because AppStoreServer did not sign them. Those of a deleted customer are
    /// dropped. A change that cannot be signed has the stream read everything again.
    func signingFailed(_ code: StoreErrorCode) {
        update { state in
            switch code {
            case .notFound:
                state.signing.drop()
                state.signing.wereSigned()
            case .serviceUnavailable, .deadlineExceeded:
                state.signing.wereNotTaken()
                state.degrade(Self.receipts)
            default:
                if !state.signing.wereRefused() { state.machine.resynchronize() }
                state.degrade(Self.receipts)
            }
            return []
        }
    }

    /// Opens the stream without intents after a failed request. They follow when PromotionController is back.
    func intentsFailed() {
        update { state in
            state.intents.failed()
            state.degrade(Self.promotions)
            return state.machine.intentsWereTold()
        }
    }

    /// Marks the stream as degraded, because the heads of intents could not be read.
    func intentHeadsFailed() {
        update { state in
            state.degrade(Self.promotions)
            return []
        }
    }

    /// Processes a failed read from PaymentQueue. A comment reports it immediately, and each further comment repeats
    /// it. A stream whose customer was deleted ends. Opening a new one fails with the reason.
    func readFailed(_ code: StoreErrorCode) {
        update { state in
            if state.machine.readFailed(code) {
                state.enqueue(ServerSentEventEncoder.comment("ended \(code)"))
                state.isEnding = true
            } else if code != .notFound {
                state.degrade(Self.payments)
            }
            return []
        }
    }

    /// Marks the stream as degraded: without heads, missing changes cannot be detected.
    func headsFailed() {
        update { state in
            state.degrade(Self.payments)
            return []
        }
    }

    /// Ends the stream, because a newer session of the installation took over.
    func supersede() {
        update { state in
            guard !state.isEnding, let bytes = try? StreamEventEncoder.superseded(seq: state.machine.position) else {
                return []
            }
            state.enqueue(bytes)
            state.isEnding = true
            return []
        }
    }

    /// Sends the queued events and ends.
    func end() {
        update { state in
            state.isEnding = true
            return []
        }
    }

    /// Queues a comment when one is due.
    func tick(now: ContinuousClock.Instant) {
        state.withLock { state in
            state.signing.wake()
            guard now >= state.commentDue else { return }
            state.commentDue = now + DeliveryLimits.commentInterval
            state.enqueue(ServerSentEventEncoder.comment(state.comment))
        }
        wake()
    }

    private static let payments = ServiceName.paymentQueue.degradedName ?? ""
    private static let promotions = ServiceName.promotionController.degradedName ?? ""
    private static let receipts = ServiceName.appStoreServer.degradedName ?? ""

    private func takeStep() -> Step? {
        state.withLock { state in
            if !state.outbox.isEmpty { return .write(state.takeAll()) }
            if state.isEnding { return .end }
            let unsigned = state.signing.ask()
            if !unsigned.isEmpty { return .sign(unsigned) }
            let need = state.machine.need
            if need == .intents || state.intents.isDue {
                state.intents.asks()
                return .askForIntents
            }
            return need == .nothing ? nil : .read(need)
        }
    }

    /// Changes the state, queues the resulting events, and wakes the task. A stream over its bound is cut.
    private func update(_ change: (inout State) -> [DeliveryMachine.Event]) {
        let isOver = state.withLock { state in
            let events = change(&state)
            guard !state.isEnding else { return false }
            for event in events {
                if case .changed(let change) = event {
                    if !state.signing.append(change) { state.machine.resynchronize() }
                    continue
                }
                // Events consist of values decoded from JSON, so encoding cannot fail.
                if let bytes = try? StreamEventEncoder.bytes(event) { state.enqueue(bytes) }
                if let notice = event.notice { state.acknowledgements.queue(notice) }
            }
            guard state.pendingBytes > DeliveryLimits.pendingBytesMax else { return false }
            state.dropAll()
            state.isEnding = true
            return true
        }
        if isOver { cut() }
        wake()
    }

    private func park(_ continuation: CheckedContinuation<Void, Never>) {
        let isNeeded = state.withLock { state in
            let isIdle =
                state.outbox.isEmpty && !state.isEnding && state.machine.need == .nothing && !state.intents.isDue
                && !state.signing.isDue
            if isIdle { state.waiter = continuation }
            return isIdle
        }
        if !isNeeded { continuation.resume() }
    }

    private func wake() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}

extension ObserverStream.State {
    /// The text of a comment.
    fileprivate var comment: String {
        degraded.isEmpty ? "alive" : "degraded \(degraded.sorted().joined(separator: " "))"
    }

    /// Sends a comment when a service becomes unavailable.
    fileprivate mutating func degrade(_ service: String) {
        guard degraded.insert(service).inserted else { return }
        enqueue(ServerSentEventEncoder.comment(comment))
    }

    fileprivate mutating func enqueue(_ events: [IntentDelivery.Event]) {
        guard !isEnding else { return }
        // Like the machine's events they consist of values decoded from JSON, so encoding cannot fail.
        for event in events {
            if let bytes = try? StreamEventEncoder.bytes(event) { enqueue(bytes) }
        }
    }

    fileprivate mutating func enqueue(_ bytes: [UInt8]) {
        outbox.append(bytes)
        pendingBytes += bytes.count
    }

    /// Takes everything queued, as one write.
    fileprivate mutating func takeAll() -> [UInt8] {
        let bytes = outbox.count == 1 ? outbox[0] : Array(outbox.joined())
        storefrontInWrite = storefrontQueued
        acknowledgements.areInWrite()
        dropAll()
        return bytes
    }

    fileprivate mutating func dropAll() {
        outbox.removeAll()
        pendingBytes = 0
        storefrontQueued = nil
    }
}

/// Writes the events of a customer's stream as server-sent events.
enum StreamEventEncoder {
    static func bytes(_ event: DeliveryMachine.Event) throws -> [UInt8] {
        switch event {
        case .updated(let seq, let transactions):
            try bytes(.updatedTransactions, seq, TransactionsEvent(seq: seq, transactions: transactions))
        case .removed(let seq, let transactions):
            try bytes(.removedTransactions, seq, TransactionsEvent(seq: seq, transactions: transactions))
        case .restoreEnded(let seq, let restore):
            try bytes(
                restore.state != .failed
                    ? .restoreCompletedTransactionsFinished : .restoreCompletedTransactionsFailedWithError, seq,
                RestoreEndEvent(seq: seq, restoreIdentifier: restore.restoreIdentifier, error: restore.error))
        case .downloadsUpdated(let seq, let downloads):
            try bytes(.updatedDownloads, seq, DownloadsEvent(seq: seq, downloads: downloads))
        case .storefrontChanged(let seq, let storefront):
            try bytes(.didChangeStorefront, seq, StorefrontEvent(seq: seq, storefront: storefront))
        case .entitlementsRevoked(let seq, let revocation):
            try bytes(
                .didRevokeEntitlementsForProductIdentifiers, seq,
                RevocationEvent(seq: seq, productIdentifiers: revocation.productIdentifiers))
        case .priceConsentPending(let seq, let question):
            try bytes(.shouldShowPriceConsent, seq, PriceConsentEvent(seq: seq, question))
        case .synchronized(let seq): try bytes(.synchronized, seq, PositionEvent(seq: seq))
        case .changed: preconditionFailure("a change is sent once it is signed")
        }
    }

    static func bytes(_ event: SignedEvent) throws -> [UInt8] {
        switch event {
        case .transaction(let event): try bytes(.signedTransaction, event.seq ?? 0, event)
        case .status(let event): try bytes(.subscriptionStatus, event.seq ?? 0, event)
        }
    }

    static func bytes(_ event: IntentDelivery.Event) throws -> [UInt8] {
        switch event {
        case .openApp(let seq, let intentIdentifier):
            try bytes(.openApp, seq, OpenAppEvent(seq: seq, intentIdentifier: intentIdentifier))
        case .promotedPurchase(let seq, let intent):
            try bytes(.promotedPurchase, seq, PromotedPurchaseEvent(seq: seq, intent: intent))
        }
    }

    /// The last event of a stream whose installation was launched again.
    static func superseded(seq: Int64) throws -> [UInt8] { try bytes(.superseded, seq, PositionEvent(seq: seq)) }

    private static func bytes(_ name: StreamEventName, _ seq: Int64, _ body: some Encodable) throws -> [UInt8] {
        ServerSentEventEncoder.bytes(
            ServerSentEvent(id: "\(seq)", name: name.rawValue, data: try StoreJSON.encode(body)))
    }
}
