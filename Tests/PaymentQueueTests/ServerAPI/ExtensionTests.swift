import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: an app's server extends what is paid and runs, once per request, twice a year, one or all of a product.
@Suite(.serialized) struct ExtensionTests {
    // MARK: One subscription

    @Test(arguments: Engine.allCases)
    func `a request extends once, and its repetition gets the same reply`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let original = try await alice.subscribe("basic.monthly")
            let first = try await store.extend(original, days: 10, "outage")
            #expect(first.outcome == .extended)
            #expect(first.effectiveDate == TestStore.instant("2027-04-11"))
            #expect(first.webOrderLineItemIdentifier?.hasPrefix("1000") == true)
            #expect(try await store.extend(original, days: 10, "outage") == first)
            #expect(try await alice.subscription().expiresDate == TestStore.instant("2027-04-11"))
            let page = try await store.caller.call(
                ServerAPIEndpoints.lookup,
                TransactionLookupRequest(bundleId: Catalogue.bundleId, identifier: original))
            #expect(page.transaction?.item.expiresDate == TestStore.instant("2027-04-11"))
            #expect(
                try await store.notified() == [
                    "2027-03-01 SUBSCRIBED.INITIAL_BUY basic.monthly", "2027-03-01 RENEWAL_EXTENDED basic.monthly",
                ])
        }
    }

    @Test(arguments: Engine.allCases)
    func `two within a year, and an operator's do not count`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let original = try await alice.subscribe("basic.monthly")
            try await store.operate(original, .extend, days: 5)
            #expect(try await store.extend(original, days: 1, "first").outcome == .extended)
            #expect(try await store.extend(original, days: 1, "second").outcome == .extended)
            #expect(try await store.extend(original, days: 1, "third").outcome == .exhausted)
            #expect(try await store.extend(original, days: 1, "first").outcome == .extended)
            try await store.jump(to: "2028-03-02")
            #expect(try await store.extend(original, days: 1, "third").outcome == .extended)
        }
    }

    @Test func `only a period that was paid and runs`() async throws {
        try await TestStore.withSubscriptions(.sqlite) { store, alice in
            store.catalogue.sell(
                .subscription("basic.monthly", intro: .discount(.freeTrial, "0.00", 1, .week)), level: 2)
            let original = try await alice.subscribe("basic.monthly")
            #expect(try await store.extend(original, days: 1, "trial").outcome == .ineligible)
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-04-20")
            #expect(try await alice.subscription().state == .inBillingRetryPeriod)
            #expect(try await store.extend(original, days: 1, "retry").outcome == .ineligible)
            try await store.jump(to: "2027-08-01")
            #expect(try await store.extend(original, days: 1, "expired").outcome == .ineligible)
            store.processor.set(outcome: .approved)
            _ = try await alice.subscribe("basic.monthly", key: "again")
            // What was refused may be asked for again.
            #expect(try await store.extend(original, days: 1, "retry").outcome == .extended)
            try await store.refund(try await alice.subscription().id)
            #expect(try await store.extend(original, days: 1, "revoked").outcome == .ineligible)
        }
    }

    @Test func `what cannot be a request is refused, with its place`() async throws {
        try await TestStore.withSubscriptions(.sqlite) { store, alice in
            let original = try await alice.subscribe("basic.monthly")
            for (days, request) in [(0, "a"), (91, "a"), (1, ""), (1, String(repeating: "x", count: 129))] {
                let error = try await refusal { try await store.extend(original, days: days, request) }
                #expect(error?.code == .requestInvalid)
            }
            #expect(try await refusal { try await store.extend("2999999999999999", days: 1, "a") }?.code == .notFound)
            let elsewhere = ExtendSubscriptionRequest(
                bundleId: "com.example.other", originalTransactionIdentifier: original, days: 1, requestIdentifier: "a")
            let error = try await refusal {
                try await store.caller.call(ServerAPIEndpoints.extend, elsewhere)
            }
            #expect(error?.code == .notFound)
        }
    }

    // MARK: All subscriptions of a product

    @Test(arguments: Engine.allCases)
    func `all of a product: each is told, and the summary last`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let original = try await alice.subscribe("basic.monthly")
            let bob = try await store.customerApp("bob")
            _ = try await bob.subscribe("pro.monthly")
            let carol = try await store.customerApp("carol")
            let exhausted = try await carol.subscribe("basic.monthly")
            for request in ["one", "two"] { _ = try await store.extend(exhausted, days: 1, request) }
            let count = try await store.serverEvents().count
            let made = try await store.extendAll("basic.monthly", days: 7, "outage")
            #expect(made.succeededCount == 1)
            #expect(made.failedCount == 1)
            #expect(made.completedAt == TestStore.instant("2027-03-01"))
            // The repetition and the sweep change nothing.
            #expect(try await store.extendAll("basic.monthly", days: 7, "outage") == made)
            #expect(try await store.current.service.extensions.sweep() == 0)
            #expect(try await store.extensions("basic.monthly", "outage") == made)
            let events = try await store.serverEvents().dropFirst(count)
            // Bought in the same millisecond they are in no order.
            #expect(
                Dictionary(uniqueKeysWithValues: events.dropLast().map { ($0.account, $0.changes.map(\.kind)) })
                    == ["alice": [.extended], "carol": [.extensionFailed]])
            #expect(events.last?.account == nil)
            #expect(events.last?.extensions == made)
            #expect(events.last?.customerIdentifier == nil)
            #expect(try await alice.subscription().expiresDate == TestStore.instant("2027-04-08"))
            #expect(try await bob.subscription().expiresDate == TestStore.instant("2027-04-01"))
            let extended = events.flatMap(\.changes).first { $0.kind == .extended }
            #expect(extended?.transaction.item.originalTransactionIdentifier == original)
            let other = try await refusal { try await store.extendAll("basic.monthly", days: 8, "outage") }
            #expect(other?.code == .requestInvalid)
            #expect(try await refusal { try await store.extensions("pro.monthly", "outage") }?.code == .notFound)
        }
    }

    @Test func `of a product that has no subscribers, or not in the storefront, it completes at once`() async throws {
        try await TestStore.withSubscriptions(.sqlite) { store, alice in
            _ = try await alice.subscribe("basic.monthly")
            for (product, storefronts) in [("pro.monthly", nil), ("basic.monthly", ["FRA"])] as [(String, [String]?)] {
                let made = try await store.extendAll(product, in: storefronts, days: 7, "none")
                #expect(made.succeededCount == 0)
                #expect(made.failedCount == 0)
                #expect(made.completedAt != nil)
                #expect(made.storefronts == storefronts)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `replicas that work on the same request extend each subscription once`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            for number in 0..<12 { _ = try await store.customerApp("s\(number)").subscribe("basic.monthly") }
            // The row as a process leaves it that dies after its first commit.
            try await store.database.write { transaction in
                try await ExtensionRepository.insert(
                    ExtendSubscriptionsRequest(
                        bundleId: Catalogue.bundleId, productIdentifier: "basic.monthly", days: 3,
                        requestIdentifier: "outage"), wall: TestStore.instant("2027-03-01"), in: transaction)
            }
            let service = store.current.service.extensions
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try await service.sweep() } }
                try await group.waitForAll()
            }
            try await eventually("every subscription was decided about") { try await service.sweep() == 0 }
            let done = try await store.extensions("basic.monthly", "outage")
            #expect(done.succeededCount == 12)
            #expect(done.failedCount == 0)
            let events = try await store.serverEvents()
            let kinds = events.flatMap { $0.changes.map(\.kind) }
            #expect(kinds.count { $0 == .extended } == 12)
            #expect(events.filter { $0.extensions != nil }.count == 1)
        }
    }
}

extension TestStore {
    @discardableResult
    func extend(_ original: String, days: Int, _ request: String) async throws -> ExtendSubscriptionReply {
        try await caller.call(
            ServerAPIEndpoints.extend,
            ExtendSubscriptionRequest(
                bundleId: Catalogue.bundleId, originalTransactionIdentifier: original, days: days,
                requestIdentifier: request))
    }

    fileprivate func extendAll(
        _ product: String, in storefronts: [String]? = nil, days: Int, _ request: String
    ) async throws -> SubscriptionExtensions {
        try await caller.call(
            ServerAPIEndpoints.extendAll,
            ExtendSubscriptionsRequest(
                bundleId: Catalogue.bundleId, productIdentifier: product, storefronts: storefronts, days: days,
                requestIdentifier: request))
    }

    fileprivate func extensions(_ product: String, _ request: String) async throws -> SubscriptionExtensions {
        try await caller.call(
            ServerAPIEndpoints.extensions,
            SubscriptionExtensionsRequest(
                bundleId: Catalogue.bundleId, productIdentifier: product, requestIdentifier: request))
    }
}
