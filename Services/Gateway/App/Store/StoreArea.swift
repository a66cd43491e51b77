import BusService
import GatewayEdge
import Logging
import StoreHTTP
import StoreModels

/// The routes for the store's views on a device: product page, search, featured tab.
struct StoreArea: Area {
    let accounts: AccountDirectory
    let promoted: PromotionDirectory
    let overrideLoader: OverrideLoader
    let customerLoader: StorePageCustomerLoader
    let eligibility: EligibilityAnswers
    let logger: Logger

    var routes: [Route] {
        [
            Route(StorePageRoutes.page) { call in try Reply(try await page(call)) },
            Route(StorePageRoutes.search) { call in
                let words = try SearchWords(call.query.single("q"))
                return try Reply(try await page(call).matching(words))
            },
            Route(StorePageRoutes.featured) { call in try Reply(try await page(call).featured) },
        ]
    }

    /// Requests the page's parts concurrently, in the customer's last known storefront. Only the products are
    /// required. The response names the services missing for the rest. If the customer's storefront has changed,
    /// products and eligibility are requested again there.
    private func page(_ call: Call) async throws -> StorePage {
        let session = call.session
        let storefront = accounts.lastKnownStorefront(of: session)
        async let device = devicePromotions(call)
        async let customer = storeCustomer(call)
        var offering = try await offering(in: storefront, call)
        let storeCustomer = try await customer
        if let storeCustomer, storeCustomer.storefront != storefront {
            accounts.note(storeCustomer.storefront, of: session)
            offering = try await self.offering(in: storeCustomer.storefront, call)
        }
        let unsupported = PromotionSupport.promotionsUnsupported(
            platform: session.platform, osVersion: session.osVersion)
        return StorePage(
            offering.listing, device: try await device, isUnsupported: unsupported != nil, storeCustomer: storeCustomer,
            eligibility: offering.eligibility)
    }

    /// Requests the promoted products, and this customer's eligibility for their introductory offers. Both are
    /// requested concurrently when the promoted subscriptions, which rarely change, are known from an earlier reply.
    private func offering(
        in storefront: String, _ call: Call
    ) async throws -> (listing: PromotedListing, eligibility: EligibilityResults) {
        let (customer, bundleId) = (call.session.customer, call.session.bundleId)
        guard let expected = promoted.lastKnownSubscriptions(of: bundleId, in: storefront) else {
            let listing = try await promoted.listing(of: bundleId, in: storefront, call)
            return (
                listing, try await eligibility.results(for: listing.subscriptions, of: customer, in: storefront, call)
            )
        }
        async let answers = eligibility.results(for: expected, of: customer, in: storefront, call)
        let listing = try await promoted.listing(of: bundleId, in: storefront, call)
        guard Set(exactly: expected).isSuperset(of: Set(exactly: listing.subscriptions)) else {
            return (
                listing, try await eligibility.results(for: listing.subscriptions, of: customer, in: storefront, call)
            )
        }
        return (listing, try await answers)
    }

    /// - Returns: Nil when PromotionController is away.
    private func devicePromotions(_ call: Call) async throws(StoreError) -> DevicePromotions? {
        try await degrading(.promotionController, logger) { [overrideLoader] () async throws(StoreError) in
            try await overrideLoader.ask(
                call.session.installation.reference, call.context(deadline: call.optionalDeadline))
        }
    }

    /// - Returns: Nil when PaymentQueue is away, or no longer knows the session's customer.
    private func storeCustomer(_ call: Call) async throws(StoreError) -> StorePageCustomer? {
        let session = call.session
        let found = try await degrading(.paymentQueue, logger) { [customerLoader] () async throws(StoreError) in
            try await customerLoader.ask(
                StorePageCustomerRequest(
                    bundleId: session.bundleId, customerIdentifier: session.customerIdentifier),
                call.context(deadline: call.optionalDeadline))
        }
        return found ?? nil
    }
}
