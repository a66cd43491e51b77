import EventLoop
import StoreModels

/// Subscriptions, refunds and the clock of one app, as far as the gateway sees them.
extension FakePaymentQueue {
    /// What was asked for, and what is there.
    struct Subscribing {
        /// Alice's.
        var subscriptions: [Subscription] = []
        var lists: [SubscriptionsRequest] = []
        var searches: [SubscriptionListRequest] = []
        var updates: [UpdateSubscriptionRequest] = []
        var operations: [OperateSubscriptionRequest] = []
        var timelines: [TimelineRequest] = []
        /// `refund` or `revoke`, and the request.
        var refunds: [(verb: String, request: RefundRequest)] = []
        var refundLists: [RefundRequestsRequest] = []
        var clock = AppClockState(
            bundleId: Sample.bundleId, now: Timestamp(milliseconds: 1_800_000_000_000), rate: .realTime, frozen: false,
            epoch: 1)
        var moves: [AdvanceClockRequest] = []
        /// Whether a move is over when it is answered.
        var movesAtOnce = true
        /// Revocations that no stream has acknowledged; a snapshot's last page brings them.
        var undelivered: [Revocation] = []
        var acknowledged: [AcknowledgeRevocationsRequest] = []
    }

    func serveSubscriptions() {
        service.handle(SubscriptionEndpoints.list) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.subscribing.lists.append(request)
                let isHers = request.bundleId == Sample.bundleId && request.customerIdentifier == Self.customer
                return SubscriptionsPage(
                    subscriptions: isHers ? contents.subscribing.subscriptions : [], after: isHers ? nil : "1",
                    businessNow: contents.subscribing.clock.now)
            }
        }
        service.handle(SubscriptionEndpoints.search) { [self] request in
            contents.withLock { contents in
                contents.subscribing.searches.append(request)
                return SubscriptionsPage(subscriptions: contents.subscribing.subscriptions)
            }
        }
        service.handle(SubscriptionEndpoints.update) { [self] in try update($0) }
        service.handle(SubscriptionEndpoints.timeline) { [self] request in
            try check()
            let subscription = try subscription(named: request.transaction)
            contents.withLock { $0.subscribing.timelines.append(request) }
            return SubscriptionTimeline(subscription: subscription, events: [Self.renewed])
        }
    }

    func serveOperations() {
        service.handle(SubscriptionEndpoints.operate) { [self] request in
            try check()
            let subscription = try subscription(named: request.transaction)
            contents.withLock { $0.subscribing.operations.append(request) }
            let makesOne = request.operation == .renew || request.operation == .resolveBilling
            return OperateSubscriptionReply(
                subscription: subscription, transaction: makesOne ? Sample.purchased("t_renewed") : nil)
        }
        service.handle(ServerAPIEndpoints.listRefundRequests) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.subscribing.refundLists.append(request)
                return RefundRequestsPage(
                    refundRequests: [
                        Sample.refundRequest("q_1", of: "t_1", bundleId: request.bundleId)
                    ], after: "q_1")
            }
        }
        serveRefundRequests()
        takeBack(SubscriptionEndpoints.refund, "refund")
        takeBack(SubscriptionEndpoints.revoke, "revoke")
        service.handle(SubscriptionEndpoints.acknowledgeRevocations) { [self] request in
            try contents.withLock { contents in
                if contents.refusesAcknowledgements { throw StoreError(.internal, "not now") }
                contents.subscribing.acknowledged.append(request)
                contents.subscribing.undelivered.removeAll { $0.seq <= request.seq }
                return Empty()
            }
        }
    }

    func serveCopies() {
        service.handle(PaymentEndpoints.copyApp) { [self] request in
            try check()
            try await contents.withLock { $0.duringCopy }()
            return try contents.withLock { contents throws(StoreError) in
                contents.copies.append(request)
                if contents.busyCopies > 0 {
                    contents.busyCopies -= 1
                    throw StoreError(.serviceUnavailable, "the store is not idle", retryAfterMs: 0)
                }
                defer { contents.mark.changes += contents.changesAfterCopy }
                return contents.mark
            }
        }
        service.handle(PaymentEndpoints.markApp) { [self] _ in contents.withLock { $0.mark } }
    }

    func serveClock() {
        service.handle(PaymentEndpoints.removeApp) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.removed.append(request.bundleId)
                contents.removalsLeft -= 1
                return RemoveAppReply(isDone: contents.removalsLeft < 0)
            }
        }
        service.handle(SubscriptionEndpoints.getClock) { [self] _ in
            try check()
            return contents.withLock { $0.subscribing.clock }
        }
        service.handle(SubscriptionEndpoints.putClock) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.subscribing.clock.rate = request.rate ?? contents.subscribing.clock.rate
                contents.subscribing.clock.now = request.now ?? contents.subscribing.clock.now
                contents.subscribing.clock.frozen = request.frozen ?? contents.subscribing.clock.frozen
                contents.subscribing.clock.epoch += 1
                return contents.subscribing.clock
            }
        }
        service.handle(SubscriptionEndpoints.advanceClock) { [self] request in
            try check()
            contents.withLock { $0.subscribing.moves.append(request) }
            return advance("a_\(request.requestKey)")
        }
        service.handle(SubscriptionEndpoints.getAdvance) { [self] request in
            let isThere = contents.withLock { contents in
                contents.subscribing.moves.contains {
                    $0.bundleId == request.bundleId && "a_\($0.requestKey)" == request.advanceIdentifier
                }
            }
            guard isThere else {
                throw StoreError(.notFound, "there is no such move of the clock")
            }
            return advance(request.advanceIdentifier)
        }
    }

    /// Entitlements are taken away: a row of the journal, and a revocation that waits for each device.
    @discardableResult
    func revoke(_ productIdentifiers: [String]) -> CustomerChange {
        write { contents, seq in
            contents.subscribing.undelivered.append(Revocation(seq: seq, productIdentifiers: productIdentifiers))
            return CustomerChange(
                bundleId: Sample.bundleId, customerIdentifier: Self.customer, seq: seq, revoked: productIdentifiers,
                transaction: Sample.purchased("t_revoked"))
        }
    }

    /// A subscription changes in a way no stream tells of.
    @discardableResult
    func changeSubscription() -> CustomerChange {
        write { _, seq in
            CustomerChange(
                bundleId: Sample.bundleId, customerIdentifier: Self.customer, seq: seq, kind: .subscriptionChanged,
                transaction: Sample.purchased("t_changed"))
        }
    }

    /// Alice subscribes to Pro.
    func subscribe() {
        contents.withLock { $0.subscribing.subscriptions = [Sample.subscription] }
    }

    private func advance(_ identifier: String) -> ClockAdvance {
        let (now, isFinished) = contents.withLock { ($0.subscribing.clock.now, $0.subscribing.movesAtOnce) }
        return ClockAdvance(
            advanceIdentifier: identifier, bundleId: Sample.bundleId, from: now, to: now + .seconds(60),
            isFinished: isFinished, eventCount: 1, remaining: isFinished ? 0 : 7, events: [Self.renewed],
            truncated: false)
    }

    private static let renewed = SubscriptionEvent(
        at: Timestamp(milliseconds: 1_800_000_000_000), kind: .renewed,
        originalTransactionIdentifier: Sample.subscription.originalTransactionIdentifier,
        productIdentifier: Sample.pro.productIdentifier, amount: Sample.pro.price, period: 1)

    private func update(_ request: UpdateSubscriptionRequest) throws -> Subscription {
        try check()
        var subscription = try subscription(of: request.originalTransactionIdentifier)
        guard request.bundleId == Sample.bundleId, request.customerIdentifier == Self.customer else {
            throw StoreError(.notFound, "there is no such subscription")
        }
        if let product = request.autoRenewProductIdentifier, product != subscription.productIdentifier {
            throw StoreError(.productNotFound, "there is no product \(product) in the group")
        }
        subscription.willAutoRenew = request.willAutoRenew ?? subscription.willAutoRenew
        contents.withLock { $0.subscribing.updates.append(request) }
        return subscription
    }

    private func takeBack(_ endpoint: Endpoint<RefundRequest, PaymentTransaction>, _ verb: String) {
        service.handle(endpoint) { [self] request in
            try check()
            contents.withLock { $0.subscribing.refunds.append((verb, request)) }
            var found = try transaction(request.transaction)
            guard found.transactionState == .purchased else {
                throw StoreError(.transactionStateInvalid, "transaction \(found.id) was not purchased")
            }
            found.revocationDate = Timestamp(milliseconds: 1_800_000_000_000)
            return found
        }
    }

    /// A customer's request for a refund, which may be decided about once.
    private func serveRefundRequests() {
        service.handle(ServerAPIEndpoints.openRefundRequest) { [self] request in
            let transaction = try transaction(request.transaction)
            let opened = Sample.refundRequest("q_1", of: transaction.id)
            contents.withLock { $0.refundRequests.append(opened) }
            return opened
        }
        service.handle(ServerAPIEndpoints.getRefundRequest) { [self] in try refundRequest($0) }
        service.handle(ServerAPIEndpoints.grantRefundRequest) { [self] in
            try with(refundRequest($0.refundRequest)) { $0.state = .granted }
        }
        service.handle(ServerAPIEndpoints.declineRefundRequest) { [self] in
            try with(refundRequest($0)) { $0.state = .declined }
        }
        service.handle(ServerAPIEndpoints.reverseRefund) { [self] in try transaction($0.transaction) }
    }

    private func refundRequest(_ named: ScopedIdentifier) throws -> CustomerRefundRequest {
        try check()
        let found = contents.withLock { contents in
            contents.refundRequests.first {
                contents.scope == named.scope && $0.refundRequestIdentifier == named.id
            }
        }
        guard let found else { throw StoreError(.notFound, "there is no such refund request") }
        return found
    }

    private func subscription(named: ScopedIdentifier) throws -> Subscription {
        guard contents.withLock({ $0.scope }) == named.scope else {
            throw StoreError(.notFound, "there is no such subscription")
        }
        return try subscription(of: named.id)
    }

    func subscription(of id: String) throws -> Subscription {
        let found = contents.withLock { contents in
            contents.subscribing.subscriptions.first {
                [$0.id, $0.transactionIdentifier, $0.originalTransactionIdentifier].contains(id)
            }
        }
        guard let found else { throw StoreError(.notFound, "there is no such subscription") }
        return found
    }
}
