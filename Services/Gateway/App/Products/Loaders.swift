import BusClient
import BusService
import StoreModels

/// Requests devices' overrides without caching: a page shows the device's settings (M1), through any gateway. Under
/// load simultaneous questions are sent as one batch, after the clients' requests arrived.
typealias OverrideLoader = DataLoader<AllApps, InstallationReference, DevicePromotions>

extension OverrideLoader {
    convenience init(bus: any BusClient, services: ServiceCaller) {
        self.init(bus: bus, service: .promotionController, batchMax: OverridesBatch.installationsMax) {
            (_, installations, context) async throws(StoreError) in
            let batch = OverridesBatch(installations: installations)
            return try await services.call(PromotionEndpoints.getManyOverrides, batch, context: context).promotions
        }
    }
}

/// Requests customers' standings, as ``OverrideLoader``: a page shows the changes of an acknowledged purchase. An
/// unknown customer has nil.
typealias StorePageCustomerLoader = DataLoader<AllApps, StorePageCustomerRequest, StorePageCustomer?>

extension StorePageCustomerLoader {
    convenience init(bus: any BusClient, services: ServiceCaller) {
        self.init(bus: bus, service: .paymentQueue, batchMax: StorePageCustomersRequest.customersMax) {
            (_, customers, context) async throws(StoreError) in
            let request = StorePageCustomersRequest(customers: customers)
            let reply = try await services.call(PaymentEndpoints.storePageCustomers, request, context: context)
            return reply.standings.map { standing -> StorePageCustomer?? in .some(standing) }
        }
    }
}

/// Requests eligibility, as ``OverrideLoader``: no client may see an offer that an acknowledged purchase used up (O2).
/// A batch is of one app and storefront.
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
            (key, customers, context) async throws(StoreError) in
            let batch = EligibilityBatch(bundleId: key.bundleId, storefront: key.storefront, customers: customers)
            let replies = try await services.call(EligibilityEndpoints.checkMany, batch, context: context).replies
            guard replies.count == customers.count else {
                throw StoreError(.internal, "Eligibility answered \(replies.count) of \(customers.count) questions")
            }
            return replies
        }
    }

    /// Requests the eligibility of one customer. Questions about a receipt, about all subscriptions of an app or about
    /// many of them are never in a batch.
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
