import BusClient
import BusService
import StoreModels

extension PurchaseCollaborators {
    /// The other services, over the bus. Nothing is repeated here: the janitor does, and the caller nearest the client.
    static func onBus(_ bus: any BusClient) -> PurchaseCollaborators {
        let caller = ServiceCaller(bus: bus, caller: ServiceName.paymentQueue.rawValue)
        return PurchaseCollaborators(
            quote: { request, deadline throws(StoreError) in
                try await caller.call(
                    CatalogEndpoints.quoteProduct, request, context: CallContext(deadline: deadline))
            },
            charge: { request, deadline throws(StoreError) in
                try await caller.call(
                    ProcessorEndpoints.createCharge, request, context: CallContext(deadline: deadline))
            },
            cancelCharge: { request, deadline throws(StoreError) in
                try await caller.call(
                    ProcessorEndpoints.cancelCharge, request, context: CallContext(deadline: deadline))
            },
            refund: { request, deadline throws(StoreError) in
                try await caller.call(
                    ProcessorEndpoints.createRefund, request, context: CallContext(deadline: deadline))
            },
            publish: { change in
                let key = CustomerKey.of(
                    bundleId: change.bundleId, customerIdentifier: change.customerIdentifier)
                caller.publish(event: PaymentEvents.customerChanged(key: key), change)
            },
            app: { request, deadline throws(StoreError) in
                try await caller.call(CatalogEndpoints.getApp, request, context: CallContext(deadline: deadline))
            },
            storefronts: { deadline throws(StoreError) in
                let reply = try await caller.call(
                    CatalogEndpoints.listStorefronts, Empty(), context: CallContext(deadline: deadline))
                return Set(reply.storefronts.map(\.countryCode))
            },
            chargeChanges: { handler in
                let subscription = try? await bus.subscribe(
                    ProcessorEvents.chargeChanged, queue: BusServiceLimits.queueGroup
                ) { message in
                    guard let changed = try? StoreJSON.decode(ChargeChanged.self, from: message.body) else { return }
                    handler(changed)
                }
                return { await subscription?.unsubscribe() }
            })
    }
}
