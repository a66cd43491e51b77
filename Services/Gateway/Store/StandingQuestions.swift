import BusClient
import BusService
import StoreModels

/// Requests customers' standings without caching: a page shows what an acknowledged purchase has changed. Under load
/// simultaneous questions are sent as one batch, after the clients' requests arrived.
struct StandingQuestions: Sendable {
    /// PaymentQueue answers for all apps.
    private enum Place: Hashable { case all }

    private let gathered: GatheredQuestions<Place, CustomerStandingRequest, CustomerStanding>

    init(bus: any BusClient, services: ServiceCaller) {
        gathered = GatheredQuestions(
            bus: bus, service: .paymentQueue, batchMax: CustomerStandingsRequest.customersMax
        ) { (_, customer, context) async throws(StoreError) in
            try await services.call(PaymentEndpoints.standing, customer, context: context)
        } many: { (_, customers, context) async throws(StoreError) in
            try await services.call(
                PaymentEndpoints.standings, CustomerStandingsRequest(customers: customers), context: context
            ).standings
        }
    }

    /// Requests the standing of one customer.
    /// - Throws: `notFound` for an unknown customer; `serviceUnavailable` or `deadlineExceeded` when PaymentQueue is
    ///   away.
    func ask(_ customer: CustomerStandingRequest, _ context: CallContext) async throws(StoreError) -> CustomerStanding {
        try await gathered.ask(customer, at: .all, context)
    }
}
