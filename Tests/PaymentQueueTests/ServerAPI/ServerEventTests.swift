import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: each commit that apps' servers are notified of leaves one event, with everything as of that instant.
@Suite(.serialized) struct ServerEventTests {
    // MARK: Purchases

    @Test(arguments: Engine.allCases)
    func `a purchase that is no subscription is one charge, and its repetition none`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            for product in ["coins", "beaches", "season"] { try await alice.finish(try await alice.bought(product).id) }
            _ = try await alice.add("coins", key: "coins")
            // An owned product is given again for nothing, and failures cost nothing.
            try await alice.finish(try await alice.add("beaches", key: "again").transaction.id)
            _ = try await alice.add("unknown", key: "failed")
            store.processor.set(outcome: .declined)
            _ = try await alice.add("coins", key: "declined")
            #expect(
                try await store.notified() == [
                    "2027-03-01 ONE_TIME_CHARGE coins", "2027-03-01 ONE_TIME_CHARGE beaches",
                    "2027-03-01 ONE_TIME_CHARGE season",
                ])
            let first = try #require(try await store.serverEvents().first)
            #expect(first.account == "alice")
            #expect(first.customerIdentifier == alice.customer)
            #expect(first.appTransactionIdentifier == "7000000000000000001")
            #expect(first.changes.first?.transaction.price == .usd("0.99"))
            #expect(first.changes.first?.subscription == nil)
        }
    }

    // MARK: Subscriptions

    @Test(arguments: Engine.allCases)
    func `a subscription's life: bought, renewed, cancelled, resumed, ended and bought again`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let original = try await alice.subscribe("basic.monthly")
            try await store.jump(to: "2027-04-02")
            try await alice.update(original, renews: false)
            try await alice.update(original, renews: true)
            try await alice.update(original, renews: false)
            try await store.jump(to: "2027-05-10")
            _ = try await alice.subscribe("basic.monthly", key: "again")
            #expect(
                try await store.notified() == [
                    "2027-03-01 SUBSCRIBED.INITIAL_BUY basic.monthly", "2027-04-01 DID_RENEW basic.monthly",
                    "2027-04-02 DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED basic.monthly",
                    "2027-04-02 DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_ENABLED basic.monthly",
                    "2027-04-02 DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED basic.monthly",
                    "2027-05-01 EXPIRED.VOLUNTARY basic.monthly", "2027-05-10 SUBSCRIBED.RESUBSCRIBE basic.monthly",
                ])
            let changes = try await store.serverEvents().flatMap(\.changes)
            #expect(
                changes.map { $0.subscription?.subscription.willAutoRenew } == [
                    true, true, false, true, false, false, true,
                ])
            #expect(
                changes.map { $0.subscription?.subscription.renewalPrice?.amount }
                    == ["9.99", "9.99", nil, "9.99", nil, nil, "9.99"])
            #expect(
                changes.map(\.transaction.reason) == [.purchase] + Array(repeating: .renewal, count: 5) + [.purchase])
            #expect(changes.allSatisfy { $0.transaction.item.originalTransactionIdentifier == original })
            #expect(changes.allSatisfy { $0.subscription?.recentStart == TestStore.instant("2027-03-01") })
        }
    }

    @Test(arguments: Engine.allCases)
    func `changes of product: at once, for the next renewal, and taken back`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let original = try await alice.subscribe("basic.monthly")
            _ = try await alice.subscribe("pro.monthly", key: "upgrade")
            try await alice.update(original, product: "basic.monthly")
            try await alice.update(original, product: "pro.monthly")
            try await alice.update(original, product: "basic.monthly")
            try await store.jump(to: "2027-04-02")
            #expect(
                try await store.notified() == [
                    "2027-03-01 SUBSCRIBED.INITIAL_BUY basic.monthly",
                    "2027-03-01 DID_CHANGE_RENEWAL_PREF.UPGRADE pro.monthly",
                    "2027-03-01 DID_CHANGE_RENEWAL_PREF.DOWNGRADE pro.monthly",
                    "2027-03-01 DID_CHANGE_RENEWAL_PREF pro.monthly",
                    "2027-03-01 DID_CHANGE_RENEWAL_PREF.DOWNGRADE pro.monthly",
                    "2027-04-01 DID_RENEW basic.monthly",
                ])
            let changes = try await store.serverEvents().flatMap(\.changes)
            // Only Catalog knows what another product costs.
            #expect(changes[2].subscription?.subscription.autoRenewProductIdentifier == "basic.monthly")
            #expect(changes[1].transaction.price == .usd("19.99"))
            #expect(changes[1].level == .upgrade)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the price of a change for the next renewal is quoted when the event is read`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let original = try await alice.subscribe("pro.monthly")
            try await alice.update(original, product: "basic.monthly")
            let last = try #require(try await store.serverEvents().last?.changes.first?.subscription?.subscription)
            #expect(last.renewalPrice == .usd("9.99"))
        }
    }

    @Test(arguments: [true, false])
    func `a declined renewal: with grace and without, then the end`(_ hasGrace: Bool) async throws {
        try await TestStore.withSubscriptions(.sqlite) { store, alice in
            store.catalogue.set(billingGracePeriod: hasGrace)
            _ = try await alice.subscribe("basic.monthly")
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-08-01")
            let failed = hasGrace ? "DID_FAIL_TO_RENEW.GRACE_PERIOD" : "DID_FAIL_TO_RENEW"
            #expect(
                try await store.notified() == [
                    "2027-03-01 SUBSCRIBED.INITIAL_BUY basic.monthly", "2027-04-01 \(failed) basic.monthly",
                ] + (hasGrace ? ["2027-04-17 GRACE_PERIOD_EXPIRED basic.monthly"] : [])
                    + ["2027-05-31 EXPIRED.BILLING_RETRY basic.monthly"])
            let states = try await store.serverEvents().flatMap(\.changes).map { $0.subscription?.subscription.state }
            #expect(
                states == [.subscribed] + (hasGrace ? [.inGracePeriod] : [])
                    + [.inBillingRetryPeriod] + (hasGrace ? [.inBillingRetryPeriod] : []) + [.expired])
        }
    }

    @Test func `a renewal that is charged on a later try has recovered`() async throws {
        try await TestStore.withSubscriptions(.sqlite) { store, alice in
            _ = try await alice.subscribe("basic.monthly")
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-04-02")
            store.processor.set(outcome: .approved)
            try await store.jump(to: "2027-04-05")
            #expect(try await store.notified().last == "2027-04-03 DID_RENEW.BILLING_RECOVERY basic.monthly")
        }
    }

    @Test func `a dearer renewal is announced before it, a cheaper one is not`() async throws {
        try await TestStore.withSubscriptions(.sqlite) { store, alice in
            _ = try await alice.subscribe("basic.monthly")
            store.catalogue.sell(.subscription("basic.monthly", "10.99"), level: 2)
            try await store.jump(to: "2027-04-02")
            store.catalogue.sell(.subscription("basic.monthly", "5.99"), level: 2)
            try await store.jump(to: "2027-05-02")
            #expect(
                try await store.notified().dropFirst() == [
                    "2027-04-01 PRICE_INCREASE.ACCEPTED basic.monthly", "2027-04-01 DID_RENEW basic.monthly",
                    "2027-05-01 DID_RENEW basic.monthly",
                ])
        }
    }

    @Test func `a consent is announced when asked for and when given, not at the renewal again`() async throws {
        try await TestStore.withSubscriptions(.sqlite) { store, alice in
            _ = try await alice.subscribe("basic.monthly")
            try await store.set("alice", with(TesterSettings()) { $0.priceConsent = .interactive })
            store.catalogue.sell(.subscription("basic.monthly", "10.99"), level: 2)
            try await store.current.service.priceConsents.sweep()
            let prompt = try await store.prompt()
            _ = try await store.answer(prompt.id, .approve)
            try await store.jump(to: "2027-04-02")
            #expect(
                try await store.notified().dropFirst() == [
                    "2027-03-01 PRICE_INCREASE.PENDING basic.monthly",
                    "2027-03-01 PRICE_INCREASE.ACCEPTED basic.monthly", "2027-04-01 DID_RENEW basic.monthly",
                ])
            let asked = try await store.serverEvents().flatMap(\.changes).map { $0.subscription?.subscription }
            #expect(asked.map { $0?.priceIncrease?.status } == [nil, .pending, .agreed, nil])
        }
    }

    @Test func `an extension moves the expiry of the transaction it is about`() async throws {
        try await TestStore.withSubscriptions(.sqlite) { store, alice in
            let original = try await alice.subscribe("basic.monthly")
            try await store.operate(original, .extend, days: 10)
            #expect(try await store.notified().last == "2027-03-01 RENEWAL_EXTENDED basic.monthly")
            let last = try #require(try await store.serverEvents().last?.changes.first)
            #expect(last.transaction.item.expiresDate == TestStore.instant("2027-04-11"))
            #expect(last.subscription?.subscription.expiresDate == TestStore.instant("2027-04-11"))
        }
    }

    // MARK: Refunds

    @Test(arguments: Engine.allCases)
    func `a refund tells of the end of renewals first, if it ends them`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let coins = try await alice.bought("coins")
            try await store.refund(coins.id)
            try await store.refund(coins.id)
            let first = try await alice.bought("basic.monthly")
            try await store.jump(to: "2027-04-02")
            // An earlier period's money changes nothing about the present one.
            try await store.refund(first.id)
            try await store.refund(try await alice.subscription().id)
            #expect(
                try await store.notified() == [
                    "2027-03-01 ONE_TIME_CHARGE coins", "2027-03-01 REFUND coins",
                    "2027-03-01 SUBSCRIBED.INITIAL_BUY basic.monthly", "2027-04-01 DID_RENEW basic.monthly",
                    "2027-04-02 REFUND basic.monthly",
                    "2027-04-02 DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED basic.monthly",
                    "2027-04-02 REFUND basic.monthly",
                ])
            let events = try await store.serverEvents()
            #expect(events[1].changes[0].transaction.item.cancellationDate == TestStore.instant("2027-03-01"))
            #expect(events[5].changes[0].subscription?.subscription.state == .revoked)
            #expect(events[4].changes[0].subscription?.subscription.state == .subscribed)
        }
    }

    @Test func `a revocation is no refund`() async throws {
        try await TestStore.withSubscriptions(.sqlite) { store, alice in
            try await store.revoke(try await alice.bought("beaches").id)
            #expect(try await store.notified().last == "2027-03-01 REVOKE beaches")
        }
    }

    // MARK: Reading

    @Test(arguments: Engine.allCases)
    func `pages go on where the last one ended, and no event is read twice`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            for number in 0..<7 { _ = try await alice.add("coins", key: "\(number)") }
            // A page has what is settled, and on PostgreSQL any transaction under way holds that back.
            #expect(try await store.serverEvents().count == 7)
            let first = try await store.page(limit: 3)
            #expect(first.events.count == 3)
            #expect(first.hasMore)
            let second = try await store.page(after: first.after, limit: 100)
            #expect(second.events.count == 4)
            #expect(!second.hasMore)
            #expect(Set((first.events + second.events).map(\.position)).count == 7)
            let end = try await store.page(after: second.after, limit: 100)
            #expect(end.events.isEmpty)
            #expect(end.after == second.after)
            for (after, limit) in [("x", 10), ("v_zzzzzzzzzzzzzzzzzzzzzzzzzz", 10), (first.after ?? "", 0)] {
                #expect(try await refusal { try await store.page(after: after, limit: limit) }?.code == .requestInvalid)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a page has the clock of the app that it is asked for, and no other has one`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            _ = try await alice.add("coins", key: "1")
            let bought = try #require(try await store.serverEvents().first)
            let page = try await store.caller.call(
                ServerAPIEndpoints.listEvents, ServerEventsRequest(clockOf: Catalogue.bundleId))
            #expect(page.events == [bought])
            #expect(page.clock?.now == bought.at)
            #expect(page.clock?.bundleId == Catalogue.bundleId)
            #expect(try await store.page(limit: 1).clock == nil)
            // An app without customers has a clock from then on.
            let other = try await store.caller.call(
                ServerAPIEndpoints.listEvents, ServerEventsRequest(clockOf: "com.example.other"))
            #expect(other.clock?.epoch == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `only acknowledged events are removed, after thirty days, and a place before them is refused`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            for number in 0..<4 { _ = try await alice.add("coins", key: "\(number)") }
            let events = try await store.serverEvents()
            let service = store.current.service.serverEvents
            store.advance(by: .seconds(31 * 86_400))
            #expect(try await service.prune() == 0)
            try await store.acknowledge(events[1].position)
            #expect(try await service.prune() == 2)
            try await store.acknowledge(events[0].position)
            #expect(try await store.serverEvents() == Array(events[2...]))
            try await store.acknowledge(events[3].position)
            #expect(try await service.prune() == 2)
            #expect(try await store.serverEvents() == [])
            #expect(try await refusal { try await store.acknowledge("x") }?.positionFault == .malformed)
            func fault(after place: ServerEvent) async throws -> PositionFault? {
                try await refusal { try await store.page(after: place.position, limit: 10) }?.positionFault
            }
            #expect(try await fault(after: events[2]) == .removed)
            #expect(try await fault(after: events[3]) == nil)
        }
    }
}

extension TestStore {
    fileprivate func page(after: String? = nil, limit: Int) async throws -> ServerEventsPage {
        try await caller.call(ServerAPIEndpoints.listEvents, ServerEventsRequest(after: after, limit: limit))
    }

    func serverEvents() async throws -> [ServerEvent] {
        var (events, after): ([ServerEvent], String?) = ([], nil)
        try await eventually("every event is settled") {
            while true {
                let page = try await page(after: after, limit: 100)
                events += page.events
                after = page.after
                if page.events.isEmpty { break }
            }
            let stored = try await database.read { try await $0.query("SELECT position FROM server_event").count }
            return events.count == stored
        }
        return events
    }

    /// `2027-03-01 ONE_TIME_CHARGE coins`, a notification a line.
    func notified() async throws -> [String] {
        try await serverEvents().flatMap { event in
            NotificationPolicy.notifications(of: event.changes).map { made in
                let type = [made.type.rawValue, made.subtype?.rawValue].compactMap(\.self).joined(separator: ".")
                return "\(event.at.description.prefix(10)) \(type) \(made.change.transaction.item.productIdentifier)"
            }
        }
    }

    fileprivate func acknowledge(_ position: String) async throws {
        _ = try await caller.call(
            ServerAPIEndpoints.acknowledgeEvents, AcknowledgeServerEventsRequest(through: position))
    }
}

extension CustomerApp {
    /// Buys a product, by default with its identifier as the key.
    func bought(_ product: String, key: String? = nil) async throws -> PaymentTransaction {
        try await add(product, key: key ?? product).transaction
    }
}
