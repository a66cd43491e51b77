import BusService
import Persistence
import StoreModels

/// Handles `subscription.list`, `.search` and `.timeline`.
struct SubscriptionReader: QueuePart {
    /// Maximum number of subscriptions in one page.
    static let pageMax = 100
    /// Maximum number of timeline entries in one page.
    static let eventsMax = 500
    /// Timeout of all quotes of a reply. Prices not known by then are left out.
    static let quoteTime: Duration = .seconds(1)

    let context: QueueContext

    /// Lists a customer's subscriptions.
    /// - Throws: `requestInvalid`, or `notFound` for an unknown customer.
    func list(_ request: SubscriptionsRequest) async throws -> SubscriptionsPage { try await listed(request).page }

    /// Lists a customer's subscriptions, with the number of the customer's last change before.
    /// - Throws: As ``list(_:)``.
    func listed(_ request: SubscriptionsRequest) async throws -> (page: SubscriptionsPage, seq: Int64) {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let customer = request.customer
        let (rows, winBacks, now, seq) = try await database.read { reader in
            guard let found = try await CustomerRepository.find(customer, in: reader) else {
                throw StoreError(.notFound, "no such customer")
            }
            let rows = try await SubscriptionLookup.list(
                of: customer, after: request.after ?? "", limit: request.limit + 1, in: reader)
            let now = clock.now(try await CustomerRepository.clock(of: customer.bundleId, in: reader))
            return (rows, try await winBackFacts(rows, of: customer, at: now, in: reader), now, found.headSeq)
        }
        let shown = Array(rows.prefix(request.limit))
        let page = SubscriptionsPage(
            subscriptions: await show(shown, isOperator: false, winBacks, now: now),
            after: rows.count > shown.count ? shown.last?.value.originalIdentifier : nil, businessNow: now)
        return (page, seq)
    }

    /// Lists subscriptions of all customers for the operator.
    /// - Throws: `requestInvalid`.
    func search(_ request: SubscriptionListRequest) async throws -> SubscriptionsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        let (rows, now) = try await database.read { reader in
            var wanted = request
            wanted.limit += 1
            let rows = try await SubscriptionLookup.list(wanted, in: reader)
            var now: Timestamp?
            if let bundleId = request.bundleId {
                now = try await ClockRepository.find(bundleId, in: reader).map(clock.now)
            }
            return (rows, now)
        }
        let shown = Array(rows.prefix(request.limit))
        return SubscriptionsPage(
            subscriptions: await show(shown, isOperator: true),
            after: rows.count > shown.count ? shown.last?.value.originalIdentifier : nil, businessNow: now)
    }

    /// Lists a subscription's timeline.
    /// - Throws: `requestInvalid`, `notFound`.
    func timeline(_ request: TimelineRequest) async throws -> SubscriptionTimeline {
        try ReplyBudget.checkLimit(request.limit, max: Self.eventsMax)
        guard let cursor = Int64(request.after ?? "0"), cursor >= 0 else {
            throw StoreError.requestInvalid("after", "'after' is not a position in a timeline")
        }
        let (due, rows) = try await database.read { reader in
            let due = try await SubscriptionLookup.find(request.transaction, in: reader)
            let rows = try await SubscriptionEventRepository.timeline(
                of: due.value.originalID, after: cursor, limit: request.limit + 1, in: reader)
            return (due, rows)
        }
        let page = try ReplyBudget.fitting(Array(rows.prefix(request.limit))) { try StoreJSON.encode($0.event).count }
        return SubscriptionTimeline(
            subscription: await show(due, isOperator: true), events: page.map(\.event),
            after: rows.count > page.count ? page.last.map { "\($0.position)" } : nil)
    }

    /// Reads the win-back facts of ended subscriptions, by their first transaction.
    private func winBackFacts(
        _ rows: [DueSubscription], of customer: CustomerReference, at now: Timestamp, in reader: SQLReader
    ) async throws -> [ExactText: WinBackFacts] {
        let ended = rows.filter { !$0.value.state.isExisting }
        guard !ended.isEmpty else { return [:] }
        let history = try await EntitlementRepository.facts(of: customer, in: reader).history
        var facts: [ExactText: WinBackFacts] = [:]
        for row in ended {
            let question = SubscriptionHistory.Question(
                of: row.value.product, inGroup: row.value.paidGroup, sharesGroup: { _ in false })
            facts[row.value.originalID] = try await reader.read(
                EntitlementRepository.winBackFacts(of: row.value, history: history.group(of: question, at: now)))
        }
        return facts
    }

    // MARK: Replies

    func show(_ due: DueSubscription, isOperator: Bool) async -> Subscription {
        var quoted: [QuoteRequest: Quote?] = [:]
        return await show(due, isOperator: isOperator, &quoted, until: .now + Self.quoteTime)
    }

    private func show(
        _ rows: [DueSubscription], isOperator: Bool, _ winBacks: [ExactText: WinBackFacts] = [:], now: Timestamp? = nil
    ) async -> [Subscription] {
        var quoted: [QuoteRequest: Quote?] = [:]
        let last = ContinuousClock.now + Self.quoteTime
        var shown: [Subscription] = []
        for row in rows {
            var value = await show(row, isOperator: isOperator, &quoted, until: last)
            if let facts = winBacks[row.value.originalID], let now,
                let quote = await quote(row.quoteRequest, &quoted, until: last)
            {
                value.eligibleWinBackOfferIdentifiers = WinBackOfferPolicy.eligible(
                    quote.redeemableOffers ?? [], facts: facts, now: now
                ).compactMap(\.offer.identifier)
            }
            shown.append(value)
        }
        return shown
    }

    private func show(
        _ due: DueSubscription, isOperator: Bool, _ quoted: inout [QuoteRequest: Quote?],
        until last: ContinuousClock.Instant
    ) async -> Subscription {
        let value = due.value
        var shown = value.wire
        if isOperator {
            (shown.bundleId, shown.account) = (IsolatedApp.shown(value.customer.bundleId), due.account)
            if value.willAutoRenew, let dueAt = value.dueAt, let retries = value.retries {
                (shown.nextRetryDate, shown.lastRetryDate) = (retries.next(notBefore: dueAt), retries.end)
            }
        }
        guard value.willAutoRenew, value.state.isExisting else { return shown }
        if let quote = await quote(due.quoteRequest, &quoted, until: last) {
            shown.renewalPrice = RenewalPolicy.renewal(value, due.context(quote), at: value.period.end)?.terms.amount
        }
        if value.isCommitted {
            let quote = await quote(due.quoteAfterwards, &quoted, until: last)
            // The claim has no currency of its own, so it is that of the present payments or absent.
            if let price = quote?.price(after: value), price.currency == value.plan?.commitment?.price.currency {
                shown.commitmentRenewal?.renewalPrice = price
            }
        } else if let price = shown.renewalPrice {
            let count = value.planAfterwards == .monthly ? BillingPlan.paymentsPerCommitment : 1
            shown.commitmentRenewal?.renewalPrice = price.times(count)
        }
        return shown
    }

    /// Returns a subscription of an event with the prices of its renewals, as they are now.
    ///
    /// A price is left out when the renewal buys another product by now, and when Catalog has not replied in time.
    func priced(
        _ told: Subscription, by customer: CustomerReference, until last: ContinuousClock.Instant
    ) async throws -> Subscription {
        let found = try await database.read { reader in
            try await SubscriptionLookup.find(
                original: told.originalTransactionIdentifier, of: customer, in: reader)
        }
        var priced = told
        guard let found else { return priced }
        var quoted: [QuoteRequest: Quote?] = [:]
        let shown = await show(found, isOperator: false, &quoted, until: last)
        if told.renewalPrice == nil, found.value.renewProduct.isExactly(told.autoRenewProductIdentifier),
            shown.renewalBillingPlanType == told.renewalBillingPlanType
        {
            priced.renewalPrice = shown.renewalPrice
        }
        if let wanted = told.commitmentRenewal, let known = shown.commitmentRenewal, let price = known.renewalPrice,
            known.autoRenewProductIdentifier.isExactly(wanted.autoRenewProductIdentifier),
            known.billingPlanType == wanted.billingPlanType
        {
            priced.commitmentRenewal?.renewalPrice = price
        }
        return priced
    }

    /// Requests a quote, once per reply.
    /// - Returns: Nil when Catalog has not replied in time.
    private func quote(
        _ request: QuoteRequest, _ quoted: inout [QuoteRequest: Quote?], until last: ContinuousClock.Instant
    ) async -> Quote? {
        if let known = quoted[request] { return known }
        guard ContinuousClock.now < last else { return nil }
        let quote = try? await quotes.quote(request, until: last)
        quoted[request] = .some(quote)
        return quote
    }
}
