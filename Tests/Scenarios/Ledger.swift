import BusClient
import BusService
import StoreModels
import StorebusTesting

/// Reads the payment processor's own books, over the bus as any service would.
enum Ledger {
    /// How long an authorization stays that is still to be captured, also one whose process died.
    private static let captureTime = Duration.seconds(5)

    /// Every charge, oldest first, once all that was bought is captured. Authorizations that are left then lapse. Of an
    /// isolated store it is the store's own charges. A processor that is not back yet is asked again.
    static func charges(of store: StoreStack) async throws -> [Charge] {
        try await store.withBus("ledger") { bus in
            let services = ServiceCaller(bus: bus, caller: "ledger", retries: true)
            var charges: [Charge] = []
            var (open, since) = (-1, ContinuousClock.now)
            try await eventually("all that was bought is captured", within: .seconds(60)) {
                do {
                    charges = try await read(services, store.isolated?.bundleId)
                } catch let error as StoreError where error.code == .serviceUnavailable {
                    return false
                }
                let authorized = charges.count { $0.outcome == .authorized }
                if authorized != open { (open, since) = (authorized, .now) }
                return open == 0 || ContinuousClock.now - since >= captureTime
            }
            return charges.filter { $0.authorizedUntil == nil }
        }
    }

    private static func read(_ services: ServiceCaller, _ app: String?) async throws -> [Charge] {
        var charges: [Charge] = []
        var after: String?
        repeat {
            let page = try await services.call(
                ProcessorEndpoints.listCharges, ChargeListRequest(after: after, limit: 500, bundleId: app),
                context: CallContext())
            charges += page.charges
            after = page.after
        } while after != nil
        return charges
    }
}
