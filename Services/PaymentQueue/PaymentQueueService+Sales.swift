import ServiceDatabase
import StoreModels

/// Refunds, revocations, receipts and what a customer has, on the bus.
extension PaymentQueueService {
    func registerSales(on endpoints: DatabaseEndpoints) {
        endpoints.handle(SubscriptionEndpoints.refund) { [refunds] request, deadline in
            try await refunds.takeBack(request, .refunded, deadline: deadline)
        }
        endpoints.handle(SubscriptionEndpoints.revoke) { [refunds] request, deadline in
            try await refunds.takeBack(request, .revoked, deadline: deadline)
        }
        endpoints.handle(SubscriptionEndpoints.acknowledgeRevocations, refunds.acknowledge)
        endpoints.handle(SubscriptionEndpoints.receipt, receipts.facts)
        endpoints.handle(PaymentEndpoints.standing, transactions.standing)
    }
}
