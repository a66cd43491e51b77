internal import StoreHTTP
internal import StoreModels

extension SKTestSession {
    // MARK: Purchases

    /// Buys a product outside of the app. `Transaction.updates` and the queue's observers have the transaction.
    /// - Throws: ``SKTestError``
    public func buyProduct(productIdentifier: String) throws {
        _ = try buy(OutsidePurchase(account: SessionStore.account, productIdentifier: productIdentifier))
    }

    /// Buys a product outside of the app. `Transaction.updates` and the queue's observers have the transaction.
    /// - Throws: ``SKTestError``, or the error of a purchase.
    @discardableResult
    public func buyProduct(
        identifier: StoreKitClient.Product.ID, options: Set<StoreKitClient.Product.PurchaseOption> = []
    ) async throws -> Transaction {
        let purchase = try OutsidePurchase(identifier, options)
        let bought = try await Self.offThread { try self.buy(purchase) }
        let number = bought.transactionIdentifier.flatMap { UInt64($0) }
        for await result in Transaction.all(for: identifier) where result.unsafePayloadValue.id == number {
            return result.unsafePayloadValue
        }
        throw SKTestError(
            bought.transactionState == .deferred ? .invalidAction : .noTransactionFound,
            bought.transactionState == .deferred
                ? "the purchase waits for a parent: allTransactions() has it" : "the transaction is gone already")
    }

    private func buy(_ purchase: OutsidePurchase) throws -> PaymentTransaction {
        let bought = try perform(.invalidProductIdentifier) {
            try testStore.client.call(
                PaymentRoutes.addOutside, [.bundleId: testStore.made.bundleId], body: purchase,
                key: UUID().uuidString.lowercased())
        }
        if let failure = bought.error {
            let unsold: [StoreModels.SKErrorCode] = [.storeProductNotAvailable, .paymentInvalid]
            if unsold.contains(where: { $0.rawValue == failure.code }), failure.reason == nil {
                throw SKTestError(.invalidProductIdentifier, failure.localizedDescription)
            }
            throw failure.ofPurchase
        }
        ClientUnderTest.catchUp()
        return bought
    }

    /// Runs a blocking call on a thread of its own.
    static func offThread<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }

    // MARK: Transactions

    /// The customer's transactions, oldest first. Empty when the store cannot be asked.
    public func allTransactions() -> [SKTestTransaction] {
        var list: [SKTestTransaction] = []
        attempt {
            let transactions = try storedTransactions()
            let subscriptions = try subscriptions()
            let resolved = Set(transactions.compactMap { $0.supersedes.map { ExactText($0) } })
            list = transactions.filter { $0.transactionState != .restored }.map { transaction in
                let original = transaction.originalTransactionIdentifier ?? transaction.transactionIdentifier
                let subscription = subscriptions.first { subscription in
                    original.map { subscription.originalTransactionIdentifier.isExactly($0) } ?? false
                }
                return SKTestTransaction(
                    transaction, subscription, isResolved: resolved.contains(ExactText(transaction.id)), in: testStore)
            }
        }
        return list
    }

    /// Deletes the customer's transactions. ``notifications`` begins anew.
    public func clearTransactions() {
        attempt {
            do {
                try testStore.client.call(
                    AppRoutes.clearHistory, [.bundleId: testStore.made.bundleId],
                    query: ["account": SessionStore.account])
            } catch let problem as StoreProblem where problem.status == 404 {
                // The customer has not come to the store yet.
            }
            ClientUnderTest.forget()
            try clearNotifications()
        }
    }

    /// Deletes a transaction.
    /// - Throws: ``SKTestError``
    public func deleteTransaction(identifier: UInt) throws {
        try perform(.noTransactionFound) {
            try testStore.client.call(TransactionRoutes.delete, [.id: testStore.name(of: identifier)])
        }
        ClientUnderTest.forget(UInt64(identifier))
        ClientUnderTest.catchUp()
    }

    /// Refunds a transaction.
    /// - Throws: ``SKTestError``
    public func refundTransaction(identifier: UInt) throws {
        let refunded = try send(TransactionRoutes.refund, on: identifier)
        ClientUnderTest.catchUp(revoked: refunded.payment.productIdentifier)
    }

    /// Approves a purchase that waits for a parent.
    /// - Throws: ``SKTestError``
    public func approveAskToBuyTransaction(identifier: UInt) throws {
        try operate(TransactionRoutes.approve, on: identifier)
    }

    /// Declines a purchase that waits for a parent.
    /// - Throws: ``SKTestError``
    public func declineAskToBuyTransaction(identifier: UInt) throws {
        try operate(TransactionRoutes.decline, on: identifier)
    }

    /// Resolves an interrupted purchase. A new transaction takes its place.
    /// - Throws: ``SKTestError``
    public func resolveIssueForTransaction(identifier: UInt) throws {
        try operate(TransactionRoutes.resolve, on: identifier)
    }

    private func operate<Body: Encodable, Response: Decodable>(
        _ endpoint: HTTPEndpoint<Body, Response>, on identifier: UInt
    ) throws {
        _ = try send(endpoint, on: identifier)
        ClientUnderTest.catchUp()
    }

    private func send<Body: Encodable, Response: Decodable>(
        _ endpoint: HTTPEndpoint<Body, Response>, on identifier: UInt
    ) throws -> Response {
        try perform(.noTransactionFound) {
            try testStore.client.call(endpoint, [.id: testStore.name(of: identifier)])
        }
    }

    private func storedTransactions() throws -> [PaymentTransaction] {
        var (all, after): ([PaymentTransaction], String?) = ([], nil)
        repeat {
            let page = try testStore.client.call(
                TransactionRoutes.search, query: ["account": SessionStore.account, "after": after])
            all += page.transactions
            after = page.after
        } while after != nil
        return all
    }

    // MARK: Subscriptions

    /// Lets a transaction's subscription renew again.
    /// - Throws: ``SKTestError``
    public func enableAutoRenewForTransaction(identifier: UInt) throws {
        try operate(TransactionRoutes.operate(.enableAutoRenew), on: identifier)
    }

    /// Lets a transaction's subscription end with its present period.
    /// - Throws: ``SKTestError``
    public func disableAutoRenewForTransaction(identifier: UInt) throws {
        try operate(TransactionRoutes.operate(.disableAutoRenew), on: identifier)
    }

    /// Ends the present period of a product's subscription, and renews it.
    /// - Throws: ``SKTestError``
    public func forceRenewalOfSubscription(productIdentifier: String) throws {
        try operate(.forceRenewal, onSubscriptionTo: productIdentifier)
    }

    /// Ends a product's subscription.
    /// - Throws: ``SKTestError``
    public func expireSubscription(productIdentifier: String) throws {
        try operate(.expire, onSubscriptionTo: productIdentifier)
    }

    /// Asks the customer to agree to a higher price of a transaction's subscription. The price stays as it is. Without
    /// an agreement the subscription ends with its period.
    /// - Throws: ``SKTestError``
    public func requestPriceIncreaseConsentForTransaction(identifier: UInt) throws {
        try operate(TransactionRoutes.operate(.requestPriceConsent), on: identifier)
    }

    /// Agrees to the higher price of a transaction's subscription.
    /// - Throws: ``SKTestError``
    public func consentToPriceIncreaseForTransaction(identifier: UInt) throws {
        try answer(.approve, about: identifier)
    }

    /// Refuses the higher price of a transaction's subscription, which ends with its period.
    /// - Throws: ``SKTestError``
    public func declinePriceIncreaseForTransaction(identifier: UInt) throws {
        try answer(.decline, about: identifier)
    }

    private func answer(_ answer: Prompt.Answer, about identifier: UInt) throws {
        try perform(.noTransactionFound) {
            let page = try testStore.client.call(PromptRoutes.list, query: ["account": SessionStore.account])
            let asked = page.prompts.first { prompt in
                let names = [prompt.transaction?.transactionIdentifier, prompt.transaction?.id]
                return prompt.kind == .priceConsent
                    && names.contains { $0.map { testStore.name(of: identifier).isExactly($0) } ?? false }
            }
            guard let asked else {
                throw SKTestError(.invalidAction, "the transaction's subscription does not wait for a consent")
            }
            try testStore.client.call(PromptRoutes.answer, [.id: asked.id], body: PromptAnswerBody(answer: answer))
        }
        ClientUnderTest.catchUp()
    }

    private func operate(
        _ operation: OperateSubscriptionRequest.Operation, onSubscriptionTo product: String
    ) throws {
        try perform(.noSubscriptionFound) {
            guard
                let found = try subscriptions().first(where: { subscription in
                    subscription.productIdentifier.isExactly(product)
                })
            else { throw SKTestError(.noSubscriptionFound, "the customer has no subscription to \(product)") }
            try testStore.client.call(TransactionRoutes.operate(operation), [.id: found.id])
        }
        ClientUnderTest.catchUp()
    }

    private func subscriptions() throws -> [Subscription] {
        var (all, after): ([Subscription], String?) = ([], nil)
        repeat {
            let page = try testStore.client.call(
                SubscriptionRoutes.search, query: ["account": SessionStore.account, "after": after])
            all += page.subscriptions
            after = page.after
        } while after != nil
        return all
    }
}

extension OutsidePurchase {
    /// Makes a purchase outside the app with the options of StoreKit.
    /// - Throws: ``SKTestError/invalidAction`` for an option that it cannot have.
    fileprivate init(_ product: String, _ options: Set<StoreKitClient.Product.PurchaseOption>) throws {
        self.init(account: SessionStore.account, productIdentifier: product)
        for option in options {
            switch option.outside {
            case .appAccountToken(let token): appAccountToken = token.uuidString.lowercased()
            case .quantity(let count): quantity = Quantity(count)
            case .winBackOffer(let id): offer = RedeemedOffer(type: .winBack, identifier: id)
            case .test(.promotionalOffer(let id)): offer = RedeemedOffer(type: .subscription, identifier: id)
            case .test(.codeOffer(let name)): offer = RedeemedOffer(type: .code, identifier: name)
            case .test(.purchaseDate(let date, let renews)):
                purchaseDate = Timestamp(date)
                willAutoRenew = renews
            case .monthly(let isMonthly): billingPlanType = isMonthly ? .monthly : nil
            case .other(let name):
                throw SKTestError(.invalidAction, "a purchase outside the app has no option \(name)")
            }
        }
    }
}
