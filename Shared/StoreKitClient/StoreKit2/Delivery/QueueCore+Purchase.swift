internal import StoreHTTP
internal import StoreModels

/// A purchase of ``Product/purchase(options:)`` that has no outcome yet.
struct RunningPurchase: Sendable {
    /// The app's answer to a change of the storefront.
    let question: StorefrontQuestion?
    /// Whether the app has stopped it there.
    var isStopped = false
    /// Whether the stream has named it since the store was asked last.
    var isNamed = false
    var waiter: CheckedContinuation<Void, Never>?
}

extension QueueState {
    /// Records that the stream has news of a purchase.
    mutating func wakePurchase(_ key: String) {
        guard purchases[key] != nil else { return }
        purchases[key]?.isNamed = true
        guard let waiter = purchases[key]?.waiter else { return }
        purchases[key]?.waiter = nil
        wakes.append { waiter.resume() }
    }
}

extension QueueCore {
    /// Buys a product, and waits for the outcome.
    /// - Throws: ``Product/PurchaseError`` or ``StoreKitError``
    func purchase(
        _ order: PurchaseOrder, readIn storefront: StoreModels.Storefront?
    ) async throws -> Product.PurchaseResult {
        let now = sessions.current?.storefront
        if let question = order.storefrontQuestion, let now, let storefront, now != storefront,
            !question.shouldContinue(Storefront(now))
        {
            return .userCancelled
        }
        let request = order.request
        return try await runPurchase(order.storefrontQuestion) { key in
            try await outcome(
                of: HTTPCall(PaymentRoutes.purchase, body: request, key: key), key: key,
                intent: request.intentIdentifier, ofSignedOffer: request.offer != nil)
        }
    }

    /// Redeems an offer code, and waits for the outcome.
    /// - Throws: ``Product/PurchaseError`` or ``StoreKitError``
    func redeem(_ code: String) async throws -> Product.PurchaseResult {
        try await runPurchase(nil) { key in
            let call = HTTPCall(OfferCodeRoutes.redeem, [.code: code], body: CodeRedemption(), key: key)
            return try await outcome(of: call, key: key)
        }
    }

    /// Runs a purchase, whose transaction the stream does not deliver meanwhile.
    private func runPurchase(
        _ question: StorefrontQuestion?, _ body: (_ key: String) async throws -> Product.PurchaseResult
    ) async throws -> Product.PurchaseResult {
        let key = UUID().uuidString.lowercased()
        let warns = change { state in
            state.purchases[key] = RunningPurchase(question: question)
            state.deliveries.begins(key: key)
            state.usesSignedData = true
            followListeners(in: &state)
            guard state.listeners.updates.isEmpty, !state.hasWarnedUnheard else { return false }
            state.hasWarnedUnheard = true
            return true
        }
        if warns {
            // StoreKit's words.
            StoreConnection.warn(
                "Making a purchase without listening for transaction updates risks missing successful purchases. "
                    + "Create a Task to iterate Transaction.updates at launch.", connection)
        }
        defer {
            let living = change { state in
                state.purchases[key] = nil
                if let news = state.deliveries.ends(key: key) { state.deliver(news) }
                return endRunIfUnobserved(in: &state)
            }
            withExtendedLifetime(living) {}
        }
        do {
            return try await body(key)
        } catch let error as Product.PurchaseError {
            throw error
        } catch {
            throw StoreKitError(cause: error)
        }
    }

    /// Asks for the outcome, and again whenever the stream has news of the purchase.
    private func outcome(
        of request: HTTPCall, key: String, intent: String? = nil, ofSignedOffer: Bool = false
    ) async throws -> Product.PurchaseResult {
        while true {
            let response: HTTPResponse
            do {
                response = try await call.send(request)
            } catch let problem as StoreProblem where problem.storeKitError != nil {
                return try .init(failure: SKError(cause: problem), ofSignedOffer: ofSignedOffer)
            } catch let problem as StoreProblem where Self.endsIntent(problem) {
                if let intent { state.withLock { $0.intents.purchased(intent) } }
                throw problem
            }
            let reply = try response.body(of: PaymentRoutes.purchase)
            if reply.outcome != .purchasing, let intent { state.withLock { $0.intents.purchased(intent) } }
            switch reply.outcome {
            case .purchased, .held:
                guard let signed = reply.signedTransaction else { throw StoreKitError.unknown }
                let result: VerificationResult<Transaction> = await verifier().result(signed)
                change { state in
                    let status = state.deliveries.returns(result, isNew: reply.outcome == .purchased)
                    if let status { state.deliver(status) }
                }
                return .success(result)
            case .pending: return .pending
            case .cancelled: return .userCancelled
            case .failed:
                if state.withLock({ $0.purchases[key]?.isStopped == true }) { return .userCancelled }
                let error = reply.transaction.error.map { SKError($0) } ?? SKError(.unknown)
                return try .init(failure: error, ofSignedOffer: ofSignedOffer)
            case .purchasing: await news(of: key)
            }
        }
    }

    /// Whether a refusal says that an intent can never be continued any more.
    private static func endsIntent(_ problem: StoreProblem) -> Bool {
        let ends: [StoreErrorCode] = [.intentDecided, .intentExpired]
        return ends.contains { $0.name == problem.code }
    }

    /// Waits until the stream names a purchase, or begins anew. Without a stream it waits for a time.
    private func news(of key: String) async {
        let timer = Task { [weak self, timing] in
            try await Task.sleep(for: timing.requestTimeout)
            self?.change { $0.wakePurchase(key) }
        }
        defer { timer.cancel() }
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.purchases[key]?.isNamed == false else {
                    state.purchases[key]?.isNamed = false
                    return true
                }
                state.purchases[key]?.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        state.withLock { $0.purchases[key]?.isNamed = false }
    }

    /// Finishes a transaction. Returns when the store has answered, or could not be reached once.
    @concurrent func finish(_ transaction: Transaction) async {
        let number = transaction.id
        let queued = change { state -> QueuedTransaction? in
            guard !state.deliveries.isFinished(number) else { return nil }
            return state.table.transaction(number) ?? QueuedTransaction(finishing: transaction)
        }
        guard let queued else { return }
        let (attempts, first) = AsyncStream<Void>.makeStream()
        finish(queued) { first.finish() }
        for await _ in attempts {}
    }
}
