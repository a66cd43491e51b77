import Persistence
import ServiceDatabase
import StoreModels

/// Handles `subscription.update` and `.operate`: changes of one subscription by customers and operators.
///
/// The subscription is brought up to the app's clock first, so that no change conflicts with a renewal: a cancellation
/// that is acknowledged before the boundary is never followed by a charge (S3).
struct SubscriptionService: Sendable {
    /// Maximum number of days of one extension.
    static let daysMax = 90

    let renewals: RenewalService
    let reader: SubscriptionReader

    // MARK: Operators

    /// Applies an operator's operation.
    /// - Throws: `requestInvalid`, `notFound`, `transactionStateInvalid` if the state has no such edge, or
    ///   `serviceUnavailable` while the processor or Catalog has to reply first. `outcomeUnknown` when a charge was
    ///   begun and its outcome is not known. The renewal continues by itself.
    func operate(
        _ request: OperateSubscriptionRequest, deadline: ContinuousClock.Instant
    ) async throws -> OperateSubscriptionReply {
        try Self.check(request)
        let last = deadline - PurchaseService.replyMargin
        let due = try await current(until: last) { reader in
            try await SubscriptionLookup.find(request.transaction, in: reader)
        }
        switch request.operation {
        case .renew: return try await charge(due, from: [.subscribed])
        case .resolveBilling: return try await resolve(due)
        case .requestPriceConsent: return try await change(due, .consentRequested, until: deadline)
        case .forceRenewal: return try await forceRenewal(of: due, until: deadline)
        case .expire:
            return try await change(
                due, .expired(request.reason ?? .other), endsQuarantine: true, until: deadline)
        case .enableAutoRenew: return try await change(due, .autoRenewEnabled, until: deadline)
        case .disableAutoRenew: return try await change(due, .autoRenewDisabled, until: deadline)
        case .failNextRenewal: return try await change(due, .renewalWillFail, until: deadline)
        case .extend: return try await change(due, .extended(days: request.days ?? 0), until: deadline)
        }
    }

    private static func check(_ request: OperateSubscriptionRequest) throws(StoreError) {
        let isExtension = request.operation == .extend
        guard isExtension == (request.days != nil), (1...daysMax).contains(request.days ?? 1) else {
            throw StoreError.requestInvalid("days", "'extend', and nothing else, takes 1 to \(daysMax) days")
        }
        guard request.reason == nil || request.operation == .expire else {
            throw StoreError.requestInvalid("reason", "only 'expire' takes a reason")
        }
    }

    /// Charges the next renewal now.
    private func charge(
        _ due: DueSubscription, from states: Set<SubscriptionState>
    ) async throws -> OperateSubscriptionReply {
        guard let (known, now) = try await renewals.find(due.value.originalID) else {
            throw StoreError(.notFound, "no such subscription")
        }
        // What has fallen due since then is another decision.
        try known.value.requireIdle(at: now)
        guard states.contains(known.value.state), known.value.willAutoRenew else {
            let state = known.value.state.rawValue
            throw StoreError(
                .transactionStateInvalid,
                known.value.state == .subscribed && !states.contains(.subscribed)
                    ? "the subscription is subscribed: its last charge did not fail"
                    : "a subscription that is \(state)\(known.value.willAutoRenew ? "" : " and cancelled")"
                        + " has no renewal for that",
                details: ["state": .string(state)])
        }
        let quote = try await renewals.quotes.quote(known.quoteRequest, until: .now + RenewalService.quoteTime)
        guard RenewalPolicy.isAgreed(known.value, known.context(quote)) else {
            throw StoreError(
                .transactionStateInvalid, "the subscriber has not agreed to the higher price",
                details: ["state": .string(known.value.state.rawValue)])
        }
        guard let attempt = RenewalPolicy.renewal(known.value, known.context(quote), at: now) else {
            throw StoreError(.transactionStateInvalid, "the product is not for sale any more")
        }
        let job = RenewalJob(
            value: known.value, work: attempt.terms.isFree ? .free(attempt) : .charge(attempt), at: now)
        return try await run(job)
    }

    /// Ends the present period, and performs the renewal that is due then.
    private func forceRenewal(
        of due: DueSubscription, until deadline: ContinuousClock.Instant
    ) async throws -> OperateSubscriptionReply {
        let cut = try await change(due, .cutShort, until: deadline)
        guard try await renewals.catchUp(due.value.originalID, until: deadline - PurchaseService.replyMargin) else {
            throw StoreError(
                .outcomeUnknown, "the period has ended, and its renewal is not done yet; it continues by itself")
        }
        return OperateSubscriptionReply(
            subscription: try await show(due.value.originalID, isOperator: true), transaction: cut.transaction)
    }

    /// Asks the processor now. A renewal in quarantine keeps its charge and never gets another one.
    private func resolve(_ due: DueSubscription) async throws -> OperateSubscriptionReply {
        guard let (known, _) = try await renewals.find(due.value.originalID), known.value.isQuarantined,
            let text = known.value.attempt
        else { return try await charge(due, from: [.inGracePeriod, .inBillingRetryPeriod]) }
        let attempt = try StoredJSON.value(RenewalAttempt.self, text)
        return try await run(RenewalJob(value: known.value, work: .charge(attempt), at: attempt.at))
    }

    private func run(_ job: RenewalJob) async throws -> OperateSubscriptionReply {
        let settled = try await renewals.run(job)
        return OperateSubscriptionReply(
            subscription: try await show(settled.value.originalID, isOperator: true),
            transaction: settled.transaction)
    }

    /// Commits an operator's change. An expiry also ends a renewal in quarantine.
    private func change(
        _ due: DueSubscription, _ event: SubscriptionTransition, endsQuarantine: Bool = false,
        until deadline: ContinuousClock.Instant
    ) async throws -> OperateSubscriptionReply {
        let value = try await commit(
            due.value, endsQuarantine: endsQuarantine, until: deadline
        ) { state, known -> PaymentTransaction? in
            let next = try state.apply(event, to: known, at: state.now)
            return next.period.end == known.period.end
                ? nil : try state.moveExpiry(to: next)
        }
        return OperateSubscriptionReply(
            subscription: try await show(due.value.originalID, isOperator: true), transaction: value)
    }

    // MARK: Customers

    /// Applies a customer's wishes for the next renewal.
    /// - Throws: `notFound`, also for another customer's, `productNotFound` for a product outside the group,
    ///   `requestInvalid` for one that must be bought, `transactionStateInvalid`, or `serviceUnavailable`.
    func update(
        _ request: UpdateSubscriptionRequest, deadline: ContinuousClock.Instant
    ) async throws -> Subscription {
        let customer = request.customer
        let last = deadline - PurchaseService.replyMargin
        let due = try await current(until: last) { reader in
            let found = try await SubscriptionLookup.find(
                original: request.originalTransactionIdentifier, of: customer, in: reader)
            guard let found else { throw StoreError(.notFound, "no such subscription") }
            return found
        }
        let wanted = try await wanted(request.autoRenewProductIdentifier, instead: due, until: last)
        try await commit(due.value, until: deadline) { state, known in
            var next = known
            if let wanted { next = try state.prefer(wanted, to: next) }
            if let renews = request.willAutoRenew {
                try state.apply(renews ? .autoRenewEnabled : .autoRenewDisabled, to: next, at: state.now)
            }
        }
        return try await show(due.value.originalID, isOperator: false)
    }

    /// Reads the wanted product of the next renewal from Catalog.
    private func wanted(
        _ product: String?, instead due: DueSubscription, until last: ContinuousClock.Instant
    ) async throws -> SubscriptionChangePolicy.Wanted? {
        guard let product else { return nil }
        var request = due.quoteRequest
        request.productIdentifier = product
        let quote = try await renewals.quotes.quote(request, until: last)
        guard quote.availability == .available, quote.isOfGroup(of: due.value),
            let length = quote.product?.subscriptionPeriod
        else { throw StoreError(.productNotFound, "the subscription's group has no such product for sale") }
        return SubscriptionChangePolicy.Wanted(
            product: product, level: quote.subscriptionLevel ?? 1, length: length,
            plan: quote.product?.plan(instead: due.value))
    }

    /// Shows the app's question about a higher price, or postpones it.
    /// - Throws: `notFound`, also for another customer's.
    func showPriceConsent(_ request: ShowPriceConsentRequest) async throws -> Subscription {
        let customer = request.customer
        let due = try await renewals.database.read { reader in
            try await SubscriptionLookup.find(
                original: request.originalTransactionIdentifier, of: customer, in: reader)
        }
        guard let value = due?.value else { throw StoreError(.notFound, "no such subscription") }
        _ = try await renewals.commits.commit(
            customer,
            asking: CustomerState.lookups(about: value)
                + [PromptRepository.find(about: value.period.transactionID, .priceConsent, customer).key]
        ) { state in try state.show(request.show, consentOf: value.originalID) }
        return try await show(value.originalID, isOperator: false)
    }

    // MARK: Common

    /// Finds a subscription and brings it up to the app's clock.
    func current(
        until last: ContinuousClock.Instant,
        _ find: @escaping @Sendable (SQLReader) async throws -> DueSubscription
    ) async throws -> DueSubscription {
        let due = try await renewals.database.read { reader in try await find(reader) }
        guard try await renewals.catchUp(due.value.originalID, until: last) else {
            throw StoreError(
                .serviceUnavailable, "a renewal has to end first, and the processor or the catalogue is away",
                retryAfterMs: 500)
        }
        return due
    }

    /// Commits a decision about the subscription while no renewal is due, and publishes the changes.
    /// - Parameter lookups: The rows that the decision asks for, except the subscription and its latest transaction.
    @discardableResult
    func commit<Output: Sendable>(
        _ value: StoredSubscription, endsQuarantine: Bool = false, asking lookups: [SQLLookupKey] = [],
        until deadline: ContinuousClock.Instant? = nil,
        _ decide: @escaping @Sendable (inout CustomerState, StoredSubscription) throws -> Output
    ) async throws -> Output {
        let committed = try await renewals.commits.commit(
            value.customer, asking: CustomerState.lookups(about: value) + lookups, until: deadline
        ) { state in
            guard let known = try state.subscription(originalID: value.originalID) else {
                throw StoreError(.notFound, "no such subscription")
            }
            if !endsQuarantine || !known.isQuarantined { try known.requireIdle(at: state.now) }
            return try decide(&state, known)
        }
        for change in committed.changes { renewals.collaborators.publish(change) }
        return committed.output
    }

    private func show(_ originalID: String, isOperator: Bool) async throws -> Subscription {
        guard let (due, _) = try await renewals.find(originalID) else {
            throw StoreError(.notFound, "no such subscription")
        }
        return await reader.show(due, isOperator: isOperator)
    }
}

extension Product {
    /// Returns the plan of a change to this product: the scheduled or present one, if the product has it.
    fileprivate func plan(instead value: StoredSubscription) -> BillingPlan? {
        if productIdentifier.isExactly(value.product) { return value.plan?.present }
        let scheduled = value.planAfterwards
        if productIdentifier.isExactly(value.productAfterwards), scheduled == .upFront || monthlyTerms != nil {
            return scheduled
        }
        return value.presentPlan == .monthly && monthlyTerms != nil ? .monthly : pricingTerms.map { _ in .upFront }
    }
}

extension Quote {
    /// Tells whether a subscription may change to the product.
    ///
    /// The product has to be of its group, as the group is today or was at the last payment.
    fileprivate func isOfGroup(of value: StoredSubscription) -> Bool {
        guard let group = product?.subscriptionGroupIdentifier else { return false }
        return [value.group, value.paidGroup].contains { $0.isExactly(group) }
            || sharesGroup(with: value.product)
    }
}
