import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes by which the operator makes, lists, activates and deactivates offer codes.
struct OfferCodeArea: Area {
    let services: ServiceCaller
    let directories: Directories

    var routes: [Route] {
        [
            Route(OfferCodeRoutes.create) { try await create($0) },
            services.forward(OfferCodeRoutes.list, to: PaymentEndpoints.listOfferCodes) { call in
                OfferCodesRequest(
                    bundleId: try await directories.existingApp(call), after: try call.after(),
                    limit: try call.limit(HTTPLimits.adminPageMax))
            },
            services.forward(
                OfferCodeRoutes.activate, to: PaymentEndpoints.activateOfferCode, else: .sameAgainTells
            ) { call, body in
                ActivateOfferCodeRequest(
                    bundleId: try call.bundleId(),
                    codeIdentifier: try call.parameter(.codeIdentifier, of: "offer code"),
                    isActive: body.isActive)
            },
        ]
    }

    /// Makes a code of an offer that the catalogue has.
    private func create(_ call: Call) async throws -> Reply<OfferCode> {
        let body = try await call.body(of: OfferCodeRoutes.create)
        let bundleId = try call.bundleId()
        let offers = try await services.call(
            CatalogEndpoints.productOffers,
            ProductOffersRequest(bundleId: bundleId, productIdentifier: body.productIdentifier), for: call)
        let names = offers.redeemableOffers.filter { $0.type == .code }.compactMap(\.offer.identifier)
        guard names.contains(where: { $0.isExactly(body.offer) }) else {
            throw StoreError.invalid(
                "$.offer",
                names.isEmpty
                    ? "is unknown; \(body.productIdentifier) has no offers for codes, which only subscriptions have"
                    : "is unknown; the offers of \(body.productIdentifier) for codes are \(names.joined(separator: ", "))",
                status: 422)
        }
        let made = try await services.call(
            PaymentEndpoints.addOfferCode,
            NewOfferCodeRequest(bundleId: bundleId, new: body), for: call,
            else: UnknownOutcome("the list of codes shows whether the code was made", isRepeatable: false))
        return try Reply(made, status: .created)
    }
}

extension NewOfferCode: CheckedBody {
    package func validate() throws(StoreError) {
        try Identifier.check(productIdentifier, as: .product, at: "$.productIdentifier")
        try Identifier.check(offer, at: "$.offer")
        try check()
    }
}
