import BusService
import Hummingbird
import StoreModels

extension Gateway {
    /// What the store on a device shows: the product page, what a search finds, the featured tab.
    var storeRoutes: [Route] {
        [
            Route(.get, "/v1/store-page", .appOrStore) { [self] call in
                let shelf = try await shelf(call)
                return try Reply.json(shelf.answer(shelf.products))
            },
            Route(.get, "/v1/search", .appOrStore, query: ["q"]) { [self] call in
                let words = try SearchWords(call.query.single("q"))
                let shelf = try await shelf(call)
                return try Reply.json(shelf.answer(shelf.products(matching: words)))
            },
            Route(.get, "/v1/featured", .appOrStore) { [self] call in
                let shelf = try await shelf(call)
                return try Reply.json(shelf.answer(shelf.featured))
            },
        ]
    }

    /// Everything is asked at once, in the storefront the customer was last known to shop in. Only the products are
    /// essential; without the rest the page says what is missing. A customer who turns out to shop elsewhere by now is
    /// asked for there.
    private func shelf(_ call: Call) async throws -> StoreShelf {
        let session = call.session
        let storefront = accounts.lastKnownStorefront(of: session)
        async let device = devicePromotions(call)
        async let customer = standing(call)
        var offering = try await offering(in: storefront, call)
        let standing = try await customer
        if let standing, standing.storefront != storefront {
            accounts.note(standing.storefront, of: session)
            offering = try await self.offering(in: standing.storefront, call)
        }
        let unsupported = PromotionSupport.promotionsUnsupported(
            platform: session.platform, osVersion: session.osVersion)
        return StoreShelf(
            offering.listing, device: try await device, isUnsupported: unsupported != nil, standing: standing,
            eligibility: offering.eligibility)
    }

    /// What is promoted, and what of it begins with an introductory offer for this customer. Which subscriptions are
    /// promoted is known from the last time, so that both are asked at once; it hardly ever changes.
    private func offering(
        in storefront: String, _ call: Call
    ) async throws -> (listing: PromotedListing, eligibility: EligibilityAnswers) {
        let bundleId = call.session.bundleId
        guard let expected = promoted.lastKnownSubscriptions(of: bundleId, in: storefront) else {
            let listing = try await promoted.listing(of: bundleId, in: storefront, call)
            return (listing, try await eligibility(of: listing.subscriptions, in: storefront, call))
        }
        async let answers = eligibility(of: expected, in: storefront, call)
        let listing = try await promoted.listing(of: bundleId, in: storefront, call)
        guard Set(exactly: expected).isSuperset(of: Set(exactly: listing.subscriptions)) else {
            return (listing, try await eligibility(of: listing.subscriptions, in: storefront, call))
        }
        return (listing, try await answers)
    }

    private func eligibility(
        of subscriptions: [String], in storefront: String, _ call: Call
    ) async throws(StoreError) -> EligibilityAnswers {
        guard !subscriptions.isEmpty else { return EligibilityAnswers(EligibilityReply(eligibility: [], degraded: [])) }
        let session = call.session
        return try await eligibilityAnswers(
            EligibilityRequest(
                bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, storefront: storefront,
                productIdentifiers: subscriptions), call)
    }

    /// - Returns: nil when PromotionController is away.
    private func devicePromotions(_ call: Call) async throws(StoreError) -> DevicePromotions? {
        try await degrading(.promotionController) { [services] () async throws(StoreError) in
            try await services.call(
                PromotionEndpoints.getOverrides, call.session.installation.reference,
                context: call.context(deadline: call.optionalDeadline))
        }
    }

    /// - Returns: nil when PaymentQueue is away, or does not know the session's customer any more.
    private func standing(_ call: Call) async throws(StoreError) -> CustomerStanding? {
        let session = call.session
        do {
            return try await degrading(.paymentQueue) { [services] () async throws(StoreError) in
                try await services.call(
                    PaymentEndpoints.standing,
                    CustomerStandingRequest(
                        bundleId: session.bundleId, customerIdentifier: session.customerIdentifier),
                    context: call.context(deadline: call.optionalDeadline))
            }
        } catch  where error.code == .notFound {
            return nil
        }
    }
}
