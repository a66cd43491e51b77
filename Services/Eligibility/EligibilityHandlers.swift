import BusService
import Logging
import StoreModels

/// Answers Eligibility's subjects: asks Catalog and PaymentQueue at once and lets ``OfferEvaluation`` put the two
/// together.
package struct EligibilityHandlers: Sendable {
    private let services: ServiceCaller
    private let catalog: SubscriptionCatalog

    /// - Parameter now: how old the list of subscriptions is goes by this clock.
    package init(
        services: ServiceCaller, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.services = services
        catalog = SubscriptionCatalog(services, now: now)
    }

    /// Makes `service` answer `sb.eligibility.v1.…`.
    package func register(on service: BusService) {
        service.handle(EligibilityEndpoints.check, check)
    }

    /// - Throws: `serviceUnavailable` or `deadlineExceeded` when Catalog does not answer; PaymentQueue's absence is not
    ///   an error but the answer `unknown`.
    @Sendable private func check(_ request: EligibilityRequest, _ context: RequestContext) async throws
        -> EligibilityReply
    {
        // Half of what is left of the budget: a silent PaymentQueue must leave time to answer `unknown`.
        var halved = context.callContext
        halved.deadline = .now + context.remaining / 2
        let upstream = halved
        let key = SubscriptionCatalog.Key(bundleId: request.bundleId, storefront: request.storefront)
        async let subscriptions = catalog.list(key, upstream)
        async let history = history(request, upstream, context.logger)
        return OfferEvaluation(
            subscriptions: try await subscriptions, identifiers: request.productIdentifiers, history: await history
        ).reply()
    }

    private func history(
        _ request: EligibilityRequest, _ context: CallContext, _ logger: Logger
    ) async -> OfferEvaluation.History {
        if let receipt = request.receipt { return .receipt(receipt) }
        do {
            let query = OfferSummaryRequest(
                bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
            return .summary(try await services.call(PaymentEndpoints.offerSummary, query, context: context))
        } catch {
            logger.warning("history unavailable, answering unknown", metadata: ["code": "\(error)"])
            return .summary(nil)
        }
    }
}
