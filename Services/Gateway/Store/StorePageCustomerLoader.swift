import BusClient
import BusService
import StoreModels

/// Requests customers' standings without caching: a page shows the changes of an acknowledged purchase. Under load
/// simultaneous questions are sent as one batch, after the clients' requests arrived.
typealias StorePageCustomerLoader = DataLoader<AllApps, StorePageCustomerRequest, StorePageCustomer>

extension StorePageCustomerLoader {
    convenience init(bus: any BusClient, services: ServiceCaller) {
        self.init(
            bus: bus, service: .paymentQueue, batchMax: StorePageCustomersRequest.customersMax
        ) { (_, customer, context) async throws(StoreError) in
            try await services.call(PaymentEndpoints.storePageCustomer, customer, context: context)
        } many: { (_, customers, context) async throws(StoreError) in
            try await services.call(
                PaymentEndpoints.storePageCustomers, StorePageCustomersRequest(customers: customers), context: context
            ).standings
        }
    }
}
