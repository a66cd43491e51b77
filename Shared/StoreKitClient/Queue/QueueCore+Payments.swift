internal import StoreHTTP
internal import StoreModels

extension QueueCore {
    private struct Named: JSONForm, Decodable {
        typealias Body = PaymentTransaction

        let id: String
    }

    /// Adds a payment to the queue. Its key is sent with each attempt, so the payment is charged at most once.
    func add(_ fields: PaymentFields) {
        let payment = fields.model(key: UUID().uuidString.lowercased())
        let key = payment.requestIdentifier
        let isTooMany = state.withLock { state in
            state.deliveries.adds(key: key)
            tell(state.table.add(payment), in: &state)
            return state.table.unnamedCount > ClientLimits.paymentsMax
        }
        guard fields.requestData == nil else {
            let sentence = "requestData is reserved; nothing was charged."
            return refuse(key, SKError(.unauthorizedRequestData, userInfo: [NSLocalizedDescriptionKey: sentence]))
        }
        guard !isTooMany else {
            let sentence = "\(ClientLimits.paymentsMax) payments are waiting to be answered; nothing was charged."
            return refuse(key, SKError(.unknown, userInfo: [NSLocalizedDescriptionKey: sentence]))
        }
        tasks.run { [weak self, call] in
            do {
                let response = try await call.send(
                    HTTPCall(PaymentRoutes.add, body: PaymentRequest(payment), key: key))
                let id = try response.body(of: PaymentRoutes.add, as: Named.self).id
                self?.state.withLock { $0.table.name(key: key, id: id) }
            } catch is CancellationError {
                // The queue was deallocated.
            } catch {
                self?.refuse(key, SKError(cause: error))
            }
        }
    }

    func refuse(_ key: String, _ error: SKError) {
        state.withLock { state in tell(state.table.refuse(key: key, error), in: &state) }
    }

    /// Finishes a transaction. The request is repeated until the store has responded.
    /// - Parameter tried: Called after each attempt, or at once if there is nothing to ask for.
    func finish(_ transaction: QueuedTransaction, _ tried: @escaping @Sendable () -> Void = {}) {
        let step = state.withLock { state in
            if let number = transaction.model.number { state.deliveries.finish(number) }
            let step = state.table.finish(transaction)
            if case .done(let changes) = step { tell(changes, in: &state) }
            return step
        }
        guard case .ask(let id) = step else { return tried() }
        tasks.run { [weak self, call] in
            defer { tried() }
            if let number = transaction.model.number { self?.saved.finish(number) }
            do {
                let request = HTTPCall(TransactionRoutes.finish, [.id: id], body: Empty())
                try await call.send(request, isEndless: true, onRepetition: tried)
                self?.finishAnswered(id)
            } catch let problem as StoreProblem where problem.status == 404 {
                // The transaction no longer exists in the store.
                self?.finishAnswered(id)
            } catch {
                self?.connection.log?("a transaction could not be finished and comes again: \(type(of: error))")
                self?.state.withLock { state in
                    state.table.finishRefused(id)
                    if let number = transaction.model.number { state.deliveries.finishRefused(number) }
                }
            }
        }
    }

    private func finishAnswered(_ id: String) {
        state.withLock { state in tell(state.table.finishAnswered(id), in: &state) }
    }
}

extension PaymentRequest {
    fileprivate init(_ payment: Payment) {
        self.init(
            productIdentifier: payment.productIdentifier, quantity: NonNull(Quantity(payment.quantity)),
            applicationUsername: payment.applicationUsername,
            // Omitted unless true, because only the sandbox accepts it.
            simulatesAskToBuyInSandbox: payment.simulatesAskToBuyInSandbox ? true : nil,
            paymentDiscount: payment.paymentDiscount.map { DiscountParts($0) },
            intentIdentifier: payment.intentIdentifier)
    }
}
