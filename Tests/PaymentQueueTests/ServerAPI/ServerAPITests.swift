import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: the App Store Server API finds a purchase by any of its identifiers, and reads a history by its changes.
@Suite(.serialized) struct ServerAPITests {
    // MARK: Lookup

    @Test(arguments: Engine.allCases)
    func `a transaction is found by its identifier, with its customer and download of the app`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-03-01", frozen: true)
            let alice = try await store.customerApp()
            let bought = try await alice.add("coins", key: "1", quantity: 3).transaction
            let found = try await store.lookup(try #require(bought.transactionIdentifier))
            #expect(found.customerIdentifier == alice.customer)
            #expect(found.firstSeen == Timestamp("2027-03-01T10:00:00.000Z"))
            #expect(found.businessNow == found.firstSeen)
            let value = try #require(found.transaction)
            #expect(value.item.transactionIdentifier == bought.transactionIdentifier)
            #expect(value.item.quantity == 3)
            #expect(value.price == .usd("2.97"))
            #expect(value.storefront == "USA")
            #expect(value.reason == .purchase)
            // The download's own number finds the customer and no transaction.
            let app = try await store.lookup(found.appTransactionIdentifier)
            #expect(app.customerIdentifier == alice.customer)
            #expect(app.transaction == nil)
            #expect(try await alice.appTransaction() == app)
        }
    }

    @Test(arguments: Engine.allCases)
    func `downloads of an app have numbers of their own, from 7 times ten to the 18th`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bob = try await store.customerApp("bob", device: "pad")
            _ = try await store.customerApp()
            let numbers = [
                try await alice.appTransaction().appTransactionIdentifier,
                try await bob.appTransaction().appTransactionIdentifier,
            ]
            #expect(numbers == ["7000000000000000001", "7000000000000000002"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `an identifier of nothing, of another app and of a purchase that failed is not found`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("coins", key: "1").transaction
            let identifier = try #require(bought.transactionIdentifier)
            _ = try await alice.add("unknown", key: "2")
            for (bundleId, identifier) in [
                (Catalogue.bundleId, "1"), (Catalogue.bundleId, "9223372036854775808"), (Catalogue.bundleId, ""),
                (Catalogue.bundleId, "x"), (Catalogue.bundleId, bought.id), ("com.example.other", identifier),
                ("com.example.other", "7000000000000000001"),
            ] {
                let refused = try await refusal { try await store.lookup(identifier, of: bundleId) }
                #expect(refused?.code == .notFound, "\(bundleId) \(identifier)")
            }
            #expect(try await refusal { try await alice.named("c_none").appTransaction() }?.code == .notFound)
            #expect(try await refusal { try await alice.named("c_none").modified() }?.code == .notFound)
            #expect(try await refusal { try await alice.named("c_none").statuses() }?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a restored transaction has its own identifier and the facts of its original`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            try await alice.finish(bought.id)
            let pad = try await store.customerApp(device: "pad")
            _ = try await pad.restore()
            let restored = try #require(try await pad.snapshot().transactions.first)
            let identifier = try #require(restored.transactionIdentifier)
            #expect(identifier != bought.transactionIdentifier)
            let original = try #require(try await store.lookup(bought.transactionIdentifier ?? "").transaction)
            var expected = original
            expected.item.transactionIdentifier = identifier
            #expect(try await store.lookup(identifier).transaction == expected)
            // Histories have the original only.
            #expect(try await alice.modified().transactions == [original])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a purchase keeps the storefront it was made in`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add("coins", key: "1").transaction.transactionIdentifier
            try await store.set("alice", TesterSettings(storefront: "FRA"))
            let second = try await alice.add("coins", key: "2").transaction.transactionIdentifier
            #expect(try await store.lookup(first ?? "").transaction?.storefront == "USA")
            #expect(try await store.lookup(second ?? "").transaction?.storefront == "FRA")
        }
    }

    // MARK: History

    @Test(arguments: Engine.allCases)
    func `a page has its customer, whichever identifier of the customer's names it`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("coins", key: "1").transaction
            _ = try await alice.add("coins", key: "2")
            let identifier = try #require(bought.transactionIdentifier)
            let found = try await store.lookup(identifier)
            let byCustomer = try await alice.modified()
            #expect(byCustomer.customer.customerIdentifier == alice.customer)
            #expect(byCustomer.customer.transaction == nil)
            for name in [identifier, found.appTransactionIdentifier] {
                let page = try await store.modified(of: name)
                #expect(page.transactions == byCustomer.transactions)
                #expect(page.customer.customerIdentifier == alice.customer)
                #expect(page.customer.appTransactionIdentifier == found.appTransactionIdentifier)
                #expect(page.customer.transaction == (name == identifier ? found.transaction : nil))
            }
            for (name, app) in [
                (identifier, "com.example.other"), ("1", Catalogue.bundleId), ("x", Catalogue.bundleId),
            ] {
                #expect(try await refusal { try await store.modified(of: name, in: app) }?.code == .notFound)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a history has consumables after their finish too, and nothing that was not bought`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            for product in ["coins", "beaches", "season", "pro.monthly"] {
                try await alice.finish(try await alice.add(product, key: product).transaction.id)
            }
            _ = try await alice.add("unknown", key: "failed")
            let noted = try await alice.add("basic.monthly", key: "noted").transaction
            #expect(noted.effectiveDate != nil)
            let page = try await alice.modified()
            #expect(
                page.transactions.map(\.item.productIdentifier) == ["coins", "beaches", "season", "pro.monthly"])
            #expect(page.transactions[3].item.offer?.period?.iso8601 == "P2W")
            #expect(!page.hasMore)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a refund moves a transaction to the end of the history, also behind a place already read`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            var bought: [PaymentTransaction] = []
            for number in 0..<3 { bought.append(try await alice.add("coins", key: "\(number)").transaction) }
            let before = try await alice.modified()
            #expect(before.identifiers == bought.compactMap(\.transactionIdentifier))
            try await store.refund(bought[0].id, reason: .appIssue)
            let after = try await alice.modified(after: before.place)
            #expect(after.transactions.map(\.item.transactionIdentifier) == [bought[0].transactionIdentifier])
            #expect(after.transactions.first?.item.cancellationReason == .appIssue)
            let ids = bought.map { $0.transactionIdentifier ?? "" }
            #expect(try await alice.modified().identifiers == [ids[1], ids[2], ids[0]])
            #expect(try await alice.modified(isDescending: true).identifiers == [ids[0], ids[2], ids[1]])
            // Once more changes nothing.
            try await store.refund(bought[0].id, reason: .appIssue)
            #expect(try await alice.modified(after: after.place).transactions.isEmpty)
            #expect(try await alice.modified(after: after.place).place == after.place)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the page of a customer without purchases leads to the first one, in both orders`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let places = [try await alice.modified().place, try await alice.modified(isDescending: true).place]
            let bought = try await alice.add("coins", key: "1").transaction.transactionIdentifier
            for (place, isDescending) in zip(places, [false, true]) {
                let page = try await alice.modified(after: place, isDescending: isDescending)
                #expect(page.identifiers == [bought])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `finishing, delivering and restoring move nothing in the history`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            let place = try await alice.modified().place
            _ = try await alice.snapshot(launches: true)
            try await alice.finish(bought.id)
            _ = try await alice.restore()
            #expect(try await alice.modified(after: place).transactions.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an upgrade marks the former transaction, which moves with it`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            _ = try await alice.subscribe("basic.monthly")
            let place = try await alice.modified().place
            _ = try await alice.subscribe("pro.monthly", key: "upgrade")
            let moved = try await alice.modified(after: place).transactions
            #expect(Set(moved.map(\.item.productIdentifier)) == ["basic.monthly", "pro.monthly"])
            let basic = try #require(moved.first { $0.item.productIdentifier == "basic.monthly" })
            #expect(basic.item.isUpgraded == true)
            #expect(Set(moved.map(\.modifiedSeq)).count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an extension moves the transaction whose period it lengthens`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let original = try await alice.subscribe("news.weekly")
            let before = try await alice.modified()
            try await store.operate(original, .extend, days: 5)
            let moved = try await alice.modified(after: before.place).transactions
            #expect(moved.map(\.item.transactionIdentifier) == before.identifiers)
            let expires = before.transactions[0].item.expiresDate
            #expect(moved.first?.item.expiresDate == expires.map { $0 + .seconds(5 * 86400) })
        }
    }

    @Test(arguments: Engine.allCases)
    func `pages of any size have everything once, in both orders and under a filter`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            for number in 0..<5 { _ = try await alice.add("coins", key: "\(number)") }
            _ = try await alice.subscribe("news.weekly")
            try await store.jump(to: "2027-04-12")
            var filter = ServerTransactionFilter()
            for types in [nil, [ProductType.autoRenewable]] {
                filter.types = types
                for isDescending in [false, true] {
                    let all = try await alice.modified(isDescending: isDescending, filter: filter)
                    #expect(all.transactions.count == (types == nil ? 12 : 7))
                    for limit in [1, 2, 5] {
                        var (read, place, hasMore): ([String], Int64?, Bool) = ([], nil, true)
                        while hasMore {
                            let page = try await alice.modified(
                                after: place, isDescending: isDescending, limit: limit, filter: filter)
                            #expect(page.transactions.count <= limit)
                            (read, place, hasMore) = (read + page.identifiers, page.place, page.hasMore)
                        }
                        #expect(read == all.identifiers)
                    }
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `filters select by date, product, type, group and revocation`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let coins = try await alice.add("coins", key: "1").transaction
            try await store.putClock("2027-03-02", frozen: true)
            _ = try await alice.add("beaches", key: "2")
            try await store.putClock("2027-03-03", frozen: true)
            _ = try await alice.subscribe("news.weekly")
            try await store.refund(coins.id)
            func products(_ change: (inout ServerTransactionFilter) -> Void) async throws -> [String] {
                var filter = ServerTransactionFilter()
                change(&filter)
                return try await alice.modified(filter: filter).transactions.map(\.item.productIdentifier)
            }
            #expect(try await products { _ in } == ["beaches", "news.weekly", "coins"])
            #expect(
                try await products { $0.startDate = TestStore.instant("2027-03-02") } == ["beaches", "news.weekly"])
            #expect(try await products { $0.endDate = TestStore.instant("2027-03-02") } == ["coins"])
            #expect(
                try await products { $0.endDate = TestStore.instant("2027-03-02") + .milliseconds(1) }
                    == ["beaches", "coins"])
            #expect(try await products { $0.productIdentifiers = ["coins", "none"] } == ["coins"])
            #expect(try await products { $0.productIdentifiers = [] } == [])
            #expect(try await products { $0.types = [.nonConsumable, .autoRenewable] } == ["beaches", "news.weekly"])
            #expect(try await products { $0.subscriptionGroupIdentifiers = ["news"] } == ["news.weekly"])
            #expect(try await products { $0.isRevoked = true } == ["coins"])
            #expect(try await products { $0.isRevoked = false } == ["beaches", "news.weekly"])
            #expect(try await products { $0.leavesOutFinishedConsumables = true }.count == 3)
            let more = try await alice.add("coins", key: "3").transaction
            #expect(try await products { $0.leavesOutFinishedConsumables = true }.count == 4)
            for id in [coins.id, more.id] { try await alice.finish(id) }
            // One was taken back, so it stays.
            #expect(try await products { $0.leavesOutFinishedConsumables = true }.count == 3)
        }
    }

    @Test(arguments: Engine.allCases)
    func `refunds are in the order they were made in, without what was revoked, and pages go on`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            var bought: [PaymentTransaction] = []
            for number in 0..<5 { bought.append(try await alice.add("coins", key: "\(number)").transaction) }
            let ids = bought.map { $0.transactionIdentifier ?? "" }
            for (day, place) in [("2027-03-02", 3), ("2027-03-03", 1), ("2027-03-04", 4)] {
                try await store.putClock(day, frozen: true)
                try await store.refund(bought[place].id)
            }
            try await store.revoke(bought[0].id)
            #expect(try await alice.modified(by: .refunds).identifiers == [ids[3], ids[1], ids[4]])
            let first = try await alice.modified(by: .refunds, limit: 2)
            #expect(first.hasMore)
            // What changes about a refunded purchase later moves it in the history only.
            _ = try await store.caller.call(
                ServerAPIEndpoints.setAppAccountToken,
                SetAppAccountTokenRequest(
                    bundleId: Catalogue.bundleId, originalTransactionIdentifier: ids[3],
                    appAccountToken: "7a0c6b0e-1111-4222-8333-444455556666"))
            #expect(try await alice.modified(by: .refunds).identifiers == [ids[3], ids[1], ids[4]])
            let rest = try await alice.modified(by: .refunds, after: first.place)
            #expect(rest.identifiers == [ids[4]])
            #expect(try await alice.modified(by: .refunds, isDescending: true, limit: 1).identifiers == [ids[4]])
            try await store.refund(bought[2].id)
            #expect(try await alice.modified(by: .refunds, after: rest.place).identifiers == [ids[2]])
            // A refund that is taken back is none.
            _ = try await store.caller.call(ServerAPIEndpoints.reverseRefund, RefundRequest(.outside(bought[1].id)))
            #expect(try await alice.modified(by: .refunds).identifiers == [ids[3], ids[4], ids[2]])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a token is in lower case, and a user name that is a UUID is one, from the purchase on`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let (upper, lower) = ("7A0C6B0E-1111-4222-8333-444455556666", "7a0c6b0e-1111-4222-8333-444455556666")
            func token(
                _ key: String, _ change: (inout Payment) -> Void
            ) async throws -> String? {
                var payment = Payment(requestIdentifier: key, productIdentifier: "coins")
                change(&payment)
                let bought = try await alice.add(payment).transaction
                let item = try await store.lookup(bought.transactionIdentifier ?? "").transaction?.item
                let noted = try await store.serverEvents().flatMap(\.changes).map(\.transaction.item).first {
                    $0.transactionIdentifier == bought.transactionIdentifier
                }
                #expect(noted?.appAccountToken == item?.appAccountToken, "the notification says the same")
                #expect(bought.payment.applicationUsername == payment.applicationUsername, "as the app sent it")
                return item?.appAccountToken
            }
            #expect(try await token("1") { $0.appAccountToken = upper } == lower)
            #expect(try await token("2") { $0.applicationUsername = upper } == lower)
            #expect(try await token("3") { $0.applicationUsername = "alice" } == nil)
            let other = "00000000-1111-4222-8333-444455556666"
            #expect(
                try await token("4") { ($0.appAccountToken, $0.applicationUsername) = (other, upper) } == other)
            // The same request again, spelled as a library of another language does, is the same payment.
            #expect(try await token("1") { $0.appAccountToken = lower } == lower)
            #expect(try await alice.modified().transactions.count == 4)
            // A renewal has its first purchase's, and so has the status.
            var payment = Payment(requestIdentifier: "5", productIdentifier: "news.weekly")
            payment.applicationUsername = upper
            _ = try await alice.add(payment)
            try await store.jump(to: "2027-03-10")
            let status = try #require(try await alice.statuses().subscriptions.first)
            #expect(status.transaction.reason == .renewal)
            #expect(status.transaction.item.appAccountToken == lower)
        }
    }

    @Test(arguments: Engine.allCases)
    func `receipts and histories say the same of a purchase`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            for product in ["coins", "beaches", "season"] { _ = try await alice.add(product, key: product) }
            _ = try await alice.subscribe("basic.monthly")
            try await store.jump(to: "2027-06-10")
            _ = try await alice.subscribe("pro.yearly", key: "upgrade")
            try await store.jump(to: "2027-06-20")
            try await store.refund(try #require(try await alice.receipt().items.last).transactionIdentifier)
            let receipt = try await alice.receipt().items
            let history = try await alice.modified().transactions.map(\.item)
            #expect(receipt.count == 8)
            #expect(Set(history) == Set(receipt))
            #expect(history.count == receipt.count)
        }
    }

    @Test(arguments: Engine.allCases)
    func `operators see the order of a purchase, and none of one that failed`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("coins", key: "1").transaction
            _ = try await alice.add("unknown", key: "2")
            let page = try await store.caller.call(PaymentEndpoints.listTransactions, TransactionListRequest())
            let order = try #require(page.records?.compactMap(\.orderId).first)
            #expect(OrderIdentifier.transaction(of: order) == bought.transactionIdentifier)
            let states = zip(page.transactions, page.records ?? []).map { ($0.transactionState, $1.orderId != nil) }
            #expect(states.allSatisfy { ($0 == .purchased) == $1 })
            #expect(states.count == 2)
        }
    }

    // MARK: Subscriptions

    @Test(arguments: Engine.allCases)
    func `a subscription has the transaction of its period, which the store renewed`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let original = try await alice.subscribe("news.weekly")
            let first = try #require(try await alice.statuses().subscriptions.first)
            #expect(first.transaction.item.transactionIdentifier == original)
            #expect(first.transaction.reason == .purchase)
            #expect(first.recentStart == TestStore.instant("2027-03-01"))
            try await store.jump(to: "2027-03-10")
            let statuses = try await alice.statuses()
            let renewed = try #require(statuses.subscriptions.first)
            #expect(statuses.businessNow == TestStore.instant("2027-03-10"))
            #expect(renewed.transaction.item.transactionIdentifier != original)
            #expect(renewed.transaction.item.originalTransactionIdentifier == original)
            #expect(renewed.transaction.reason == .renewal)
            #expect(renewed.recentStart == first.recentStart)
            #expect(renewed.subscription.state == .subscribed)
            #expect(renewed.nextOffer == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the offer of the next renewal is there while it lasts and the subscription renews`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            // Three months at an introductory price.
            let original = try await alice.subscribe("basic.monthly")
            let next = try #require(try await alice.statuses().subscriptions.first?.nextOffer)
            #expect(next.type == .introductory)
            #expect(next.paymentMode == .payAsYouGo)
            #expect(next.period?.iso8601 == "P3M")
            try await alice.update(original, renews: false)
            #expect(try await alice.statuses().subscriptions.first?.nextOffer == nil)
            try await alice.update(original, renews: true)
            try await store.jump(to: "2027-05-15")
            #expect(try await alice.statuses().subscriptions.first?.nextOffer == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a customer who comes back after more than 60 days has a new recent start`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let original = try await alice.subscribe("news.weekly")
            try await alice.update(original, renews: false)
            try await store.jump(to: "2027-04-20")
            _ = try await alice.subscribe("news.weekly", key: "soon")
            #expect(try await alice.statuses().subscriptions.first?.recentStart == TestStore.instant("2027-03-01"))
            try await alice.update(original, renews: false)
            try await store.jump(to: "2027-08-01")
            _ = try await alice.subscribe("news.weekly", key: "again")
            #expect(try await alice.statuses().subscriptions.first?.recentStart == TestStore.instant("2027-08-01"))
        }
    }
}

/// Goal: a subscription begins anew after a gap of more than 60 days, of ten minutes where time is compressed.
@Suite struct RecentStartPolicyTests {
    private static func period(_ start: Int64, _ end: Int64) -> (start: Timestamp, end: Timestamp) {
        (Timestamp(milliseconds: start), Timestamp(milliseconds: end))
    }

    @Test func `a gap as long as allowed does not begin it anew, a longer one does`() {
        for rate in [SubscriptionRenewalRate.realTime, .monthlyRenewalEveryFiveMinutes] {
            let gap = RecentStartPolicy.gap(rate)
            let kept = [Self.period(1, 10), Self.period(10 + gap, 20 + gap)]
            #expect(RecentStartPolicy.start(of: kept, rate: rate)?.milliseconds == 1)
            let anew = [Self.period(1, 10), Self.period(11 + gap, 20 + gap), Self.period(20 + gap, 30 + gap)]
            #expect(RecentStartPolicy.start(of: anew, rate: rate)?.milliseconds == 11 + gap)
        }
        #expect(RecentStartPolicy.gap(.realTime) == 5_184_000_000)
        #expect(RecentStartPolicy.gap(.monthlyRenewalEveryFiveMinutes) == 600_000)
        #expect(RecentStartPolicy.start(of: [], rate: .realTime) == nil)
    }
}

extension TestStore {
    func lookup(
        _ identifier: String, of bundleId: String = Catalogue.bundleId
    ) async throws -> TransactionLookupReply {
        try await caller.call(
            ServerAPIEndpoints.lookup, TransactionLookupRequest(bundleId: bundleId, identifier: identifier))
    }

    fileprivate func modified(
        of identifier: String, in bundleId: String = Catalogue.bundleId
    ) async throws -> ModifiedTransactionsPage {
        try await caller.call(
            ServerAPIEndpoints.modified,
            ModifiedTransactionsRequest(bundleId: bundleId, identifier: identifier, limit: 100))
    }
}

extension CustomerApp {
    fileprivate func appTransaction() async throws -> TransactionLookupReply {
        try await store.caller.call(
            ServerAPIEndpoints.appTransaction,
            AppTransactionRequest(bundleId: Catalogue.bundleId, customerIdentifier: customer))
    }

    fileprivate func modified(
        by order: ModifiedTransactionsRequest.Order = .changes, after: Int64? = nil, isDescending: Bool = false,
        limit: Int = 100,
        filter: ServerTransactionFilter = ServerTransactionFilter()
    ) async throws -> ModifiedTransactionsPage {
        try await store.caller.call(
            ServerAPIEndpoints.modified,
            ModifiedTransactionsRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, order: order, after: after,
                isDescending: isDescending, limit: limit, filter: filter))
    }

    func statuses() async throws -> SubscriptionStatuses {
        try await store.caller.call(
            ServerAPIEndpoints.statuses,
            SubscriptionStatusesRequest(bundleId: Catalogue.bundleId, customerIdentifier: customer))
    }
}

extension ModifiedTransactionsPage {
    fileprivate var identifiers: [String] { transactions.map(\.item.transactionIdentifier) }
}
