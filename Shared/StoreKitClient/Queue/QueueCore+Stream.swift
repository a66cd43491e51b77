internal import StoreModels

/// The events of streams. Each stream has a number, by which late events of an earlier one are dropped.
extension QueueCore {
    /// Prepares for a new stream: a known transaction that it does not bring has left the queue.
    func streamOpening(_ number: Int) {
        state.withLock { state in
            if state.stream?.number == number { state.table.streamOpening() }
        }
    }

    /// Receives an event of the stream with this number.
    func received(_ event: StreamEvent, from number: Int) async {
        if case .storefront(let storefront) = event { sessions.moved(to: storefront) }
        // Signatures are verified without the lock.
        let signed = event.isSigned ? event.verified(by: await verifier()) : nil
        change { state in
            // Late events of a closed stream are dropped (M20).
            guard state.stream?.number == number else { return }
            switch event {
            case .updated(let models):
                tell(state.table.updated(models), in: &state)
                storefrontChanged(of: models, in: &state)
                for model in models where model.transactionState != .purchasing {
                    state.wakePurchase(model.payment.requestIdentifier)
                }
            case .removed(let models): tell(state.table.removed(models), in: &state)
            case .downloads(let models): tell(state.table.updated(models), in: &state)
            case .synchronized(let seq):
                tell(state.table.synchronized(), in: &state)
                // A purchase that is not on the stream may have been decided meanwhile.
                for key in state.purchases.keys { state.wakePurchase(key) }
                if state.stream?.isSigned == true { synchronizeSignedData(from: seq, in: &state) }
            case .signedTransaction(let event):
                if case .transaction(let result) = signed { received(event, result, in: &state) }
            case .subscriptionStatus(let event):
                if case .status(let status) = signed { received(event, status, in: &state) }
            case .restoreFinished(let id): restoreEnded(id, .restoreFinished, in: &state)
            case .restoreFailed(let id, let error): restoreEnded(id, .restoreFailed(SKError(error)), in: &state)
            case .storefront(let storefront): storefrontMoved(to: storefront, in: &state)
            case .priceConsentPending(let subscription): priceConsentPending(subscription, in: &state)
            case .revoked(let productIdentifiers):
                tellAll(.entitlementsRevoked(productIdentifiers), in: &state)
                state.revoked.formUnion(productIdentifiers)
            case .promoted(let intent): promoted(intent, in: &state)
            case .openApp: opened(in: &state)
            case .superseded: break
            }
        }
    }

    /// Tells of the customer's new storefront.
    func storefrontMoved(to storefront: StoreModels.Storefront, in state: inout QueueState) {
        tellAll(.storefrontChanged, in: &state)
        state.put(Storefront(storefront), \.storefronts, key: "")
    }

    /// Waits for the app's callbacks, so that a slow observer slows the reading.
    func caughtUp() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                guard state.callbackCount >= ClientLimits.callbacksMax else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    /// Receives the end of the stream after a newer launch. It stays closed until the app calls the queue again.
    func streamSuperseded(_ number: Int) {
        connection.log?(
            "the app was launched again on this device; this queue receives nothing until an observer, an iterator or "
                + "a purchase begins")
        change { state in
            guard state.stream?.number == number else { return }
            state.stream = nil
            for key in state.purchases.keys { state.wakePurchase(key) }
        }
    }

    /// Notifies observers of the end of a restore, once. The store reports it at least once.
    private func restoreEnded(_ id: String, _ callback: QueueCallback, in state: inout QueueState) {
        guard state.restoresEnded.insert(id) else { return }
        tellAll(callback, in: &state)
    }
}
