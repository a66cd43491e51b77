import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: whichever service is away, the store page comes with what is left and says what is missing, and is whole again
/// afterwards (M62, O3).
/// Method: `storebus up`; each service in turn is killed and kept away, then only stopped; the page before, meanwhile
/// and afterwards are compared.
@Suite(.process) struct StorePageDegradedTests {
    private typealias Products = StoreStack.Products
    private static let connect = [Products.beaches, Products.pro, Products.fishing]
    private static let device = [Products.pro, Products.beaches]

    /// What a page without a service looks like.
    private struct Missing {
        var products = device
        var owned: [Bool?] = [true, true]
        var eligibility: [OfferEligibility?] = [.ineligible, .ineligible]
        /// Any of these is said to be missing.
        var degraded: [[String]]

        static func of(_ service: String) -> Missing {
            switch service {
            case "promotion-controller":
                // The operator's order and visibility.
                Missing(
                    products: connect, owned: [true, true, false],
                    eligibility: [.ineligible, .ineligible, .ineligible], degraded: [["promotions"]])
            case "payment-queue":
                // Eligibility goes by PaymentQueue's history, and may not even have the time to say so.
                Missing(
                    owned: [nil, nil], eligibility: [.unknown, .ineligible],
                    degraded: [["payments"], ["eligibility", "payments"]])
            case "eligibility": Missing(eligibility: [.unknown, .ineligible], degraded: [["eligibility"]])
            default: Missing(degraded: [[]])
            }
        }
    }

    @Test func `each service killed in turn: what is left comes, the rest is named, and it is whole again`()
        async throws
    {
        try await StoreStack.run { store in
            let shown = try await Self.prepare(store)
            let whole = try await shown.page()
            #expect(whole.products == Self.device)
            #expect(whole.degraded == [])
            for service in ["promotion-controller", "payment-queue", "eligibility", "payment-processor"] {
                try await store.without(service) { try await Self.expect(.of(service), service, shown) }
                try await Self.expectWhole(whole, after: service, shown)
            }
            // Without the products there is nothing to show, nor without the bus.
            for service in ["catalog", "broker"] {
                try await store.without(service) {
                    try await eventually("the page is refused without \(service)", within: .seconds(20)) {
                        guard let answer = try? await Self.ask(shown) else { return false }
                        return answer.status == 503 && answer.code == "serviceUnavailable"
                    }
                }
                try await Self.expectWhole(whole, after: service, shown)
            }
            let killed = try store.signal("gateway")
            try await store.waitForReplacement(of: "gateway", after: killed)
            try await Self.expectWhole(whole, after: "gateway", shown)
        }
    }

    @Test func `each service silent in turn: no request waits for it for long`() async throws {
        try await StoreStack.run { store in
            let shown = try await Self.prepare(store)
            let whole = try await shown.page()
            for service in ["promotion-controller", "payment-queue", "eligibility"] {
                try store.signal(service, SIGSTOP)
                try await Self.expect(.of(service), service, shown)
                try store.signal(service, SIGCONT)
                try await Self.expectWhole(whole, after: service, shown)
            }
        }
    }

    /// Prepares a device with overrides, whose customer owns its promoted products. One began with its trial.
    private static func prepare(_ store: StoreStack) async throws -> AppStoreApp {
        try await store.setUpPromotions(connect)
        let phone = Handset(store, "phone")
        let app = try await phone.launch()
        for product in device { _ = try await app.buy(product, key: product) }
        guard try await app.setOrder(device).status == 200,
            try await app.setVisibility(of: Products.fishing, "hide").status == 200
        else { throw StackError("the device has no overrides") }
        return try await phone.openStore()
    }

    private static func ask(_ shown: AppStoreApp) async throws -> StoreStack.Answer {
        try await shown.store.request(.GET, "/v1/store-page", token: shown.token)
    }

    private static func expect(_ missing: Missing, _ service: String, _ shown: AppStoreApp) async throws {
        var page: AppStoreApp.Page?
        try await eventually("the page says that \(service) is away", within: .seconds(20)) {
            page = try await shown.page()
            return missing.degraded.contains(page?.degraded ?? [])
        }
        let found = try #require(page)
        #expect(found.products == missing.products, "without \(service)")
        #expect(found.owned == missing.owned, "without \(service)")
        #expect(found.eligibility == missing.eligibility, "without \(service)")
    }

    private static func expectWhole(
        _ whole: AppStoreApp.Page, after service: String, _ shown: AppStoreApp
    ) async throws {
        try await eventually("the page is whole again after \(service)", within: .seconds(30)) {
            (try? await shown.page()) == whole
        }
    }
}
