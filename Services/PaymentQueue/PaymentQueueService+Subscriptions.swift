import BusService
import StoreModels

extension PaymentQueueService {
    /// Subscriptions and clocks.
    func registerSubscriptions(on service: BusService) {
        service.handle(SubscriptionEndpoints.list) { [subscriptionReader] request, _ in
            try await answering { try await subscriptionReader.list(request) }
        }
        service.handle(SubscriptionEndpoints.search) { [subscriptionReader] request, _ in
            try await answering { try await subscriptionReader.search(request) }
        }
        service.handle(SubscriptionEndpoints.timeline) { [subscriptionReader] request, _ in
            try await answering { try await subscriptionReader.timeline(request) }
        }
        service.handle(SubscriptionEndpoints.update) { [subscriptions] request, context in
            try await answering { try await subscriptions.update(request, deadline: context.deadline) }
        }
        service.handle(SubscriptionEndpoints.operate) { [subscriptions] request, context in
            try await answering { try await subscriptions.operate(request, deadline: context.deadline) }
        }
        service.handle(SubscriptionEndpoints.getClock) { [clocks] request, _ in
            try await answering { try await clocks.get(request) }
        }
        service.handle(SubscriptionEndpoints.putClock) { [clocks] request, _ in
            try await answering { try await clocks.put(request) }
        }
        service.handle(SubscriptionEndpoints.advanceClock) { [clocks] request, context in
            try await answering { try await clocks.advance(request, deadline: context.deadline) }
        }
        service.handle(SubscriptionEndpoints.getAdvance) { [clocks] request, _ in
            try await answering { try await clocks.progress(request) }
        }
    }
}
