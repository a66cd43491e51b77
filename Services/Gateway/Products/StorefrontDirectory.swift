import BusService
import EventLoop
import StoreModels

/// Catalog's table of storefronts, cached for a minute. It does not change while a store runs, so an old copy is used
/// while Catalog is away.
final class StorefrontDirectory: Sendable {
    private struct Contents {
        var storefronts: [ExactText: Storefront] = [:]
        var validUntil: ContinuousClock.Instant?
    }

    private let services: ServiceCaller
    private let contents = Locked(Contents())

    init(services: ServiceCaller) {
        self.services = services
    }

    /// - Parameter place: The place named in the error for an unknown storefront.
    /// - Throws: `requestInvalid` for a code that is not in the table, `serviceUnavailable` when the table has never
    ///   been read and cannot be.
    func find(_ countryCode: String, at place: String, _ call: Call) async throws(StoreError) -> Storefront {
        guard let storefront = try await storefront(countryCode, call.context()) else {
            throw .invalid(place, "'\(countryCode.prefix(16))' is not the alpha-3 code of a storefront, such as USA")
        }
        return storefront
    }

    /// - Returns: Nil for a code that is not in the table.
    /// - Throws: As ``find(_:at:_:)``, without `requestInvalid`.
    func storefront(_ countryCode: String, _ context: CallContext) async throws(StoreError) -> Storefront? {
        try await table(context)[countryCode]
    }

    private func table(_ context: CallContext) async throws(StoreError) -> [ExactText: Storefront] {
        let kept = contents.withLock { $0 }
        if let validUntil = kept.validUntil, validUntil > .now { return kept.storefronts }
        do {
            let reply = try await services.call(CatalogEndpoints.listStorefronts, Empty(), context: context)
            let table = Dictionary(exactly: reply.storefronts.map { ($0.countryCode, $0) })
            contents.withLock { $0 = Contents(storefronts: table, validUntil: .now + .seconds(60)) }
            return table
        } catch  where error.meansAway && !kept.storefronts.isEmpty {
            return kept.storefronts
        }
    }
}
