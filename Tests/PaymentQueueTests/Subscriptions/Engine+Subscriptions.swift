import BusService
import ServiceTesting
import StoreModels
import StorebusTesting

@testable import PaymentQueue

/// What a test does to clocks and subscriptions.
extension TestStore {
    @discardableResult
    func putClock(
        _ now: String? = nil, rate: ClockRate? = nil, frozen: Bool? = nil
    ) async throws -> AppClockState {
        var instant: Timestamp?
        if let now { instant = Self.instant(now) }
        return try await caller.call(
            SubscriptionEndpoints.putClock,
            PutClockRequest(bundleId: Catalogue.bundleId, rate: rate, now: instant, frozen: frozen))
    }

    /// `2027-01-31` at ten, or a whole instant.
    static func instant(_ text: String) -> Timestamp {
        guard let instant = Timestamp(text.count == 10 ? "\(text)T10:00:00.000Z" : text) else {
            preconditionFailure("\(text) is no instant")
        }
        return instant
    }

    func clockState() async throws -> AppClockState {
        try await caller.call(SubscriptionEndpoints.getClock, AppRequest(bundleId: Catalogue.bundleId))
    }

    func move(
        by: String? = nil, to: String? = nil, next: Int? = nil, key: String, within time: Duration = .seconds(5)
    ) async throws -> ClockAdvance {
        var instant: Timestamp?
        if let to { instant = Self.instant(to) }
        return try await caller.call(
            SubscriptionEndpoints.advanceClock,
            AdvanceClockRequest(bundleId: Catalogue.bundleId, requestKey: key, by: by, to: instant, next: next),
            context: CallContext(deadline: .now + time))
    }

    /// Moves the clock, under one key, until the service has died at `checkpoint`.
    func move(
        by: String? = nil, next: Int? = nil, key: String, dyingAt checkpoint: Checkpoint
    ) async throws {
        let queue = current
        queue.crash.arm(checkpoint)
        try await eventually("the service dies") {
            _ = try? await move(by: by, next: next, key: key, within: .milliseconds(600))
            return queue.crash.hasCrashed
        }
    }

    /// Moves the clock, and asks again until all has happened.
    @discardableResult
    func jump(by: String? = nil, to: String? = nil, next: Int? = nil) async throws -> ClockAdvance {
        let key = "\(by ?? to ?? "next")-\(SplitMix64.next())"
        var answer = try await move(by: by, to: to, next: next, key: key, within: .seconds(30))
        try await eventually("the clock's move ends", within: .seconds(60)) {
            if answer.isFinished { return true }
            answer = try await move(by: by, to: to, next: next, key: key, within: .seconds(5))
            return answer.isFinished
        }
        return answer
    }

    func timeline(_ id: String, limit: Int = 500, after: String? = nil) async throws -> SubscriptionTimeline {
        try await caller.call(
            SubscriptionEndpoints.timeline, TimelineRequest(.outside(id), after: after, limit: limit))
    }

    /// `2027-02-28 renewed 9.99`, an entry a line.
    func lines(_ id: String) async throws -> [String] {
        try await timeline(id).events.map { event in
            ["\(event.at.description.prefix(10))", event.kind.rawValue, event.amount?.amount].compactMap(\.self)
                .joined(separator: " ")
        }
    }

    @discardableResult
    func operate(
        _ id: String, _ operation: OperateSubscriptionRequest.Operation, days: Int? = nil
    ) async throws -> OperateSubscriptionReply {
        try await caller.call(
            SubscriptionEndpoints.operate, OperateSubscriptionRequest(.outside(id), operation: operation, days: days))
    }

    func subscriptions(_ request: SubscriptionListRequest) async throws -> SubscriptionsPage {
        try await caller.call(SubscriptionEndpoints.search, request)
    }

    /// The days of the next and the last try of the only subscription's charge, as the operator sees them.
    func retries() async throws -> [String] {
        let one = try await subscriptions(SubscriptionListRequest()).subscriptions.first
        return [one?.nextRetryDate, one?.lastRetryDate].compactMap { $0.map { String($0.description.prefix(10)) } }
    }

    /// What was charged for a subscription and captured, in the order of the ledger.
    func renewals() async throws -> [Charge] {
        try await charges().filter { $0.chargeKey.hasPrefix("renew:") && $0.outcome == .approved }
    }

    /// Returns the beginning of the keys of a subscription's renewals.
    /// - Parameter original: The identifier of its first transaction.
    func renewalKey(_ original: String) async throws -> String {
        "renew:\(try await find(original).transaction.id)"
    }
}

extension SplitMix64 {
    /// For keys that only have to differ.
    fileprivate static func next() -> String { String(UInt64.random(in: 0 ... .max), radix: 36) }
}

extension CustomerApp {
    func subscriptions() async throws -> [Subscription] {
        try await store.caller.call(
            SubscriptionEndpoints.list,
            SubscriptionsRequest(bundleId: Catalogue.bundleId, customerIdentifier: customer)
        ).subscriptions
    }

    /// The only one.
    func subscription() async throws -> Subscription {
        let all = try await subscriptions()
        guard let first = all.first, all.count == 1 else {
            throw StoreError(.notFound, "\(all.count) subscriptions")
        }
        return first
    }

    @discardableResult
    func update(
        _ original: String, renews: Bool? = nil, product: String? = nil
    ) async throws -> Subscription {
        try await store.caller.call(
            SubscriptionEndpoints.update,
            UpdateSubscriptionRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, originalTransactionIdentifier: original,
                willAutoRenew: renews, autoRenewProductIdentifier: product))
    }

    /// Buys, and hands back the subscription's own name.
    func subscribe(_ product: String, key: String = "first") async throws -> String {
        let bought = try await add(product, key: key).transaction
        guard bought.transactionState == .purchased, let identifier = bought.transactionIdentifier else {
            throw StoreError(.internal, "\(product) was not bought: \(bought.transactionState)")
        }
        return bought.originalTransactionIdentifier ?? identifier
    }
}
