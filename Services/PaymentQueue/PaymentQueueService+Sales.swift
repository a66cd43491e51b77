import BusService
import Persistence
import StoreModels

/// Refunds, revocations, receipts and what a customer has, on the bus.
extension PaymentQueueService {
    func registerSales(on service: BusService) {
        service.handle(SubscriptionEndpoints.refund) { [refunds] request, context in
            try await answering { try await refunds.takeBack(request, .refunded, deadline: context.deadline) }
        }
        service.handle(SubscriptionEndpoints.revoke) { [refunds] request, context in
            try await answering { try await refunds.takeBack(request, .revoked, deadline: context.deadline) }
        }
        service.handle(SubscriptionEndpoints.acknowledgeRevocations) { [refunds] request, _ in
            try await answering { try await refunds.acknowledge(request) }
        }
        service.handle(SubscriptionEndpoints.receipt) { [receipts] request, _ in
            try await answering { try await receipts.facts(request) }
        }
        service.handle(PaymentEndpoints.standing) { [transactions] request, _ in
            try await answering { try await transactions.standing(request) }
        }
    }
}
