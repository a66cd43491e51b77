import BusClient
import BusService
import Eligibility
import EventLoop
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

    @Test func `what is asked for is answered once, in its order; what is no subscription or not for sale, not at all`()
        async throws
    {
        var old = yearly
        old.isAvailable = false
        let only = ["news.weekly", "coins", "pro.monthly", "news.weekly", "pro.yearly"]
        let answer = try await ask(catalog: [monthly, old, news], history: [], only: only)
        #expect(answer.eligibility.map(\.productIdentifier) == ["news.weekly", "pro.monthly"])
    }

    @Test func `M120: a receipt answers without asking PaymentQueue, also of products no longer for sale`() async throws
    {
        var old = yearly
        old.isAvailable = false
        let trial = TruthTable.item(1, "pro.yearly", group: nil, ends: -90, trial: true)
        let answer = try await ask(
            catalog: [monthly, old, news], history: nil,
            receipt: ReceiptHistory(items: [trial], now: TruthTable.now))
        #expect(answer.eligibility.map(\.rule) == [.offerUsed, .newSubscriber])
        #expect(answer.eligibility.map(\.transactionIdentifier) == ["1", nil])
        #expect(answer.degraded.isEmpty)
    }

    @Test func `M123: the second check asks PaymentQueue only; a catalogue of many pages is read whole`() async throws {
        let many = (0..<1_200).map { Self.subscription("s\($0)", group: "g\($0)") }
        let pages = Counter()
        let answers = try await ask(times: 3, catalog: many, history: [], pages: pages)
        #expect(answers.map(\.eligibility.count) == [1_200, 1_200, 1_200])
        #expect(pages.value == 3)
    }

    @Test func `many customers are one question to PaymentQueue; each answer is what asking alone would give`()
        async throws
    {
        let used = SubscriptionGroupHistory(
            subscriptionGroupIdentifier: "pro", introductoryOfferTransaction: "2000000000000001")
        let histories = ["c_1": [used], "c_2": []]
        let customers = ["c_1", "c_2", "nobody"].map {
            EligibilityBatch.Customer(customerIdentifier: $0, productIdentifiers: ["news.weekly", "pro.yearly"])
        }
        let replies = try await askMany(customers, histories: histories)
        #expect(
            replies.map { $0.eligibility.map(\.eligibility) } == [
                [.eligible, .ineligible], [.eligible, .eligible], [.unknown, .unknown],
            ])
        #expect(replies.map(\.degraded) == [[], [], ["payments"]])
        #expect(try await askMany(customers, histories: nil).allSatisfy { $0.degraded == ["payments"] })
        let tooMany = Array(repeating: customers[0], count: EligibilityBatch.customersMax + 1)
        await #expect { try await askMany(tooMany, histories: histories) } throws: { error in
            (error as? StoreError)?.code == .requestInvalid
        }
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
        catalog: [SubscriptionProduct]?, history: [SubscriptionGroupHistory]?, only: [String]? = nil,
        receipt: ReceiptHistory? = nil
    ) async throws -> EligibilityReply {
        try await ask(times: 1, catalog: catalog, history: history, only: only, receipt: receipt)[0]
    }

    /// - Parameter pages: counts what Catalog was asked for.
    private func ask(
        times: Int, catalog: [SubscriptionProduct]?, history: [SubscriptionGroupHistory]?, only: [String]? = nil,
        receipt: ReceiptHistory? = nil, pages: Counter = Counter()
    ) async throws -> [EligibilityReply] {
        var services = [service(.eligibility)]
        // Time does not advance, so that the list is as young on a busy machine.
        let start = ContinuousClock.now
        EligibilityHandlers(bus: bus.client(name: "eligibility"), services: caller("eligibility"), now: { start })
            .register(on: services[0])
        if let catalog {
            let standIn = service(.catalog)
            standIn.handle(CatalogEndpoints.leaseApp) { _, _ in Self.version }
            standIn.handle(CatalogEndpoints.listSubscriptions) { request, _ in
                pages.add()
                let start = catalog.firstIndex { $0.productIdentifier == request.after }.map { $0 + 1 } ?? 0
                let page = Array(catalog[start...].prefix(request.limit))
                let isLast = start + page.count == catalog.count
                return SubscriptionProductsPage(
                    subscriptions: page, after: isLast ? nil : page.last?.productIdentifier, catalogVersion: 1)
            }
            services.append(standIn)
        }
        if let history {
            let standIn = service(.paymentQueue)
            standIn.handle(PaymentEndpoints.offerSummaries) { request, _ in
                let summary = OfferSummary(groups: history, businessNow: Timestamp(milliseconds: 1_000))
                return OfferSummaries(summaries: request.customerIdentifiers.map { _ in summary })
            }
            services.append(standIn)
        }
        return try await running(services) {
            let request = EligibilityRequest(
                bundleId: "com.example.app", customerIdentifier: "c_1", storefront: "USA", productIdentifiers: only,
                receipt: receipt)
            var replies: [EligibilityReply] = []
            for _ in 0..<times {
                replies.append(
                    try await caller("test").call(EligibilityEndpoints.check, request, context: CallContext()))
            }
            return replies
        }
    }

    /// - Parameter histories: nil: without PaymentQueue.
    private func askMany(
        _ customers: [EligibilityBatch.Customer], histories: [String: [SubscriptionGroupHistory]]?
    ) async throws -> [EligibilityReply] {
        let services = [service(.eligibility), service(.catalog), service(.paymentQueue)]
        EligibilityHandlers(bus: bus.client(name: "eligibility"), services: caller("eligibility"))
            .register(on: services[0])
        services[1].handle(CatalogEndpoints.leaseApp) { _, _ in Self.version }
        services[1].handle(CatalogEndpoints.listSubscriptions) { [monthly, yearly, news] _, _ in
            SubscriptionProductsPage(subscriptions: [monthly, yearly, news], after: nil, catalogVersion: 1)
        }
        services[2].handle(PaymentEndpoints.offerSummaries) { request, _ in
            guard let histories else { throw StoreError(.serviceUnavailable, "not now") }
            return OfferSummaries(
                summaries: request.customerIdentifiers.map { customer in
                    histories[customer].map {
                        OfferSummary(groups: $0, businessNow: Timestamp(milliseconds: 1_000))
                    }
                })
        }
        return try await running(services) {
            let batch = EligibilityBatch(bundleId: "com.example.app", storefront: "USA", customers: customers)
            return try await caller("test").call(EligibilityEndpoints.checkMany, batch, context: CallContext()).replies
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

    private static let version = LeasedVersion(
        version: AppVersion(catalogVersion: 1, settingsRevision: 1), isLeased: false)

    private func service(_ name: ServiceName) -> BusService {
        BusService(name: name, version: "test", bus: bus.client(name: name.rawValue), logger: logger)
    }

    private func caller(_ name: String) -> ServiceCaller { ServiceCaller(bus: bus.client(name: name), caller: name) }

    private static func subscription(_ identifier: String, group: String) -> SubscriptionProduct {
        SubscriptionProduct(productIdentifier: identifier, subscriptionGroupIdentifier: group, isAvailable: true)
    }
}

/// Counts, from any thread.
private final class Counter: Sendable {
    private let count = Locked(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}
