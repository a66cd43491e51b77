import BusClient
import BusService
import StoreModels

/// Requests customers' standings without caching: a page shows the changes of an acknowledged purchase. Under load
/// simultaneous questions are sent as one batch, after the clients' requests arrived.
typealias StandingQuestions = GatheredQuestions<AllApps, CustomerStandingRequest, CustomerStanding>

extension StandingQuestions {
    convenience init(bus: any BusClient, services: ServiceCaller) {
        self.init(
            bus: bus, service: .paymentQueue, batchMax: CustomerStandingsRequest.customersMax
        ) { (_, customer, context) async throws(StoreError) in
            try await services.call(PaymentEndpoints.standing, customer, context: context)
        } many: { (_, customers, context) async throws(StoreError) in
            try await services.call(
                PaymentEndpoints.standings, CustomerStandingsRequest(customers: customers), context: context
            ).standings
        }
    }
}
