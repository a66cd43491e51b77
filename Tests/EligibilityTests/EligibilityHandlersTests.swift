import BusClient
import BusService
import Eligibility
import Logging
import StoreModels
import Testing

/// Goal: eligibility is answered from what the owners of the facts say, and never invented.
/// Method: the service runs on a bus inside the process, between stand-ins of Catalog and PaymentQueue.
@Suite struct EligibilityHandlersTests {
    private let bus = InMemoryBus()
    private let logger = Logger(label: "test")
    private let monthly = Self.subscription("pro.monthly", group: "pro")
    private let yearly = Self.subscription("pro.yearly", group: "pro")
    private let news = Self.subscription("news.weekly", group: "news")

    @Test func `M123, M124: one call answers for every subscription of an app; a new customer is eligible`()
        async throws
    {
        let answer = try await ask(catalog: [monthly, yearly, news], history: [])
        #expect(answer.eligibility.map(\.productIdentifier) == ["pro.monthly", "pro.yearly", "news.weekly"])
        #expect(answer.eligibility.allSatisfy { $0.eligibility == .eligible && $0.rule == .newSubscriber })
        #expect(answer.degraded.isEmpty)
    }

    @Test func `M119, M121, M129: a trial used in a group decides for all its products and is named, not for others`()
        async throws
    {
        let used = SubscriptionGroupHistory(
            subscriptionGroupIdentifier: "pro", introductoryOfferTransaction: "2000000000000001")
        let answer = try await ask(catalog: [monthly, yearly, news], history: [used])
        #expect(answer.eligibility.map(\.eligibility) == [.ineligible, .ineligible, .eligible])
        #expect(answer.eligibility.map(\.transactionIdentifier) == ["2000000000000001", "2000000000000001", nil])
        #expect(answer.eligibility[1].rule == .offerUsed)
    }

    @Test func `products that are no subscriptions have no answer`() async throws {
        let product = Product(
            productIdentifier: "coins", type: .consumable, localizedTitle: "", localizedDescription: "",
            price: monthly.price, priceLocale: "en_US@currency=USD")
        let answer = try await ask(catalog: [product, monthly], history: [], only: ["coins", "pro.monthly"])
        #expect(answer.eligibility.map(\.productIdentifier) == ["pro.monthly"])
    }

    @Test func `PaymentQueue away: unknown, and the answer says what is missing`() async throws {
        let answer = try await ask(catalog: [monthly], history: nil)
        #expect(answer.eligibility.map(\.eligibility) == [.unknown])
        #expect(answer.eligibility.first?.rule == .historyUnavailable)
        #expect(answer.degraded == ["payments"])
    }

    @Test func `Catalog away: there is nothing to answer about`() async throws {
        await #expect { try await ask(catalog: nil, history: []) } throws: { error in
            (error as? StoreError)?.code == .serviceUnavailable
        }
    }

    /// Runs Eligibility between stand-ins; nil leaves the stand-in out.
    private func ask(
        catalog: [Product]?, history: [SubscriptionGroupHistory]?, only: [String]? = nil
    ) async throws -> EligibilityReply {
        var services = [service(.eligibility)]
        EligibilityHandlers(services: caller("eligibility")).register(on: services[0])
        if let catalog {
            let standIn = service(.catalog)
            standIn.handle(CatalogEndpoints.listProducts) { _, _ in
                ProductsPage(products: catalog, after: nil, catalogVersion: 1)
            }
            standIn.handle(CatalogEndpoints.queryProducts) { request, _ in
                let found = catalog.filter { request.productIdentifiers.contains($0.productIdentifier) }
                return ProductsReply(products: found, invalidProductIdentifiers: [], catalogVersion: 1)
            }
            services.append(standIn)
        }
        if let history {
            let standIn = service(.paymentQueue)
            standIn.handle(PaymentEndpoints.offerSummary) { _, _ in
                OfferSummary(groups: history, businessNow: Timestamp(milliseconds: 1_000))
            }
            services.append(standIn)
        }
        return try await running(services) {
            let request = EligibilityRequest(
                bundleId: "com.example.app", customerIdentifier: "c_1", storefront: "USA", productIdentifiers: only)
            return try await caller("test").call(EligibilityEndpoints.check, request, context: CallContext())
        }
    }

    private func running<Result: Sendable>(
        _ services: [BusService], _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for service in services { group.addTask { try await service.run() } }
            for service in services { await service.ready() }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    private func service(_ name: ServiceName) -> BusService {
        BusService(name: name, version: "test", bus: bus.client(name: name.rawValue), logger: logger)
    }

    private func caller(_ name: String) -> ServiceCaller { ServiceCaller(bus: bus.client(name: name), caller: name) }

    private static func subscription(_ identifier: String, group: String) -> Product {
        Product(
            productIdentifier: identifier, type: .autoRenewable, localizedTitle: identifier, localizedDescription: "",
            price: Money(minorUnits: 999, currency: Currency(code: "USD")!), priceLocale: "en_US@currency=USD",
            subscriptionPeriod: SubscriptionPeriod(numberOfUnits: 1, unit: .month), subscriptionGroupIdentifier: group)
    }
}
