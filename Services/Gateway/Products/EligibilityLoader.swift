import BusClient
import BusService
import StoreHTTP
import StoreModels

/// Requests eligibility, without caching. No client may see an offer that an acknowledged purchase used up (O2),
/// through any gateway. Instead, under load, simultaneous questions about the same app and storefront are sent as one
/// batch, always after the clients' requests arrived.
final class EligibilityLoader: Sendable {
    private struct Key: Hashable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
    }

    private let services: ServiceCaller
    private let loader: DataLoader<Key, EligibilityBatch.Customer, EligibilityReply>

    init(bus: any BusClient, services: ServiceCaller) {
        self.services = services
        loader = DataLoader(bus: bus, service: .eligibility, batchMax: EligibilityBatch.customersMax) {
            (key, customer, context) async throws(StoreError) in
            let request = EligibilityRequest(
                bundleId: key.bundleId, customerIdentifier: customer.customerIdentifier,
                storefront: key.storefront, productIdentifiers: customer.productIdentifiers)
            return try await services.call(EligibilityEndpoints.check, request, context: context)
        } many: { (key, customers, context) async throws(StoreError) in
            let batch = EligibilityBatch(
                bundleId: key.bundleId, storefront: key.storefront, customers: customers)
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
        return try await loader.ask(
            customer, at: Key(bundleId: request.bundleId, storefront: request.storefront), context)
    }
}

extension ReceiptQuestion: CheckedBody {
    package func validate() throws(StoreError) {
        try Identifier.checkProducts(productIdentifiers ?? [], at: "$.productIdentifiers")
    }
}
