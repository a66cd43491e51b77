import BusClient
import BusService
import EventLoop
import Logging
import PlantedBugs
import StoreModels

/// Handles Eligibility's subjects: asks Catalog and PaymentQueue concurrently.
///
/// ``OfferEvaluation`` combines their replies.
package struct EligibilityHandlers: Sendable {
    private let services: ServiceCaller
    private let versions: VersionLeases<AppVersion>
    private let catalog: SubscriptionCatalog

    /// Creates handlers.
    /// - Parameter now: The clock for the age of cached lists.
    package init(
        bus: any BusClient, services: ServiceCaller,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.services = services
        let lease = services.function(CatalogEndpoints.leaseApp)
        versions = VersionLeases(of: .catalog, on: bus) { (bundleId, holder, deadline) async throws(StoreError) in
            try await lease(AppLeaseRequest(bundleId: bundleId.text, holder: holder), deadline)
        }
        catalog = SubscriptionCatalog(services, versions, now: now)
    }

    /// The service that receives Catalog's recalls of leases, and drops the lists of changed apps. It runs in parallel
    /// with the endpoints.
    package var recalls: LeaseRecalls<AppVersion> { versions.recalls { [catalog] in catalog.forget($0) } }

    /// Registers handlers for `sb.eligibility.v1.…`.
    package func register(on service: BusService) {
        service.handle(EligibilityEndpoints.check, check)
        service.handle(EligibilityEndpoints.checkMany, checkMany)
    }

    /// Decides for one customer.
    /// - Throws: `serviceUnavailable` or `deadlineExceeded` when Catalog does not reply. Without PaymentQueue's reply
    ///   the answer is `unknown`.
    @Sendable private func check(_ request: EligibilityRequest, _ context: RequestContext) async throws
        -> EligibilityReply
    {
        let upstream = Self.upstream(context)
        let key = SubscriptionCatalog.Key(bundleId: request.bundleId, storefront: request.storefront)
        async let subscriptions = catalog.list(key, upstream)
        async let history = history(request, upstream, context.logger)
        return OfferEvaluation(
            subscriptions: try await subscriptions, identifiers: request.productIdentifiers, history: await history
        ).reply()
    }

    /// Decides for several customers.
    /// - Throws: As ``check(_:_:)``, and `requestInvalid` for a batch that is too large.
    @Sendable private func checkMany(_ batch: EligibilityBatch, _ context: RequestContext) async throws
        -> EligibilityBatchReply
    {
        try batch.validate()
        let upstream = Self.upstream(context)
        async let subscriptions = catalog.list(.init(bundleId: batch.bundleId, storefront: batch.storefront), upstream)
        let query = OfferSummariesRequest(
            bundleId: batch.bundleId, customerIdentifiers: batch.customers.map(\.customerIdentifier))
        async let summaries = summaries(query, upstream, context.logger)
        let (list, known) = (try await subscriptions, await summaries)
        return EligibilityBatchReply(
            replies: zip(batch.customers, known).map { customer, summary in
                OfferEvaluation(
                    subscriptions: list, identifiers: customer.productIdentifiers, history: .summary(summary)
                ).reply()
            })
    }

    /// Makes the context of further requests, with half of the remaining time.
    ///
    /// The other half remains for the answer `unknown`, when PaymentQueue does not reply.
    private static func upstream(_ context: RequestContext) -> CallContext {
        var halved = context.callContext
        halved.deadline = .now + context.remaining / 2
        return halved
    }

    private func history(
        _ request: EligibilityRequest, _ context: CallContext, _ logger: Logger
    ) async -> OfferEvaluation.History {
        if let receipt = request.receipt { return .receipt(receipt) }
        let query = OfferSummariesRequest(
            bundleId: request.bundleId, customerIdentifiers: [request.customerIdentifier])
        return .summary(await summaries(query, context, logger)[0])
    }

    /// Reads one summary per customer. Nil for a customer that PaymentQueue does not have, and for all without its
    /// reply.
    private func summaries(
        _ query: OfferSummariesRequest, _ context: CallContext, _ logger: Logger
    ) async -> [OfferSummary?] {
        if PlantedBug.isActive(.cachedEligibility), let remembered = query.remembered { return remembered }
        let none = [OfferSummary?](repeating: nil, count: query.customerIdentifiers.count)
        do {
            let found = try await services.call(PaymentEndpoints.offerSummaries, query, context: context).summaries
            if PlantedBug.isActive(.cachedEligibility) { query.remember(found) }
            return found.count == none.count ? found : none
        } catch {
            logger.warning("history unavailable, answering unknown", metadata: ["code": "\(error)"])
            return none
        }
    }
}

/// Summaries of the last five seconds (``PlantedBug/cachedEligibility``).
private let rememberedSummaries = Locked<[ExactText: (summaries: [OfferSummary?], until: ContinuousClock.Instant)]>([:])

extension OfferSummariesRequest {
    private var customersKey: ExactText { ExactText(([bundleId] + customerIdentifiers).joined(separator: " ")) }

    fileprivate var remembered: [OfferSummary?]? {
        rememberedSummaries.withLock { $0[customersKey].flatMap { $0.until > .now ? $0.summaries : nil } }
    }

    /// Remembers summaries in which no customer is missing.
    fileprivate func remember(_ summaries: [OfferSummary?]) {
        guard summaries.count == customerIdentifiers.count, !summaries.contains(where: { $0 == nil }) else { return }
        rememberedSummaries.withLock { $0[customersKey] = (summaries, .now + .seconds(5)) }
    }
}

/// Combines Catalog's subscriptions and a customer's history into answers, without I/O.
struct OfferEvaluation {
    /// A customer's history, by subscription group.
    enum History {
        /// PaymentQueue's summary. Nil without a reply, and then every answer is `unknown`.
        case summary(OfferSummary?)
        /// A receipt's history. PaymentQueue is not asked about its customer.
        case receipt(ReceiptHistory)
    }

    /// The app's subscriptions.
    let subscriptions: SubscriptionList
    /// The products to answer for. Nil for all.
    let identifiers: [String]?
    let history: History

    func reply() -> EligibilityReply {
        let products = subscriptions.offered(identifiers)
        switch history {
        case .summary(let summary?):
            return EligibilityReply(
                eligibility: products.map { answer($0, decide($0, summary.history, summary.businessNow)) },
                degraded: [])
        case .summary(nil):
            return EligibilityReply(
                eligibility: products.map { unknown($0) },
                degraded: [ServiceName.paymentQueue.degradedName].compactMap(\.self))
        case .receipt(let receipt):
            return EligibilityReply(eligibility: answers(products, receipt), degraded: [])
        }
    }

    /// Answers from a receipt. An unknown product in it turns `eligible` into `unknown` (O3).
    private func answers(_ products: [SubscriptionProduct], _ receipt: ReceiptHistory) -> [ProductEligibility] {
        let history = receipt.history
        let unplaced = receipt.unplaced { subscriptions.groups[$0] != nil }
        return products.map { product in
            let decision = decide(product, history, receipt.now)
            if let unplaced, decision.eligibility == .eligible {
                return unknown(product, transactionIdentifier: unplaced.transactionIdentifier)
            }
            return answer(product, decision)
        }
    }

    /// Decides by group (M119, M121).
    ///
    /// A product's own history counts, and that of all products it shares a group with, today or when they were bought.
    private func decide(
        _ product: SubscriptionProduct, _ history: SubscriptionHistory, _ now: Timestamp
    ) -> IntroductoryOfferPolicy.Decision {
        let group = product.subscriptionGroupIdentifier
        let question = SubscriptionHistory.Question(of: product.productIdentifier, inGroup: group) { other in
            subscriptions.groups[other].map { $0.isExactly(group) } ?? false
        }
        return IntroductoryOfferPolicy.decide(history: history.group(of: question, at: now), now: now)
    }

    private func answer(
        _ product: SubscriptionProduct, _ decision: IntroductoryOfferPolicy.Decision
    ) -> ProductEligibility {
        ProductEligibility(
            productIdentifier: product.productIdentifier,
            subscriptionGroupIdentifier: product.subscriptionGroupIdentifier, eligibility: decision.eligibility,
            rule: decision.rule, transactionIdentifier: decision.transactionIdentifier,
            usedProductIdentifier: decision.usedProductIdentifier.flatMap { used in
                used.isExactly(product.productIdentifier) ? nil : used
            })
    }

    private func unknown(
        _ product: SubscriptionProduct, transactionIdentifier: String? = nil
    ) -> ProductEligibility {
        ProductEligibility(
            productIdentifier: product.productIdentifier,
            subscriptionGroupIdentifier: product.subscriptionGroupIdentifier, eligibility: .unknown,
            rule: .historyUnavailable, transactionIdentifier: transactionIdentifier)
    }
}
