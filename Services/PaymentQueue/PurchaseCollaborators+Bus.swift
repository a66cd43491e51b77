import BusService
import StoreModels

extension PurchaseCollaborators {
    /// The other services, over the bus. Nothing is repeated here: the janitor does, and the caller nearest the client.
    static func onBus(_ caller: ServiceCaller) -> PurchaseCollaborators {
        PurchaseCollaborators(
            quote: { request, deadline throws(StoreError) in
                try await caller.call(
                    CatalogEndpoints.quoteProduct, request, context: CallContext(deadline: deadline))
            },
            charge: { request, deadline throws(StoreError) in
                try await caller.call(
                    ProcessorEndpoints.createCharge, request, context: CallContext(deadline: deadline))
            },
            publish: { change in
                let key = CustomerKey.of(
                    bundleId: change.bundleId, customerIdentifier: change.customerIdentifier)
                caller.publish(event: PaymentEvents.customerChanged(key: key), change)
            })
    }
}
