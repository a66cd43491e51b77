import BusService
import GatewayEdge
import Logging
import StoreHTTP
import StoreModels

/// Asks about customers' eligibility for introductory offers. A response does not require Eligibility.
struct EligibilityAnswers: Sendable {
    let loader: EligibilityLoader
    let services: ServiceCaller
    let logger: Logger

    /// Asks Eligibility about these products, unless there are none. While it is away, the answers have no reply.
    func results(
        for identifiers: [String], of customer: CustomerReference, in storefront: String, _ call: Call
    ) async throws(StoreError) -> EligibilityResults {
        guard !identifiers.isEmpty else { return EligibilityResults(EligibilityReply(eligibility: [], degraded: [])) }
        let request = EligibilityRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, storefront: storefront,
            productIdentifiers: identifiers)
        return try await results(request, call)
    }

    private func results(
        _ request: EligibilityRequest, _ call: Call
    ) async throws(StoreError) -> EligibilityResults {
        let reply = try await degrading(.eligibility, logger) { [loader] () async throws(StoreError) in
            try await loader.ask(request, call.context(deadline: call.optionalDeadline))
        }
        return EligibilityResults(reply)
    }

    /// Returns each subscription's eligibility, from PaymentQueue's data about the customer.
    /// - Throws: `requestInvalid` for the query's products.
    func reply(about customer: RequestCustomer, _ call: Call) async throws -> EligibilityReply {
        let identifiers = call.query.list("ids")
        try Identifier.checkProducts(identifiers, at: "query ids")
        let request = EligibilityRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier,
            storefront: customer.storefront,
            productIdentifiers: identifiers.isEmpty ? nil : identifiers)
        return try await reply(to: request, call)
    }

    /// Returns the eligibility. While Eligibility is away, Catalog supplies the list of subscriptions.
    func reply(to request: EligibilityRequest, _ call: Call) async throws(StoreError) -> EligibilityReply {
        let answers = try await results(request, call)
        if let reply = answers.reply { return reply }
        return try await unknown(request, without: answers.degraded, call)
    }

    /// Builds the reply for an unknown customer.
    /// - Parameter degraded: Names of the services that are away.
    func unknown(
        _ request: EligibilityRequest, without degraded: [String], _ call: Call
    ) async throws(StoreError) -> EligibilityReply {
        let page = try await services.call(
            CatalogEndpoints.listProducts,
            ProductsPageRequest(
                bundleId: request.bundleId, storefront: request.storefront, limit: HTTPLimits.identifiersMax,
                type: .autoRenewable), for: call)
        let wanted = page.products.filter { request.productIdentifiers?.containsExactly($0.productIdentifier) ?? true }
        return EligibilityReply(
            eligibility: wanted.compactMap(ProductEligibility.init(unknownFor:)), degraded: degraded)
    }
}

extension ProductEligibility {
    /// Creates an entry. Nil for a product that is not a subscription.
    fileprivate init?(unknownFor product: Product) {
        guard let group = product.subscriptionGroupIdentifier else { return nil }
        self.init(
            productIdentifier: product.productIdentifier, subscriptionGroupIdentifier: group, eligibility: .unknown,
            rule: .historyUnavailable)
    }
}
