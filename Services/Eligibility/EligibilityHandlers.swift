import BusService
import Logging
import StoreModels

/// Answers Eligibility's subjects: asks Catalog and PaymentQueue at once and lets ``OfferEvaluation`` put the two
/// together.
package struct EligibilityHandlers: Sendable {
    private let services: ServiceCaller

    package init(services: ServiceCaller) {
        self.services = services
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
        async let subscriptions = subscriptions(request, upstream)
        async let summary = summary(request, upstream, context.logger)
        return OfferEvaluation(subscriptions: try await subscriptions, summary: await summary).reply()
    }

    private func subscriptions(
        _ request: EligibilityRequest, _ context: CallContext
    ) async throws -> [SubscriptionReference] {
        if let identifiers = request.productIdentifiers {
            let query = ProductsRequest(
                bundleId: request.bundleId, productIdentifiers: identifiers, storefront: request.storefront)
            let endpoint = CatalogEndpoints.queryProducts(as: SubscriptionReference.self)
            return try await services.call(endpoint, query, context: context).products
        }
        var products: [SubscriptionReference] = []
        var after: String?
        repeat {
            let query = ProductsPageRequest(
                bundleId: request.bundleId, storefront: request.storefront, after: after, limit: 500,
                type: .autoRenewable)
            let page = try await services.call(CatalogEndpoints.listProducts, query, context: context)
            products += page.products.map(SubscriptionReference.init)
            after = page.after
        } while after != nil
        return products
    }

    private func summary(_ request: EligibilityRequest, _ context: CallContext, _ logger: Logger) async -> OfferSummary?
    {
        do {
            let query = OfferSummaryRequest(
                bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
            return try await services.call(PaymentEndpoints.offerSummary, query, context: context)
        } catch {
            logger.warning("history unavailable, answering unknown", metadata: ["code": "\(error)"])
            return nil
        }
    }
}
