import BusClient
import BusService
import StoreModels

/// Reads the payment processor's own books, over the bus as any service would.
enum Ledger {
    /// Every charge, oldest first.
    static func charges(of store: StoreStack) async throws -> [Charge] {
        try await store.withBus("ledger") { bus in
            try await read(ServiceCaller(bus: bus, caller: "ledger", retries: true))
        }
    }

    private static func read(_ services: ServiceCaller) async throws -> [Charge] {
        var charges: [Charge] = []
        var after: String?
        repeat {
            let page = try await services.call(
                ProcessorEndpoints.listCharges, ChargeListRequest(after: after, limit: 500), context: CallContext())
            charges += page.charges
            after = page.after
        } while after != nil
        return charges
    }
}
