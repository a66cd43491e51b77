internal import StoreModels

extension QueueCore {
    /// Asks or notifies the app about an intent, once in a run.
    func promoted(_ intent: StorePurchaseIntent, in state: inout QueueState) {
        guard state.intents.received(intent) else { return }
        switch state.handler {
        case .delegate: enqueue(in: &state) { core in core.ask(intent) }
        case .purchaseIntent:
            // After the callback that brings the app to the front.
            let listeners = Array(state.listeners.intents.values)
            enqueue(in: &state) { _ in for listener in listeners { listener.put(intent, key: nil)?() } }
        case .none: state.intents.withdraw(intent.intentIdentifier)
        }
    }

    /// Brings the app to the front for the store.
    func opened(in state: inout QueueState) {
        guard let open = connection.bringToFront else { return }
        enqueue(in: &state) { _ in open() }
    }

    /// Asks the first registered observer that has the method. Runs on the callback queue.
    private func ask(_ intent: StorePurchaseIntent) {
        let (queue, observer) = state.withLock { ($0.queue, $0.observers.storePaymentHandler) }
        let id = intent.intentIdentifier
        guard let queue, let observer else { return state.withLock { $0.intents.withdraw(id) } }
        let shouldAdd = observer.shouldAdd(
            SKPayment(PaymentFields(promoted: intent)), for: SKProduct(intent.product), to: queue)
        // The observer may have cancelled the purchase within the callback.
        guard !state.withLock({ $0.intents.isDecided(id) }) else { return }
        decide(
            shouldAdd
                ? IntentDecision(
                    intentIdentifier: id, decision: .continue, payment: IntentDecision.payment(of: intent))
                : IntentDecision(intentIdentifier: id, decision: .defer))
    }

    /// Begins to listen to purchase intents.
    /// - Precondition: As ``PurchaseIntent/PurchaseIntents`` says.
    func promotedPurchases() -> DeliveryIterator<StorePurchaseIntent> {
        if let reason = connection.purchaseIntentUnsupported { fatalError(reason) }
        return listen(\.intents) { state in state.intents.undecided.map { ($0, key: $0.intentIdentifier) } }
    }
}

extension QueueCore {
    /// Runs a call on the device's promotions (`/v1/promotions`), after all calls before it.
    ///
    /// Setting is idempotent and repeated until the store has responded. Reading is tried once, as products are.
    /// - Parameter completion: Called on the callback queue, once.
    func override<Value: Sendable>(
        _ work: @escaping @Sendable (RepeatedCall) async throws -> Value,
        then completion: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let isTaken = overrides.add { [call, callbacks] in
            var result = await Result(ofRequest: { try await work(call) })
            if case .failure(let error as SKError) = result,
                (error.underlying as? StoreProblem)?.code == "promotionUnsupported"
            {
                result = .failure(SKError(.unsupportedPlatform, userInfo: error.userInfo))
            }
            callbacks.async { [result] in completion(result) }
        }
        guard !isTaken else { return }
        let sentence = "\(ClientLimits.overridesMax) calls about promotions are waiting already."
        let error = SKError(.unknown, userInfo: [NSLocalizedDescriptionKey: sentence])
        callbacks.async { completion(.failure(error)) }
    }
}

/// Runs the app's promotion calls one after the other. Of two updates the second wins, and a fetch sees every update
/// before it.
final class OverrideQueue: Sendable {
    typealias Work = @Sendable () async -> Void

    private let continuation: AsyncStream<Work>.Continuation
    private let worker: Task<Void, Never>

    init() {
        let (works, continuation) = AsyncStream<Work>.makeStream(
            bufferingPolicy: .bufferingOldest(ClientLimits.overridesMax))
        self.continuation = continuation
        // Unstructured, because StoreKit's calls return immediately; `deinit` cancels it.
        worker = Task { for await work in works { await work() } }
    }

    deinit { worker.cancel() }

    /// Enqueues a call.
    /// - Returns: False if too many calls are waiting. The call is then dropped.
    func add(_ work: @escaping Work) -> Bool {
        guard case .enqueued = continuation.yield(work) else { return false }
        return true
    }
}
