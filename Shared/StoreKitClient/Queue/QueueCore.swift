internal import StoreHTTP
internal import StoreModels

/// The implementation of `SKPaymentQueue`. It changes state under one lock, calls observers on one serial queue and
/// sends requests in tasks.
///
/// A callback is enqueued under the same lock as the change it reports, so callbacks come in the order of the changes.
final class QueueCore: Sendable {
    let connection: StoreConnection
    let timing: ClientTiming
    let sessions: SessionKeeper
    let gateway: GatewayClient
    let call: RepeatedCall
    let state: LockedValue<QueueState>
    let tasks = TaskBag()
    private let streamTransport: HTTPTransport
    let callbacks: CallbackQueue
    let receipt: ReceiptFile
    let overrides = OverrideQueue()
    let lists = LockedValue(SignedLists())
    let saved: SavedLists
    /// The errors that a test has set for calls.
    let failures = LockedValue<[FailableCall: any Error]>([:])
    /// The language of products that a test has set.
    let language = LockedValue<String?>(nil)
    private let downloadQueue: LockedValue<DownloadQueue?>

    init(_ connection: StoreConnection, timing: ClientTiming) {
        self.connection = connection
        self.timing = timing
        let moved = LockedValue<(@Sendable (StoreModels.Storefront) -> Void)?>(nil)
        let transport = HTTPTransport(timeout: timing.requestTimeout)
        streamTransport = HTTPTransport(timeout: timing.streamTimeout)
        sessions = SessionKeeper(connection, transport) { storefront in moved.withLock { $0 }?(storefront) }
        gateway = GatewayClient(connection: connection, transport: transport, sessions: sessions)
        call = RepeatedCall(gateway: gateway, timing: timing)
        callbacks = CallbackQueue(target: connection.callbackTarget)
        state = LockedValue(QueueState(deviceId: connection.deviceId))
        downloadQueue = LockedValue(nil)
        let directory = connection.contentDirectory ?? Self.caches(of: connection)
        receipt = ReceiptFile(directory: directory)
        saved = SavedLists(directory: directory, connection)
        let made = DownloadQueue(call, directory: directory) { [weak self] download in
            self?.tell(.updatedDownloads([download]))
        }
        downloadQueue.withLock { $0 = made }
        moved.withLock {
            $0 = { [weak self] storefront in
                self?.change { state in self?.storefrontMoved(to: storefront, in: &state) }
            }
        }
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
    /// Registers an observer. The first one opens the stream, and a later one receives the known transactions.
    /// - Precondition: The observer has no `shouldAddStorePayment`, or ``PurchaseIntent/intents`` has no iterator.
    func add(_ observer: any SKPaymentTransactionObserver) {
        InheritedConformance.warn(of: observer, as: "observer", connection) {
            $0 is any SKPaymentTransactionObserver.Type
        }
        typealias Added = (living: [any SKPaymentTransactionObserver], successor: QueueCore?)
        let added = state.withLock { state -> Added in
            if let successor = state.successor { return ([], successor) }
            let living = state.observers.prune()
            guard let number = state.observers.add(observer) else { return (living, nil) }
            state.checkHandlers()
            let known = state.table.transactions
            if !known.isEmpty { tell(.updatedTransactions(objects(of: known, in: &state)), only: [number], in: &state) }
            followListeners(in: &state)
            return (living, nil)
        }
        withExtendedLifetime(added.living) {}
        added.successor?.add(observer)
    }

    /// Removes an observer, and closes the stream with the last.
    func remove(_ observer: any SKPaymentTransactionObserver) {
        let id = ObjectIdentifier(observer)
        let living = state.withLock { state in
            state.observers.remove(id)
            return endRunIfUnobserved(in: &state)
        }
        withExtendedLifetime(living) {}
    }

    /// Opens the stream for the first observer or iterator. Opens another one when the handling of promoted purchases
    /// has changed, and for the first use of StoreKit 2.
    func followListeners(in state: inout QueueState) {
        let (handler, isSigned) = (state.handler, state.usesSignedData)
        guard state.stream?.handler != handler || state.stream?.isSigned != isSigned else { return }
        state.stream?.task.cancel()
        state.nextStream += 1
        let stream = StreamKeeper(
            number: state.nextStream, handler: handler, isSigned: isSigned, connection: connection,
            transport: streamTransport, sessions: sessions, timing: timing)
        // Unstructured, because registering an observer returns immediately; it is cancelled with the last observer.
        let core: @Sendable () -> QueueCore? = { [weak self] in self }
        let task = Task { await stream.run(core) }
        state.stream = RunningStream(number: state.nextStream, handler: handler, isSigned: isSigned, task: task)
    }

    /// Closes the stream and forgets the store's state when no observer or iterator is left.
    /// - Returns: Observers to release after the lock.
    func endRunIfUnobserved(in state: inout QueueState) -> [any SKPaymentTransactionObserver] {
        let living = state.observers.prune()
        if state.isObserved {
            // A superseded stream stays closed.
            if state.stream != nil { followListeners(in: &state) }
        } else {
            state.stream?.task.cancel()
            state.stream = nil
            state.table.endRun()
            state.intents.endRun()
            state.deliveries.endRun()
            state.revoked.removeAll()
            state.synchronization?.cancel()
            state.usesSignedData = false
            state.priceConsents.removeAll()
            state.consentsAsked = BoundedSet(count: ClientLimits.questionsMax)
            state.downloads.removeAll()
        }
        return living
    }
}

// MARK: Callbacks

extension QueueCore {
    /// Delivers a callback to all observers.
    func tell(_ callback: QueueCallback) { state.withLock { state in tellAll(callback, in: &state) } }

    func tellAll(_ callback: QueueCallback, in state: inout QueueState) {
        tell(callback, only: state.observers.numbers, in: &state)
    }

    /// Delivers changes to all observers, in their order.
    func tell(_ changes: [UnfinishedTransactions.Change], in state: inout QueueState) {
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

    /// Enqueues a callback on the callback queue, after all earlier ones.
    func enqueue(in state: inout QueueState, _ callback: @escaping @Sendable (QueueCore) -> Void) {
        state.callbackCount += 1
        callbacks.async { [weak self] in
            guard let self else { return }
            callback(self)
            called()
        }
    }

    /// Calls the observers that are still registered. Runs on the callback queue.
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
            downloadQueue.withLock { $0 }?.forget(download)
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
        // An earlier run of the app fetched the content.
        if model.state == .finished, let file = downloadQueue.withLock({ $0 })?.file(of: model), file.isComplete {
            download.arrived(at: file.url)
        }
        return download
    }
}

// MARK: Requests of the app

extension QueueCore {
    var transactions: [SKPaymentTransaction] {
        state.withLock { state in objects(of: state.table.transactions, in: &state) }
    }

    func perform(_ action: DownloadAction, on downloads: [SKDownload]) {
        for download in downloads { downloadQueue.withLock { $0 }?.perform(action, on: download) }
    }

    /// Requests products.
    /// - Parameter completion: Called on the callback queue, once.
    func products(
        _ identifiers: Set<String>, _ completion: @escaping @Sendable (Result<SKProductsResponse, any Error>) -> Void
    ) -> Task<Void, Never> {
        request(completion) { [self] in
            let reply = try await products(identifiers.sorted())
            return SKProductsResponse(
                products: reply.products.map(SKProduct.init), invalidProductIdentifiers: reply.invalidProductIdentifiers
            )
        }
    }

    /// Requests products by unique identifiers.
    func products(_ identifiers: [String]) async throws -> ProductsResponse<StoreModels.Product> {
        try failIfSimulated(.loadProducts)
        let query = StoreHTTP.ProductsQuery(productIdentifiers: identifiers, language: language.withLock { $0 })
        let response = try await gateway.send(HTTPCall(ProductRoutes.query, body: query)).checked()
        return try response.body(of: ProductRoutes.query)
    }

    /// Fetches the receipt into its file.
    /// - Parameter completion: Called on the callback queue, once. After an error the file is unchanged.
    func refreshReceipt(_ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Task<Void, Never> {
        request(completion) { [gateway, receipt] in
            let response = try await gateway.send(HTTPCall(ReceiptRoutes.get)).checked()
            let reply = try response.body(of: ReceiptRoutes.get)
            guard let data = Data(base64Encoded: reply.receiptData) else { throw CocoaError(.coderReadCorrupt) }
            try receipt.write(data)
        }
    }

    private func request<Value: Sendable>(
        _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Void, Never> {
        // Unstructured, because `start()` returns immediately. The completion retains the request, which can cancel it.
        Task { [callbacks] in
            let result = await Result(ofRequest: work)
            callbacks.async { completion(result) }
        }
    }

    /// Requests a restore. The stream brings the restored transactions and the end.
    func restore(applicationUsername: String?) {
        let key = UUID().uuidString.lowercased()
        tasks.run { [weak self, call] in
            do {
                try await call.send(
                    HTTPCall(
                        RestoreRoutes.start, body: NewRestore(applicationUsername: applicationUsername), key: key))
            } catch is CancellationError {
                // The queue was deallocated.
            } catch {
                self?.tell(.restoreFailed(SKError(cause: error)))
            }
        }
    }
}

/// The current stream, open or being opened.
struct RunningStream: Sendable {
    /// The stream's number. A later stream has a greater one.
    let number: Int
    /// The handling of promoted purchases that the launch declared. Another handling needs another launch (M60).
    let handler: DeviceLaunch.PromotedPurchases
    /// Whether the stream has StoreKit 2's events.
    let isSigned: Bool
    let task: Task<Void, Never>
}

/// The receipt's file, `<directory>/receipt`, in binary. A server expects it in Base64.
struct ReceiptFile: Sendable {
    let url: URL

    init(directory: URL) { url = directory.appendingPathComponent("receipt") }

    /// Writes the file atomically: a concurrent reader gets the old or the new one.
    func write(_ data: Data) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url, options: .atomic)
    }
}

/// The running tasks of an object, cancelled when it is deallocated.
///
/// A task references its owner weakly, because the owner would otherwise never be deallocated.
final class TaskBag: Sendable {
    private struct State: Sendable {
        var next = 0
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    private let state = LockedValue(State())

    deinit { for task in state.withLock({ $0.tasks.values }) { task.cancel() } }

    /// Starts a task and returns immediately.
    @discardableResult
    func run(_ operation: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        state.withLock { state in
            let number = state.next
            state.next += 1
            // Unstructured, because StoreKit's calls return immediately. It cannot end before it is stored: ending
            // takes the lock that is held here.
            let task = Task { [weak self] in
                await operation()
                self?.state.withLock { $0.tasks[number] = nil }
            }
            state.tasks[number] = task
            return task
        }
    }
}
