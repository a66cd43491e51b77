internal import StoreHTTP
internal import StoreModels

/// The store's questions to the app's ``SKPaymentQueueDelegate`` (docs/delegate.md).
extension QueueCore {
    /// Asks the app whether this device's purchases continue in another storefront. Each change is asked about once.
    func storefrontChanged(of models: [PaymentTransaction], in state: inout QueueState) {
        for model in models where model.originDeviceId == connection.deviceId {
            guard let change = model.storefrontChange,
                state.storefrontsAsked.insert("\(model.id) \(change.answerBy)"),
                let queued = state.table.transactions.first(where: { $0.model.id == model.id })
            else { continue }
            let transaction = objects(of: [queued], in: &state)[0]
            let key = model.payment.requestIdentifier
            if state.purchases[key] != nil {
                let storefront = Storefront(change.storefront)
                enqueue(in: &state) { core in core.ask(key, model.id, storefront) }
            } else {
                let storefront = SKStorefront(change.storefront)
                enqueue(in: &state) { core in core.ask(transaction, model.id, storefront) }
            }
        }
    }

    /// Asks the app whether to show a pending price consent. Each stream reports it until it is answered, but the queue
    /// asks the app once in a run.
    func priceConsentPending(_ subscription: String, in state: inout QueueState) {
        state.priceConsents.insert(subscription)
        guard state.consentsAsked.insert(subscription) else { return }
        // An app that iterates the messages shows them itself.
        guard state.listeners.messages.isEmpty else {
            return state.put(Message(reason: .priceIncreaseConsent), \.messages, key: subscription)
        }
        enqueue(in: &state) { core in
            guard let queue = core.state.withLock({ $0.queue }), let delegate = queue.delegate else { return }
            core.answer(subscription, show: delegate.paymentQueueShouldShowPriceConsent(queue))
        }
    }

    /// Asks the store to show every pending price increase.
    func showPriceConsents() {
        let waiting = state.withLock { $0.priceConsents }
        for subscription in waiting.sorted() { answer(subscription, show: true) }
    }

    /// Asks the delegate. Without one the purchase continues, as in StoreKit. Runs on the callback queue.
    private func ask(_ transaction: SKPaymentTransaction, _ id: String, _ storefront: SKStorefront) {
        guard let queue = state.withLock({ $0.queue }) else { return }
        answer(id, queue.delegate?.paymentQueue(queue, shouldContinue: transaction, in: storefront) ?? true)
    }

    /// Asks the option of a purchase. Without one the purchase continues. Runs on the callback queue.
    private func ask(_ key: String, _ id: String, _ storefront: Storefront) {
        let question = state.withLock { $0.purchases[key]?.question }
        let shouldContinue = question?.shouldContinue(storefront) ?? true
        if !shouldContinue { state.withLock { $0.purchases[key]?.isStopped = true } }
        answer(id, shouldContinue)
    }

    private func answer(_ id: String, _ shouldContinue: Bool) {
        post(
            HTTPCall(
                TransactionRoutes.answerStorefrontChange, [.id: id],
                body: ContinueTransactionBody(shouldContinue: shouldContinue)))
    }

    private func answer(_ subscription: String, show: Bool) {
        if show { state.withLock { _ = $0.priceConsents.remove(subscription) } }
        post(
            HTTPCall(
                SubscriptionRoutes.showPriceConsent, [.originalTransactionIdentifier: subscription],
                body: PriceConsentBody(show: show)))
    }

    /// Sends the app's answer. A late or repeated answer has no effect. The stream reports the purchase's state.
    private func post(_ answer: HTTPCall) {
        tasks.run { [call] in
            do {
                try await call.send(answer)
            } catch is CancellationError {
                // The queue was deallocated.
            } catch {
                call.gateway.connection.log?("the store did not take the delegate's answer: \(type(of: error))")
            }
        }
    }
}
