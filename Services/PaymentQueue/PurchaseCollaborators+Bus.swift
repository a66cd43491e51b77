import BusClient
import BusService
import Crypto
import StoreModels

extension PurchaseCollaborators {
    /// Calls the other services over the bus without retries. The sweep and the caller nearest the client retry.
    static func onBus(_ bus: any BusClient) -> PurchaseCollaborators {
        let caller = ServiceCaller(bus: bus, caller: ServiceName.paymentQueue.rawValue)
        let storefronts = caller.function(CatalogEndpoints.listStorefronts)
        return PurchaseCollaborators(
            quote: caller.function(CatalogEndpoints.quoteProduct),
            charge: caller.function(ProcessorEndpoints.createCharge),
            cancelCharge: caller.function(ProcessorEndpoints.cancelCharge),
            refund: caller.function(ProcessorEndpoints.createRefund),
            publish: { change in
                let key = CustomerKey.of(
                    bundleId: change.bundleId, customerIdentifier: change.customerIdentifier)
                caller.publish(event: PaymentEvents.customerChanged(key: key), change)
            },
            app: caller.function(CatalogEndpoints.getApp),
            storefronts: { deadline throws(StoreError) in
                try await storefronts(Empty(), deadline).storefronts
            },
            chargeChanges: { handler in
                let subscription = try? await bus.subscribe(
                    ProcessorEvents.chargeChanged, queue: BusServiceLimits.queueGroup
                ) { message in
                    guard let changed = try? StoreJSON.decode(ChargeChanged.self, from: message.body) else { return }
                    handler(changed)
                }
                return { await subscription?.unsubscribe() }
            },
            appChanges: { forget in await AppChanges(bus: bus, forget: forget).run() })
    }
}

/// Makes the last token of a customer's notification subject. A hash keeps server-made text out of subjects.
enum CustomerKey {
    /// Returns 32 hexadecimal digits of SHA-256(bundleId NUL customerIdentifier).
    static func of(bundleId: String, customerIdentifier: String) -> String {
        Hex.text(SHA256.hash(data: Array("\(bundleId)\0\(customerIdentifier)".utf8)).prefix(16))
    }
}
