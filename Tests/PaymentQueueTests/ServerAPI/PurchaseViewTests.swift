import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: StoreKit 2 lists what a customer has bought and holds, and a payment of its own leaves nothing it has none of.
@Suite(.serialized) struct PurchaseViewTests {
    // MARK: Views

    @Test(arguments: Engine.allCases)
    func `entitlements are what the customer has access to now, newest first`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            _ = try await alice.bought("coins")
            _ = try await alice.bought("beaches")
            _ = try await alice.bought("season", key: "season 1")
            let second = try await alice.bought("season", key: "season 2")
            _ = try await alice.subscribe("basic.monthly")
            _ = try await alice.subscribe("pro.monthly", key: "upgrade")
            let held = try await alice.view(.entitlements)
            #expect(held.products == ["pro.monthly", "season", "beaches"])
            #expect(held.transactions[1].item.transactionIdentifier == second.transactionIdentifier)
            try await store.refund(second.id)
            let left = try await alice.view(.entitlements)
            #expect(left.products == ["pro.monthly", "season", "beaches"])
            #expect(left.transactions[1].item.transactionIdentifier != second.transactionIdentifier)
            #expect(try await alice.view(.entitlements, product: "beaches").products == ["beaches"])
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-08-01")
            #expect(try await alice.view(.entitlements).products == ["season", "beaches"])
        }
    }

    @Test(arguments: [true, false])
    func `a declined renewal is an entitlement in its grace period only`(_ hasGrace: Bool) async throws {
        try await TestStore.withSubscriptions(.sqlite) { store, alice in
            store.catalogue.set(billingGracePeriod: hasGrace)
            _ = try await alice.subscribe("basic.monthly")
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-04-02")
            #expect(try await alice.view(.entitlements).products == (hasGrace ? ["basic.monthly"] : []))
        }
    }

    @Test(arguments: Engine.allCases)
    func `all leaves out finished consumables, unless they are asked for or were taken back`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let coins = try await alice.bought("coins", key: "1")
            _ = try await alice.bought("coins", key: "2")
            _ = try await alice.bought("beaches")
            #expect(try await alice.view(.all).products == ["beaches", "coins", "coins"])
            try await alice.finish(coins.id)
            #expect(try await alice.view(.all).products == ["beaches", "coins"])
            #expect(try await alice.view(.unfinished).products == ["beaches", "coins"])
            #expect(try await alice.view(.all, finishedConsumables: true).products == ["beaches", "coins", "coins"])
            try await store.refund(coins.id)
            #expect(try await alice.view(.all).products == ["beaches", "coins", "coins"])
            #expect(try await alice.view(.all, product: "coins").products == ["coins", "coins"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `latest is the newest of each product, also a refunded one, and an upgraded one is in all`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            _ = try await alice.bought("coins", key: "1")
            let newest = try await alice.bought("coins", key: "2")
            try await store.refund(newest.id)
            _ = try await alice.subscribe("basic.monthly")
            _ = try await alice.subscribe("pro.monthly", key: "upgrade")
            let latest = try await alice.view(.latest)
            #expect(latest.products == ["pro.monthly", "basic.monthly", "coins"])
            #expect(latest.transactions[1].item.isUpgraded == true)
            #expect(latest.transactions[2].item.transactionIdentifier == newest.transactionIdentifier)
            #expect(try await alice.view(.latest, product: "coins").products == ["coins"])
            #expect(try await alice.view(.latest, product: "beaches").products.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `pages of a view follow each other`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { _, alice in
            for number in 1...3 { _ = try await alice.bought("coins", key: "\(number)") }
            _ = try await alice.bought("season")
            _ = try await alice.bought("beaches")
            _ = try await alice.bought("pro.monthly")
            _ = try await alice.bought("season", key: "again")
            #expect(try await alice.view(.entitlements).products == ["season", "pro.monthly", "beaches"])
            for view in SignedView.allCases {
                let whole = try await alice.view(view).products
                var (products, after): ([String], Int64?) = ([], nil)
                repeat {
                    let page = try await alice.view(view, after: after, limit: 1)
                    #expect(page.transactions.count == 1 || whole.isEmpty)
                    products += page.products
                    after = page.after
                } while after != nil
                #expect(products == whole, "\(view)")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a product that was owned already is in no view, whoever has asked for it again`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let first = try await alice.bought("beaches", key: "1")
            let identifier = try #require(first.transactionIdentifier)
            for number in 2...4 { _ = try await alice.bought("beaches", key: "\(number)") }
            for view in SignedView.allCases {
                let found = try await alice.view(view).transactions.map(\.item.transactionIdentifier)
                #expect(found == [identifier], "\(view)")
            }
            try await store.refund(first.id)
            #expect(try await alice.view(.entitlements).products.isEmpty)
            #expect(try await alice.view(.latest).products == ["beaches"])
            _ = try await store.caller.call(ServerAPIEndpoints.reverseRefund, RefundRequest(.outside(first.id)))
            #expect(try await alice.view(.entitlements).products == ["beaches"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a page that has read too many finished consumables ends, and the next one goes on`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            _ = try await alice.bought("beaches")
            let coins = try await alice.bought("coins")
            try await alice.finish(coins.id)
            try await store.copy(coins.id, count: ServerAPIService.scanMax)
            let first = try await alice.view(.all)
            #expect(first.transactions.isEmpty)
            let after = try #require(first.after)
            let second = try await alice.view(.all, after: after)
            #expect(second.products == ["beaches"])
            #expect(second.after == nil)
            let latest = try await alice.view(.latest)
            #expect(latest.products == ["coins", "beaches"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a page that is too large for a reply is cut, and the next one goes on`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let coins = try await alice.bought("coins")
            try await store.copy(coins.id, count: 99, token: String(repeating: "x", count: 12_000))
            var (counts, after): ([Int], Int64?) = ([], nil)
            repeat {
                let page = try await alice.view(.all, after: after)
                counts.append(page.transactions.count)
                after = page.after
            } while after != nil && counts.count < 10
            #expect(counts.reduce(0, +) == 100)
            #expect(counts.count == 3)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a known revision is answered without transactions until something changes`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let coins = try await alice.bought("coins")
            let first = try await alice.view(.all)
            #expect(first.isUnchanged == false)
            let again = try await alice.view(.all, revision: first.revision)
            #expect(again.isUnchanged)
            #expect(again.transactions.isEmpty)
            #expect(again.seq == first.seq)
            try await alice.finish(coins.id)
            #expect(try await alice.view(.all, revision: first.revision).isUnchanged == false)
            let finished = try await alice.view(.all)
            // A token of a finished purchase is in its signed form and in no journal.
            _ = try await store.caller.call(
                ServerAPIEndpoints.setAppAccountToken,
                SetAppAccountTokenRequest(
                    bundleId: Catalogue.bundleId,
                    originalTransactionIdentifier: try #require(coins.transactionIdentifier),
                    appAccountToken: "7a0c6b0e-1111-4222-8333-444455556666"))
            #expect(try await alice.view(.all, revision: finished.revision).isUnchanged == false)
            let signed = try await alice.view(.all)
            try await store.delete(coins.id)
            #expect(try await alice.view(.all, revision: signed.revision).isUnchanged == false)
        }
    }

    @Test func `an unknown customer has no view and no outcome`() async throws {
        try await TestStore.with(.sqlite) { store in
            let nobody = try await store.customerApp().named("c_none")
            #expect(try await refusal { try await nobody.view(.all) }?.code == .notFound)
            #expect(try await refusal { try await nobody.outcome("t_1") }?.code == .notFound)
        }
    }

    // MARK: Outcomes

    @Test(arguments: Engine.allCases)
    func `what the customer holds is bought for nothing, and leaves nothing in the queue`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let beaches = try await alice.purchase("beaches", key: "1")
            #expect(try await alice.outcome(beaches.id)?.isHeld == false)
            let bob = try await store.customerApp("bob", device: "pad")
            #expect(try await bob.outcome(beaches.id) == nil)
            let again = try await alice.purchase("beaches", key: "2")
            #expect(again.transactionState == .purchased)
            let held = try #require(try await alice.outcome(again.id))
            #expect(held.isHeld)
            #expect(held.transaction.item.transactionIdentifier == beaches.transactionIdentifier)
            let pro = try await alice.purchase("pro.monthly", key: "3")
            let subscribed = try await alice.purchase("pro.monthly", key: "4")
            #expect(subscribed.error?.isAlreadySubscribed == true)
            let downgrade = try await alice.purchase("basic.monthly", key: "5")
            for id in [subscribed.id, downgrade.id] {
                let outcome = try #require(try await alice.outcome(id))
                #expect(outcome.isHeld)
                #expect(outcome.transaction.item.transactionIdentifier == pro.transactionIdentifier)
            }
            #expect(try await alice.snapshot().transactions.map(\.id) == [beaches.id, pro.id])
            #expect(try await alice.view(.all).products == ["pro.monthly", "beaches"])
            #expect(try await alice.view(.unfinished).products == ["pro.monthly", "beaches"])
            // The same key gets the first answer.
            #expect(try await alice.purchase("beaches", key: "2").id == again.id)
        }
    }

    @Test(arguments: Engine.allCases)
    func `what was held is found again after a change of the subscription, and until it is deleted`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            _ = try await alice.purchase("basic.monthly", key: "1")
            let twice = try await alice.purchase("basic.monthly", key: "2")
            #expect(twice.error?.isAlreadySubscribed == true)
            let pro = try await alice.purchase("pro.monthly", key: "3")
            // The same change, scheduled twice, of a product that was the subscription's before.
            _ = try await alice.purchase("basic.monthly", key: "4")
            let scheduled = try await alice.purchase("basic.monthly", key: "5")
            #expect(scheduled.error?.isAlreadySubscribed == true)
            for id in [twice.id, scheduled.id] {
                let outcome = try #require(try await alice.outcome(id))
                #expect(outcome.isHeld)
                #expect(outcome.transaction.item.transactionIdentifier == pro.transactionIdentifier)
            }
            let beaches = try await alice.purchase("beaches", key: "6")
            let again = try await alice.purchase("beaches", key: "7")
            #expect(try await alice.outcome(again.id)?.isHeld == true)
            try await store.delete(beaches.id)
            #expect(try await alice.outcome(again.id) == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `outcomes of many payments come together, and an unknown payment has none`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let coins = try await alice.purchase("coins", key: "1")
            let beaches = try await alice.purchase("beaches", key: "2")
            let again = try await alice.purchase("beaches", key: "3")
            let pro = try await alice.purchase("pro.monthly", key: "4")
            let twice = try await alice.purchase("pro.monthly", key: "5")
            let found = try await alice.outcomes([twice.id, "t_none", coins.id, again.id, beaches.id, pro.id])
            #expect(found.map(\.id) == [twice.id, coins.id, again.id, beaches.id, pro.id])
            #expect(found.map(\.isHeld) == [true, false, true, false, false])
            let shown = [pro, coins, beaches, beaches, pro].compactMap(\.transactionIdentifier)
            #expect(found.map(\.transaction.item.transactionIdentifier) == shown)
            let many = Array(repeating: coins.id, count: 101)
            let refused = try await refusal { try await alice.outcomes(many) }
            #expect(refused?.code == .requestInvalid)
            #expect(refused?.message == "ids must be 0 to 100, not 101")
        }
    }

    @Test(arguments: Engine.allCases)
    func `a payment that fails leaves nothing in the queue of StoreKit 2, and stays in that of StoreKit 1`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            store.processor.set(outcome: .declined)
            let gone = try await alice.purchase("coins", key: "1")
            #expect(gone.transactionState == .failed)
            #expect(try await alice.outcome(gone.id) == nil)
            #expect(try await alice.snapshot().transactions.isEmpty)
            let stays = try await alice.add("coins", key: "2").transaction
            #expect(try await alice.snapshot().transactions.map(\.id) == [stays.id])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a purchase that a parent approves says so, and a declined one leaves nothing`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            var payment = Payment(requestIdentifier: "1", productIdentifier: "coins", simulatesAskToBuyInSandbox: true)
            payment.returnsOutcome = true
            let asked = try await alice.add(payment).transaction
            #expect(asked.transactionState == .deferred)
            #expect(try await alice.outcome(asked.id) == nil)
            _ = try await store.approve(asked.id)
            #expect(try await alice.outcome(asked.id)?.wasDeferred == true)
            payment.requestIdentifier = "2"
            let other = try await alice.add(payment).transaction
            _ = try await store.decline(other.id)
            #expect(try await alice.snapshot().transactions.map(\.id) == [asked.id])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a change in the journal names the event that it is in the log`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let coins = try await alice.bought("coins")
            try await alice.finish(coins.id)
            try await store.refund(coins.id)
            let changes = try await alice.changes().changes
            #expect(changes.compactMap(\.event) == [.purchasing, .purchased, .finished, .refunded])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a reversed refund and an upgrade of a finished transaction are in the journal without an event`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let coins = try await alice.bought("coins")
            try await alice.finish(coins.id)
            try await store.refund(coins.id)
            var head = try await alice.changes().head
            _ = try await store.caller.call(ServerAPIEndpoints.reverseRefund, RefundRequest(.outside(coins.id)))
            let reversed = try await alice.changes(after: head).changes
            #expect(reversed.map(\.kind) == [.subscriptionChanged])
            #expect(reversed.map(\.event) == [nil])
            #expect(reversed.first?.transaction?.id == coins.id)
            #expect(reversed.first?.transaction?.revocationDate == nil)
            let basic = try await alice.bought("basic.monthly")
            try await alice.finish(basic.id)
            head = try await alice.changes().head
            _ = try await alice.bought("pro.monthly")
            let upgraded = try await alice.changes(after: head).changes.filter { $0.transaction?.id == basic.id }
            #expect(upgraded.map(\.kind) == [.subscriptionChanged])
            #expect(upgraded.map(\.event) == [nil])
            #expect(upgraded.first?.transaction?.isUpgraded == true)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an extension is in the journal as an event, and behind it as the change of its transaction`(
        _ engine: Engine
    ) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let pro = try await alice.bought("pro.monthly")
            try await alice.finish(pro.id)
            let head = try await alice.changes().head
            _ = try await store.operate(pro.id, .extend, days: 5)
            let changes = try await alice.changes(after: head).changes
            #expect(changes.map(\.kind) == [.subscriptionChanged, .subscriptionChanged])
            #expect(changes.map(\.event) == [.extended, nil])
            let end = try #require(pro.expiresDate) + .seconds(5 * 86_400)
            #expect(changes.last?.transaction?.expiresDate == end)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the finished copies of a refunded purchase are not told`(_ engine: Engine) async throws {
        try await TestStore.withSubscriptions(engine) { store, alice in
            let beaches = try await alice.purchase("beaches", key: "1")
            try await alice.finish(beaches.id)
            _ = try await alice.purchase("beaches", key: "2")
            let head = try await alice.changes().head
            try await store.refund(beaches.id)
            let changes = try await alice.changes(after: head).changes
            #expect(changes.allSatisfy { $0.transaction?.id == beaches.id })
        }
    }
}

extension TestStore {
    /// Adds later purchases like one, with an `appAccountToken`.
    fileprivate func copy(_ id: String, count: Int, token: String = "x") async throws {
        _ = try await database.write { transaction in
            try await transaction.execute(
                """
                INSERT INTO payment_transaction (id, bundle_id, customer_identifier, created_seq, history_seq,
                    modified_seq, state, phase, is_finished, revision, product_identifier, origin_device_id,
                    transaction_number, charge_key, listed_type, terms, body)
                WITH RECURSIVE numbers (i) AS (
                    SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < CAST(? AS BIGINT))
                SELECT id || '_' || CAST(i AS TEXT), bundle_id, customer_identifier, 1000 + i, 1000 + i, 1000 + i,
                    state, phase, is_finished, revision, product_identifier, origin_device_id, 3000000000000000 + i,
                    charge_key || '_' || CAST(i AS TEXT), listed_type, terms,
                    REPLACE(body, '"payment":{', '"payment":{"appAccountToken":"' || CAST(? AS TEXT) || '",')
                FROM numbers, payment_transaction WHERE id = ?
                """, count, token, id)
        }
    }
}

extension CustomerApp {
    fileprivate func view(
        _ view: SignedView, product: String? = nil, finishedConsumables: Bool? = nil, revision: String? = nil,
        after: Int64? = nil, limit: Int = 100
    ) async throws -> ViewedTransactions {
        try await store.caller.call(
            ServerAPIEndpoints.viewed,
            ViewedTransactionsRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, view: view, productIdentifier: product,
                hasFinishedConsumables: finishedConsumables, revision: revision, after: after, limit: limit))
    }

    fileprivate func outcome(_ id: String) async throws -> PaymentOutcome? { try await outcomes([id]).first }

    fileprivate func outcomes(_ ids: [String]) async throws -> [PaymentOutcome] {
        try await store.caller.call(
            ServerAPIEndpoints.outcomes,
            PaymentOutcomesRequest(bundleId: Catalogue.bundleId, customerIdentifier: customer, ids: ids)
        ).outcomes
    }

    /// Buys as StoreKit 2 does.
    fileprivate func purchase(_ product: String, key: String) async throws -> PaymentTransaction {
        var payment = Payment(requestIdentifier: key, productIdentifier: product)
        payment.returnsOutcome = true
        return try await add(payment).transaction
    }
}

extension ViewedTransactions {
    fileprivate var products: [String] { transactions.map(\.item.productIdentifier) }
}
