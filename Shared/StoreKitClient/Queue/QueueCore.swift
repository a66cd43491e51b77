import Foundation
internal import StoreHTTP
internal import StoreModels

/// The implementation behind `SKPaymentQueue`: decides under one lock, notifies observers on one serial queue, sends in
/// tasks.
///
/// A callback is put on its queue while the lock is held under which it was decided, so callbacks come in the order of
/// the decisions, regardless of the thread.
final class QueueCore: Sendable {
    let connection: StoreConnection
    let timing: ClientTiming
    let sessions: SessionKeeper
    let gateway: GatewayClient
    let call: RepeatedCall
    let state: Locked<QueueState>
    let tasks = TaskBag()
    private let streamTransport: HTTPTransport
    let callbacks: CallbackQueue
    let receipt: ReceiptFile
    let overrides = OverrideLine()
    private let desk: Locked<DownloadDesk?>

    init(_ connection: StoreConnection, timing: ClientTiming) {
        self.connection = connection
        self.timing = timing
        let moved = Locked<(@Sendable () -> Void)?>(nil)
        let transport = HTTPTransport(timeout: timing.requestTimeout)
        streamTransport = HTTPTransport(timeout: timing.streamTimeout)
        sessions = SessionKeeper(connection, transport) { _ in moved.withLock { $0 }?() }
        gateway = GatewayClient(connection: connection, transport: transport, sessions: sessions)
        call = RepeatedCall(gateway: gateway, timing: timing)
        callbacks = CallbackQueue(target: connection.callbackTarget)
        state = Locked(QueueState(deviceId: connection.deviceId))
        desk = Locked(nil)
        let directory = connection.contentDirectory ?? Self.caches(of: connection)
        receipt = ReceiptFile(directory: directory)
        let made = DownloadDesk(call, directory: directory) { [weak self] download in
            self?.tell(.updatedDownloads([download]))
        }
        desk.withLock { $0 = made }
        moved.withLock { $0 = { [weak self] in self?.tell(.storefrontChanged) } }
    }

    deinit {
        let state = state.withLock { $0 }
        state.stream?.task.cancel()
        for reader in state.waiting { reader.resume() }
    }

    private static func caches(of connection: StoreConnection) -> URL {
        let caches =
            FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            ?? FileManager.default.temporaryDirectory
        return [connection.bundleId, connection.deviceId].reduce(caches.appendingPathComponent("Storebus")) {
            $0.appendingPathComponent(PercentEncoding.encode($1), isDirectory: true)
        }
    }
}

// MARK: Observers

extension QueueCore {
    /// The first observer opens the stream. A later one receives what is known.
    /// - Precondition: It has no `shouldAddStorePayment`, or ``PurchaseIntent/intents`` has no iterator.
    func add(_ observer: any SKPaymentTransactionObserver) {
        InheritedConformance.warn(of: observer, as: "observer", connection) {
            $0 is any SKPaymentTransactionObserver.Type
        }
        let living = state.withLock { state in
            let living = state.observers.prune()
            guard let number = state.observers.add(observer) else { return living }
            state.checkHandlers()
            let known = state.table.transactions
            if !known.isEmpty { tell(.updatedTransactions(objects(of: known, in: &state)), only: [number], in: &state) }
            followListeners(in: &state)
            return living
        }
        withExtendedLifetime(living) {}
    }

    /// The last observer closes the stream.
    func remove(_ observer: any SKPaymentTransactionObserver) {
        let id = ObjectIdentifier(observer)
        let living = state.withLock { state in
            state.observers.remove(id)
            return endRunIfUnobserved(in: &state)
        }
        withExtendedLifetime(living) {}
    }

    /// Opens the stream for the first observer or iterator. A changed handling of promoted purchases opens another one.
    func followListeners(in state: inout QueueState) {
        let handler = state.handler
        guard state.stream?.handler != handler else { return }
        state.stream?.task.cancel()
        state.nextStream += 1
        let stream = ObserverStream(
            number: state.nextStream, handler: handler, connection: connection, transport: streamTransport,
            sessions: sessions, timing: timing)
        // Unstructured, because registering an observer returns immediately; the queue cancels it when no observer is
        // left.
        let task = Task { [listener = StreamListenerReference(self)] in await stream.run { listener.listener } }
        state.stream = RunningStream(number: state.nextStream, handler: handler, task: task)
    }

    /// - Returns: Observers to release after the lock.
    func endRunIfUnobserved(in state: inout QueueState) -> [any SKPaymentTransactionObserver] {
        let living = state.observers.prune()
        if state.isObserved {
            followListeners(in: &state)
        } else {
            state.stream?.task.cancel()
            state.stream = nil
            state.table.endRun()
            state.intents.endRun()
            state.priceConsents.removeAll()
            state.consentsAsked = BoundedSet(count: ClientLimits.questionsMax)
            state.downloads.removeAll()
        }
        return living
    }
}

// MARK: Telling

extension QueueCore {
    /// Delivers a callback to all observers.
    func tell(_ callback: QueueCallback) { state.withLock { state in tellAll(callback, in: &state) } }

    func tellAll(_ callback: QueueCallback, in state: inout QueueState) {
        tell(callback, only: state.observers.numbers, in: &state)
    }

    /// Delivers changes to all observers, in their order.
    func tell(_ changes: [TransactionTable.Change], in state: inout QueueState) {
        for change in changes {
            let callback: QueueCallback =
                switch change {
                case .updated(let list): .updatedTransactions(objects(of: list, in: &state))
                case .removed(let list): .removedTransactions(removing(list, from: &state))
                case .downloads(let list): .updatedDownloads(downloads(list, in: &state))
                }
            tellAll(callback, in: &state)
        }
    }

    private func tell(_ callback: QueueCallback, only numbers: [Int], in state: inout QueueState) {
        guard !numbers.isEmpty else { return }
        enqueue(in: &state) { core in core.deliver(callback, to: numbers) }
    }

    /// Runs an app callback on the callback queue, after everything decided before it.
    func enqueue(in state: inout QueueState, _ callback: @escaping @Sendable (QueueCore) -> Void) {
        state.callbackCount += 1
        callbacks.async { [weak self] in
            guard let self else { return }
            callback(self)
            called()
        }
    }

    /// Runs on the callback queue. An observer that was removed meanwhile gets no callback.
    private func deliver(_ callback: QueueCallback, to numbers: [Int]) {
        for number in numbers {
            let (queue, observer) = state.withLock { ($0.queue, $0.observers.observer(number)) }
            guard let queue, let observer else { continue }
            callback.tell(observer, of: queue)
        }
    }

    private func called() {
        let (living, caughtUp) = state.withLock { state in
            state.callbackCount -= 1
            let living = endRunIfUnobserved(in: &state)
            return (living, state.callbackCount <= ClientLimits.callbacksMax / 2 ? state.takeWaiting() : [])
        }
        withExtendedLifetime(living) {}
        for reader in caughtUp { reader.resume() }
    }

    func objects(of list: [QueuedTransaction], in state: inout QueueState) -> [SKPaymentTransaction] {
        list.map { queued in state.object(of: queued, makeDownload) }
    }

    private func removing(_ list: [QueuedTransaction], from state: inout QueueState) -> [SKPaymentTransaction] {
        let removed = objects(of: list, in: &state)
        for download in list.flatMap(\.model.downloads) {
            state.downloads[download.id] = nil
            desk.withLock { $0 }?.forget(download)
        }
        return removed
    }

    private func downloads(_ models: [Download], in state: inout QueueState) -> [SKDownload] {
        let ids = Set(models.map(\.id))
        return objects(of: state.table.transactions, in: &state).flatMap(\.downloads).filter { download in
            download.model.map { ids.contains($0.id) } ?? false
        }
    }

    private func makeDownload(_ model: Download, of owner: QueuedTransaction) -> SKDownload {
        let download = SKDownload(model, of: owner)
        // An earlier run of the app has fetched it.
        if model.state == .finished, let file = desk.withLock({ $0 })?.file(of: model), file.isComplete {
            download.arrived(at: file.url)
        }
        return download
    }
}

// MARK: What the app asks for

extension QueueCore {
    var transactions: [SKPaymentTransaction] {
        state.withLock { state in objects(of: state.table.transactions, in: &state) }
    }

    func perform(_ action: DownloadAction, on downloads: [SKDownload]) {
        for download in downloads { desk.withLock { $0 }?.perform(action, on: download) }
    }

    /// - Parameter completion: Called on the callback queue, once.
    func products(
        _ identifiers: Set<String>, _ completion: @escaping @Sendable (Result<SKProductsResponse, any Error>) -> Void
    ) -> any RunningRequest {
        let query = ProductsQuery(gateway: gateway, identifiers: identifiers)
        // Unstructured, because `start()` returns immediately. It keeps the request, which can cancel it.
        return Task { [callbacks] in
            let result = await query.result()
            callbacks.async { completion(result) }
        }
    }
}

extension Task: RunningRequest where Success == Void, Failure == Never {}

extension QueueCore {
    /// - Parameter completion: Called on the callback queue, once, with the error, if any.
    func refreshReceipt(_ completion: @escaping @Sendable ((any Error)?) -> Void) -> any RunningRequest {
        let query = ReceiptQuery(gateway: gateway, file: receipt)
        // Unstructured, because `start()` returns immediately. It keeps the request, which can cancel it.
        return Task { [callbacks] in
            let error = await query.run()
            callbacks.async { completion(error) }
        }
    }
}

extension QueueCore {
    /// Requests a restore. The restored transactions and the end come on the stream.
    func restore(applicationUsername: String?) {
        let key = UUID().uuidString.lowercased()
        tasks.run { [weak self, call] in
            do {
                _ = try await call.send(
                    HTTPCall(
                        RestoreRoutes.start, body: NewRestore(applicationUsername: applicationUsername), key: key),
                    patience: call.timing.patience)
            } catch is CancellationError {
                // The queue is gone, and its observers with it.
            } catch {
                self?.tell(.restoreFailed(SKError(cause: error)))
            }
        }
    }
}

/// The stream that is open, or being opened.
struct RunningStream: Sendable {
    /// A later stream has a greater one.
    let number: Int
    /// What the launch has said; another way of handling promoted purchases needs another launch (M60).
    let handler: DeviceLaunch.PromotedPurchases
    let task: Task<Void, Never>
}
