import EventLoop
import StoreModels

/// Testers, prompts, events and upkeep.
extension FakePaymentQueue {
    func serveTesters() {
        service.handle(PaymentEndpoints.getTester) { [self] account in
            try check()
            return contents.withLock { Tester(account: account.id, settings: $0.testers[account] ?? .init()) }
        }
        service.handle(PaymentEndpoints.putTester) { [self] request in
            try check()
            contents.withLock { $0.testers[request.account] = request.settings }
            return Tester(account: request.account.id, settings: request.settings)
        }
        service.handle(PaymentEndpoints.deleteTester) { [self] account in
            contents.withLock { $0.testers[account] = nil }
            return Empty()
        }
        service.handle(PaymentEndpoints.listTesters) { [self] request in
            let all = contents.withLock { $0.testers }.sorted { $0.key.id < $1.key.id }.filter {
                $0.key.scope == request.scope && $0.key.id > request.after ?? ""
            }
            let page = all.prefix(request.limit).map { Tester(account: $0.key.id, settings: $0.value) }
            return TestersPage(testers: page, after: all.count > page.count ? page.last?.account : nil)
        }
    }

    func serveTesting() {
        service.handle(PaymentEndpoints.continueTransaction) { [self] request in
            let transaction = try find(request.transaction)
            contents.withLock { $0.continued.append(request) }
            return transaction
        }
        service.handle(SubscriptionEndpoints.showPriceConsent) { [self] request in
            let subscription = try subscription(of: request.originalTransactionIdentifier)
            guard request.bundleId == Sample.bundleId, request.customerIdentifier == Self.customer else {
                throw StoreError(.notFound, "there is no such subscription")
            }
            contents.withLock { $0.shown.append(request) }
            return subscription
        }
        service.handle(PaymentEndpoints.listPrompts) { [self] request in
            contents.withLock { $0.prompts.page(request) }
        }
        service.handle(PaymentEndpoints.answerPrompt) { [self] request in
            try check()
            return try contents.withLock { contents in
                contents.answers.append(request)
                return try contents.prompts.answer(request)
            }
        }
        service.handle(PaymentEndpoints.clearHistory) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.cleared.append(request)
                return ClearHistoryReply(removed: contents.transactions.count)
            }
        }
        service.handle(PaymentEndpoints.reset) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.resets.append(request)
                return ResetReply(removedTransactions: contents.transactions.count)
            }
        }
        service.handle(PaymentEndpoints.listEvents) { [self] in try events($0) }
        service.handle(PaymentEndpoints.lastEvents) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.lastEventsRequests.append(request)
                return EventsReply(
                    events: Array(contents.events.suffix(request.limit)), after: "\(contents.events.count)")
            }
        }
    }

    /// Something happens; the hint of it may be lost.
    func happen(_ kind: StoreEvent.Kind, account: String = "alice", hinted: Bool = true) {
        let transaction = Sample.purchased("t_\(kind)")
        let seq = contents.withLock { contents in
            contents.events.append(
                StoreEvent(
                    id: "\(contents.events.count + 1)", type: kind, at: Timestamp(milliseconds: 0),
                    bundleId: Sample.bundleId, account: account, transaction: transaction))
            return Int64(contents.events.count)
        }
        guard hinted else { return }
        publish(
            CustomerChange(
                bundleId: Sample.bundleId, customerIdentifier: Self.customer, seq: seq, kind: .updated,
                transaction: transaction))
    }

    /// How many looks at the events there have been.
    var looks: Int { contents.withLock { $0.eventsRequests.count } }

    private func events(_ request: EventsRequest) throws -> EventsReply {
        try check()
        return try contents.withLock { contents in
            contents.eventsRequests.append(request)
            guard let start = request.after.map({ Int($0) ?? 0 }) else {
                return EventsReply(events: [], after: "\(contents.events.count)")
            }
            guard start <= contents.events.count else {
                throw StoreError.position(.ahead)
            }
            let found = contents.events.dropFirst(start).filter {
                (request.type == nil || $0.type == request.type)
                    && (request.account == nil || $0.account == request.account)
                    && (request.bundleId == nil || $0.bundleId == request.bundleId)
            }.prefix(request.limit)
            return EventsReply(events: Array(found), after: found.last?.id ?? "\(contents.events.count)")
        }
    }
}

extension FakePaymentQueue {
    /// Records the payments that are added, in their order.
    /// - Parameter reply: The reply to each. By default it is purchased.
    func recordAdditions(
        replying reply: @escaping @Sendable (AddPaymentRequest) -> AddPaymentReply = {
            AddPaymentReply(status: 201, transaction: Sample.purchased("t", payment: $0.payment), isReplayed: false)
        }
    ) -> ElementRecorder<AddPaymentRequest> {
        let requests = ElementRecorder<AddPaymentRequest>()
        contents.withLock {
            $0.adding = { request in
                requests.append(request)
                return reply(request)
            }
        }
        return requests
    }
}
