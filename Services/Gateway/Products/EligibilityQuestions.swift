import BusClient
import BusService
import StoreHTTP
import StoreModels

/// Requests eligibility, without caching. No client may see an offer that an acknowledged purchase used up (O2),
/// through any gateway. Instead, under load, simultaneous questions about the same app and storefront are sent as one
/// batch, always after the clients' requests arrived.
final class EligibilityQuestions: Sendable {
    private struct Place: Hashable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
    }

    private let services: ServiceCaller
    private let gathered: GatheredQuestions<Place, EligibilityBatch.Customer, EligibilityReply>

    init(bus: any BusClient, services: ServiceCaller) {
        self.services = services
        gathered = GatheredQuestions(bus: bus, service: .eligibility, batchMax: EligibilityBatch.customersMax) {
            (place, customer, context) async throws(StoreError) in
            let request = EligibilityRequest(
                bundleId: place.bundleId, customerIdentifier: customer.customerIdentifier,
                storefront: place.storefront, productIdentifiers: customer.productIdentifiers)
            return try await services.call(EligibilityEndpoints.check, request, context: context)
        } many: { (place, customers, context) async throws(StoreError) in
            let batch = EligibilityBatch(
                bundleId: place.bundleId, storefront: place.storefront, customers: customers)
            let replies = try await services.call(EligibilityEndpoints.checkMany, batch, context: context).replies
            guard replies.count == customers.count else {
                throw StoreError(.internal, "Eligibility answered \(replies.count) of \(customers.count) questions")
            }
            return replies
        }
    }

    /// Requests the eligibility of one customer.
    /// - Throws: Eligibility's error, or `serviceUnavailable` or `deadlineExceeded` when it is away.
    func ask(_ request: EligibilityRequest, _ context: CallContext) async throws(StoreError) -> EligibilityReply {
        guard request.receipt == nil, let identifiers = request.productIdentifiers,
            identifiers.count <= EligibilityBatch.productsMax
        else { return try await services.call(EligibilityEndpoints.check, request, context: context) }
        let customer = EligibilityBatch.Customer(
            customerIdentifier: request.customerIdentifier, productIdentifiers: identifiers)
        return try await gathered.ask(
            customer, at: Place(bundleId: request.bundleId, storefront: request.storefront), context)
    }
}

extension ReceiptQuestion: CheckedBody {
    package func validate() throws(StoreError) {
        try Identifier.checkProducts(productIdentifiers ?? [], at: "$.productIdentifiers")
    }
}
