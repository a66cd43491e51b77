import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a member has a transaction of their own for what another of the family buys, and has it exactly while the
/// buyer's gives access and both share.
///
/// Method: alice buys, bob is in her family, and carol is not. The sweep runs when the test says so.
@Suite(.serialized) struct FamilySharingTests {
    private struct Family: Sendable {
        let store: TestStore
        let alice: CustomerApp
        let bob: CustomerApp
        let carol: CustomerApp
    }

    private func withFamily(_ engine: Engine, _ body: (Family) async throws -> Void) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-03-01", frozen: true)
            var isle = Product.product("isle", .nonConsumable, "1.99")
            isle.isFamilyShareable = true
            store.catalogue.sell(isle)
            var home = Product.subscription("home.monthly", "9.99", group: "home")
            home.isFamilyShareable = true
            store.catalogue.sell(home, level: 2)
            var villa = Product.subscription("villa.monthly", "19.99", group: "home")
            villa.isFamilyShareable = true
            store.catalogue.sell(villa, level: 1)
            store.catalogue.sell(.subscription("solo.monthly", "29.99", group: "home"), level: 1)
            let family = Family(
                store: store, alice: try await store.customerApp("alice"), bob: try await store.customerApp("bob"),
                carol: try await store.customerApp("carol"))
            try await store.makeFamily("smith", "alice")
            try await store.join("smith", "bob")
            try await body(family)
        }
    }

    // MARK: F1

    @Test(arguments: Engine.allCases)
    func `F1: a member gets one transaction of their own for a purchase, and nothing is charged for it`(
        _ engine: Engine
    ) async throws {
        try await withFamily(engine) { family in
            let (store, bob) = (family.store, family.bob)
            let bought = try await family.alice.add("isle", key: "1").transaction
            _ = try await family.alice.add("beaches", key: "2")
            _ = try await family.alice.add("coins", key: "3")
            let charges = try await store.charges()
            try await store.share()
            let mine = try await bob.owned()
            let shared = try #require(mine.first)
            #expect(mine.count == 1 && shared.payment.productIdentifier == "isle")
            #expect(shared.isFamilyShared == true && shared.price == nil && shared.transactionState == .purchased)
            #expect(shared.transactionIdentifier != bought.transactionIdentifier && shared.id != bought.id)
            #expect(shared.originalTransactionIdentifier == nil)
            // Sweeping again, also as if everything had changed, gives nothing more.
            for _ in 0..<3 {
                try await store.forgetSharing()
                try await store.share()
            }
            #expect(try await bob.owned() == mine)
            #expect(try await store.charges() == charges && charges.count == 3)
            #expect(try await family.carol.owned() == [])
            #expect(try await family.alice.owned().count == 3)
            // It is in the queue of each device until it is finished there, as any other.
            let waiting = try await bob.on(device: "pad").snapshot().transactions
            #expect(waiting.map(\.id) == [shared.id])
            try await bob.finish(shared.id)
            #expect(try await bob.snapshot().transactions.isEmpty)
            #expect(try await family.alice.snapshot().transactions.count == 3)
        }
    }

    @Test(arguments: Engine.allCases)
    func `F1: each period is shared once, under the member's first transaction`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let (store, bob) = (family.store, family.bob)
            _ = try await family.alice.subscribe("home.monthly")
            try await store.share()
            try await store.jump(to: "2027-05-02")
            try await store.share()
            let periods = try await bob.owned()
            let first = try #require(periods.first)
            let ends = periods.map { $0.expiresDate.map { String($0.description.prefix(10)) } }
            #expect(ends == ["2027-04-01", "2027-05-01", "2027-06-01"])
            for later in periods.dropFirst() {
                #expect(later.originalTransactionIdentifier == first.transactionIdentifier)
                #expect(later.original?.transaction.id == first.id)
            }
            #expect(Set(periods.map(\.transactionIdentifier)).count == 3)
            for period in periods {
                #expect(period.isTrialPeriod == false && period.offer == nil && period.price == nil)
            }
            // The member has no subscription of their own, and is a new subscriber for offers.
            #expect(try await bob.subscriptions() == [])
            #expect(try await bob.offers() == [])
            #expect(try await store.charges().count == 3)
        }
    }

    @Test func `F1: two queues that sweep at once share a purchase once`() async throws {
        try await withFamily(.postgres) { family in
            let store = family.store
            let other = try await store.startReplica()
            let services = [store.current.service.sharing, other.service.sharing]
            for number in 1...4 {
                for product in ["home.monthly", "villa.monthly"] {
                    _ = try await family.alice.add(product, key: "\(product) \(number)")
                }
                _ = try await family.alice.add("isle", key: "isle \(number)")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for index in 0..<8 {
                        group.addTask { _ = try await services[index % 2].sweep() }
                    }
                    try await group.waitForAll()
                }
            }
            try await store.share()
            let rows = try await store.database.read { reader in
                try await reader.query(
                    """
                    SELECT buyer_transaction FROM shared_purchase GROUP BY customer_identifier, buyer_transaction
                    HAVING COUNT(*) > 1
                    """
                ).count
            }
            #expect(rows == 0)
            let isles = try await family.bob.owned().filter { $0.payment.productIdentifier == "isle" }
            #expect(isles.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `members of one buyer are decided in one commit`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let (store, alice) = (family.store, family.alice.reference)
            try await store.join("smith", "carol")
            let bought = try await family.alice.add("isle", key: "1").transaction
            let composed = try ComposedCommits(store)
            let commits = store.database.statistics.commits
            let results = try await composed.run(
                [family.bob.reference, family.carol.reference].map { member in
                    ComposedCommits.Decision(
                        customer: member, lookups: CustomerState.lookups(sharing: bought.id, of: alice, with: member),
                        identifierCount: 1
                    ) { state in "\(try state.share(bought.id, of: alice))" }
                })
            #expect(results.map(\.output) == ["true", "true"])
            #expect(store.database.statistics.commits == commits + 1)
            try await store.share()
            #expect(try await family.bob.owned().count == 1)
            #expect(try await family.carol.owned().count == 1)
        }
    }

    // MARK: F2

    @Test(arguments: Engine.allCases)
    func `F2: who leaves before a renewal's outcome has no grace period, and who joins then has it`(
        _ engine: Engine
    ) async throws {
        try await withFamily(engine) { family in
            let (store, bob) = (family.store, family.bob)
            store.catalogue.set(billingGracePeriod: true)
            _ = try await family.alice.subscribe("home.monthly")
            try await store.share()
            store.processor.set(trouble: .before)
            _ = try? await store.move(by: "31d", key: "over", within: .milliseconds(500))
            #expect(try await family.alice.states() == ["subscribed home.monthly"])
            #expect(try await bob.states() == ["subscribed home.monthly"])
            try await store.leave("smith", "bob")
            #expect(try await store.persons() == 1)
            #expect(try await bob.states() == ["revoked home.monthly"])
            try await store.join("smith", "carol")
            #expect(try await family.carol.owned() == [])
            store.processor.set(trouble: .none)
            store.processor.set(outcome: .declined)
            _ = try await store.jump(by: "1d")
            try await store.share()
            #expect(try await family.alice.states() == ["inGracePeriod home.monthly"])
            #expect(try await family.carol.entitled() == ["home.monthly"])
            #expect(try await bob.entitled() == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a recovered renewal is one to the member's server, too`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let store = family.store
            store.catalogue.set(billingGracePeriod: true)
            _ = try await family.alice.subscribe("home.monthly")
            try await store.share()
            store.processor.set(outcome: .declined)
            try await store.jump(by: "32d")
            try await store.share()
            store.processor.set(outcome: .approved)
            try await store.jump(by: "10d")
            try await store.share()
            #expect(
                try await store.notifications(to: "bob") == [
                    "SUBSCRIBED.INITIAL_BUY home.monthly", "DID_RENEW.BILLING_RECOVERY home.monthly",
                ])
        }
    }

    @Test(arguments: Engine.allCases)
    func `F2: a refund of the buyer's takes the member's back, and its reversal gives it again`(
        _ engine: Engine
    ) async throws {
        try await withFamily(engine) { family in
            let (store, bob) = (family.store, family.bob)
            let bought = try await family.alice.add("isle", key: "1").transaction
            try await store.share()
            let shared = try #require(try await bob.owned().first)
            try await bob.finish(shared.id)
            _ = try await bob.snapshot()
            #expect(try await bob.entitled() == ["isle"])
            let head = try await bob.changes().head
            try await store.refund(bought.id)
            try await store.share()
            let lost = try #require(try await bob.owned().first)
            #expect(lost.revocationDate == TestStore.instant("2027-03-01"))
            #expect(lost.revocationType == .familyRevoke && lost.revocationPercentage == nil)
            #expect(try await bob.entitled() == [])
            let changes = try await bob.changes(after: head).changes
            #expect(changes.last?.kind == .entitlementsRevoked && changes.last?.productIdentifiers == ["isle"])
            #expect(try await bob.snapshot().revocations.map(\.productIdentifiers) == [["isle"]])
            // Only the buyer's money went back.
            try await store.settleRefunds()
            #expect(try await store.refunds().count == 1)
            _ = try await store.caller.call(
                ServerAPIEndpoints.reverseRefund, RefundRequest(.outside(bought.id), reason: nil))
            try await store.share()
            #expect(try await bob.owned().map(\.id) == [shared.id])
            #expect(try await bob.owned().first?.revocationDate == nil)
            #expect(try await bob.entitled() == ["isle"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `F2: who leaves the family loses what was shared, both ways, and gets it again by joining`(
        _ engine: Engine
    ) async throws {
        try await withFamily(engine) { family in
            let (store, alice, bob) = (family.store, family.alice, family.bob)
            _ = try await alice.add("isle", key: "1")
            _ = try await bob.subscribe("home.monthly")
            try await store.share()
            #expect(try await bob.entitled() == ["home.monthly", "isle"])
            #expect(try await alice.entitled() == ["home.monthly", "isle"])
            try await store.leave("smith", "bob")
            #expect(try await bob.entitled() == ["home.monthly"])
            #expect(try await alice.entitled() == ["isle"])
            #expect(try await store.persons() == 1)
            try await store.join("smith", "bob")
            #expect(try await bob.entitled() == ["home.monthly", "isle"])
            #expect(try await alice.entitled() == ["home.monthly", "isle"])
            #expect(try await bob.owned().count == 2)
            // The end of the family takes everything back, and a new one gives it to others.
            try await store.endFamily("smith")
            #expect(try await alice.entitled() == ["isle"])
            try await store.makeFamily("jones", "bob")
            try await store.join("jones", "carol")
            #expect(try await family.carol.entitled() == ["home.monthly"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `F2: sharing stops and begins for each person`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let (store, alice, bob) = (family.store, family.alice, family.bob)
            try await store.join("smith", "carol", shares: false, receives: false)
            _ = try await alice.add("isle", key: "1")
            _ = try await family.carol.subscribe("home.monthly")
            try await store.share()
            #expect(try await bob.entitled() == ["isle"])
            #expect(try await family.carol.entitled() == ["home.monthly"])
            try await store.join("smith", "carol", receives: true)
            #expect(try await family.carol.entitled() == ["home.monthly", "isle"])
            #expect(try await bob.entitled() == ["isle"])
            try await store.join("smith", "alice", shares: false)
            #expect(try await bob.entitled() == [])
            #expect(try await family.carol.entitled() == ["home.monthly"])
            try await store.join("smith", "alice", shares: true)
            #expect(try await bob.entitled() == ["isle"])
            try await store.join("smith", "bob", receives: false)
            #expect(try await bob.entitled() == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `F2: upgrade, renewal, grace and end of the buyer's subscription are the member's`(
        _ engine: Engine
    ) async throws {
        try await withFamily(engine) { family in
            let (store, alice, bob) = (family.store, family.alice, family.bob)
            store.catalogue.set(billingGracePeriod: true)
            let original = try await alice.subscribe("home.monthly")
            try await store.share()
            #expect(try await bob.states() == ["subscribed home.monthly"])
            _ = try await alice.subscribe("villa.monthly", key: "up")
            try await store.share()
            #expect(try await bob.entitled() == ["villa.monthly"])
            #expect(try await bob.owned().map(\.isUpgraded) == [true, nil])
            #expect(try await bob.states() == ["subscribed villa.monthly"])
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-04-02")
            try await store.share()
            #expect(try await bob.states() == ["inGracePeriod villa.monthly"])
            #expect(try await bob.entitled() == ["villa.monthly"])
            // A new member gets the period in grace, and loses it by leaving.
            try await store.join("smith", "carol")
            #expect(try await family.carol.entitled() == ["villa.monthly"])
            try await store.leave("smith", "carol")
            #expect(try await family.carol.entitled() == [])
            #expect(try await family.carol.states() == ["revoked villa.monthly"])
            store.processor.set(outcome: .approved)
            try await alice.update(original, renews: false)
            try await store.jump(to: "2027-07-01")
            try await store.share()
            #expect(try await bob.states() == ["expired villa.monthly"])
            #expect(try await bob.entitled() == [])
            #expect(try await bob.owned().compactMap(\.revocationDate) == [])
            // Who joins after the end gets nothing of it.
            try await store.join("smith", "carol")
            #expect(try await family.carol.owned().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `F2: an upgrade to a product that is not shared ends the member's access`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let (store, bob) = (family.store, family.bob)
            _ = try await family.alice.subscribe("home.monthly")
            try await store.share()
            _ = try await family.alice.subscribe("solo.monthly", key: "up")
            try await store.share()
            #expect(try await bob.entitled() == [])
            #expect(try await bob.states() == ["expired home.monthly"])
            #expect(try await bob.owned().map(\.isUpgraded) == [true])
            try await store.leave("smith", "bob")
            #expect(try await store.persons() == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `F2: what the buyer loses by deletion or reset, the member loses`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let (store, alice, bob) = (family.store, family.alice, family.bob)
            let bought = try await alice.add("isle", key: "1").transaction
            try await store.share()
            try await store.delete(bought.id)
            try await store.share()
            #expect(try await bob.entitled() == [])
            #expect(try await bob.owned().map(\.revocationType) == [.familyRevoke])
            #expect(try await store.sharedRows() == 0)
            // A member's transaction that the operator has deleted is not given again.
            _ = try await alice.add("isle", key: "2")
            try await store.share()
            let shared = try #require(try await bob.owned().last)
            try await store.delete(shared.id)
            try await store.forgetSharing()
            try await store.share()
            #expect(try await bob.owned().count == 1)
            try await store.reset()
            try await store.share()
            #expect(try await store.sharedRows() == 0)
            #expect(try await store.families().map(\.persons.count) == [2])
            _ = try await alice.add("isle", key: "3")
            try await store.share()
            #expect(try await bob.entitled() == ["isle"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `F2: a member may buy what is shared, and keeps it`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let (store, alice, bob) = (family.store, family.alice, family.bob)
            _ = try await alice.add("isle", key: "1")
            _ = try await alice.subscribe("home.monthly")
            try await store.share()
            let own = try await bob.add("isle", key: "own").transaction
            #expect(own.price == .usd("1.99") && own.isFamilyShared == nil)
            _ = try await bob.subscribe("home.monthly")
            #expect(try await bob.entitled() == ["home.monthly", "home.monthly", "isle", "isle"])
            #expect(try await bob.states().count == 2)
            try await store.share()
            // Each has one of the other's subscription, and nobody one of their own.
            #expect(try await alice.entitled() == ["home.monthly", "home.monthly", "isle", "isle"])
            try await store.leave("smith", "bob")
            #expect(try await bob.entitled() == ["home.monthly", "isle"])
            #expect(try await alice.entitled() == ["home.monthly", "isle"])
        }
    }

    // MARK: What others see

    @Test(arguments: Engine.allCases)
    func `apps' servers hear of what is given and lost, with the member's transaction`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let (store, alice) = (family.store, family.alice)
            let isle = try await alice.add("isle", key: "1").transaction
            _ = try await alice.subscribe("home.monthly")
            try await store.share()
            try await store.jump(to: "2027-04-01")
            try await store.share()
            try await store.refund(isle.id)
            try await store.share()
            try await store.leave("smith", "bob")
            try await store.join("smith", "bob")
            let events = try await store.serverEvents().filter { $0.account == "bob" }
            #expect(
                try await store.notifications(to: "bob") == [
                    "ONE_TIME_CHARGE isle", "SUBSCRIBED.INITIAL_BUY home.monthly", "DID_RENEW home.monthly",
                    "REVOKE isle", "REVOKE home.monthly", "SUBSCRIBED.RESUBSCRIBE home.monthly",
                ])
            let changes = events.flatMap(\.changes)
            for change in changes {
                #expect(change.transaction.item.isFamilyShared == true && change.transaction.price == nil)
            }
            let revoked = changes.filter { $0.kind == .revoked }
            #expect(revoked.map(\.transaction.item.revocationType) == [.familyRevoke, .familyRevoke])
            #expect(revoked.last?.subscription?.subscription.state == .revoked)
            let periods = changes.compactMap(\.subscription)
            let original = changes[1].transaction.item.transactionIdentifier
            for period in periods {
                #expect(period.subscription.originalTransactionIdentifier == original)
                #expect(period.subscription.renewalPrice == nil && period.nextOffer == nil)
            }
            #expect(changes[2].transaction.reason == .renewal)
            #expect(Set(events.map(\.appTransactionIdentifier)).count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `receipts and lists have the member's transactions as shared ones`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let (store, bob) = (family.store, family.bob)
            _ = try await family.alice.add("isle", key: "1")
            _ = try await family.alice.subscribe("home.monthly")
            _ = try await bob.add("beaches", key: "own")
            try await store.share()
            let receipt = try await bob.receipt()
            let items = receipt.items
            let renewal = try #require(receipt.subscriptions.first)
            #expect(receipt.subscriptions.count == 1)
            #expect(renewal.originalTransactionIdentifier == items.last?.originalTransactionIdentifier)
            #expect(renewal.willAutoRenew && renewal.renewalPrice == nil && renewal.offer == nil)
            #expect(items.map(\.productIdentifier) == ["beaches", "isle", "home.monthly"])
            #expect(items.map(\.ownershipType) == ["PURCHASED", "FAMILY_SHARED", "FAMILY_SHARED"])
            #expect(items.last?.webOrderLineItemIdentifier != nil && items.last?.isTrialPeriod == false)
            #expect(try await family.alice.receipt().items.compactMap(\.isFamilyShared) == [])
            var filter = ServerTransactionFilter()
            filter.isFamilyShared = false
            let own = items.filter { filter.matches($0, isFinished: true) }
            #expect(own.map(\.productIdentifier) == ["beaches"])
            let restorable = try await bob.owned()
            for one in restorable { try await bob.finish(one.id) }
            #expect(try await bob.restore().restored == 3)
            let restored = try await bob.snapshot().transactions
            #expect(restored.map(\.isFamilyShared) == [nil, true, true])
            try await store.leave("smith", "bob")
            #expect(try await bob.restore(key: "second").restored == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `what belongs to the buyer is refused to the member`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let (store, bob) = (family.store, family.bob)
            _ = try await family.alice.subscribe("home.monthly")
            try await store.share()
            let shared = try #require(try await bob.owned().first)
            let identifier = try #require(shared.transactionIdentifier)
            let refund = try await refusal { try await store.refund(shared.id) }
            let revoke = try await refusal { try await store.revoke(shared.id) }
            #expect(refund?.code == .transactionStateInvalid && revoke?.code == .transactionStateInvalid)
            let asked = OpenRefundRequest(.outside(shared.id), reason: .other)
            let open = try await refusal { try await store.caller.call(ServerAPIEndpoints.openRefundRequest, asked) }
            #expect(open?.code == .transactionStateInvalid)
            let token = SetAppAccountTokenRequest(
                bundleId: Catalogue.bundleId, originalTransactionIdentifier: identifier,
                appAccountToken: "0f6e1a52-7a6f-4a0e-9a3c-6a1d1f0f6e1a")
            let set = try await refusal { try await store.caller.call(ServerAPIEndpoints.setAppAccountToken, token) }
            #expect(set?.code == .transactionStateInvalid)
            let extended = try await store.caller.call(
                ServerAPIEndpoints.extend,
                ExtendSubscriptionRequest(
                    bundleId: Catalogue.bundleId, originalTransactionIdentifier: identifier, days: 3,
                    requestIdentifier: "r"))
            #expect(extended.outcome == .familyShared && extended.effectiveDate == nil)
            let operated = try await refusal { try await store.operate(identifier, .renew) }
            #expect(operated?.code == .notFound)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an extension of the buyer's subscription moves the member's end`(_ engine: Engine) async throws {
        try await withFamily(engine) { family in
            let (store, bob) = (family.store, family.bob)
            let original = try await family.alice.subscribe("home.monthly")
            try await store.share()
            _ = try await store.caller.call(
                ServerAPIEndpoints.extend,
                ExtendSubscriptionRequest(
                    bundleId: Catalogue.bundleId, originalTransactionIdentifier: original, days: 10,
                    requestIdentifier: "r"))
            try await store.share()
            #expect(try await bob.owned().first?.expiresDate == TestStore.instant("2027-04-11"))
            try await store.jump(to: "2027-04-05")
            #expect(try await bob.entitled() == ["home.monthly"])
        }
    }
}

extension TestStore {
    /// As if every person's purchases had changed.
    fileprivate func forgetSharing() async throws {
        _ = try await database.write { transaction in
            try await transaction.execute("UPDATE family_person SET shared_seq = -1")
        }
    }

    /// The notifications about an account's purchases, with the products.
    fileprivate func notifications(to account: String) async throws -> [String] {
        try await serverEvents().filter { $0.account == account }
            .flatMap { NotificationPolicy.notifications(of: $0.changes) }
            .map { made in
                let name = [made.type.rawValue, made.subtype?.rawValue].compactMap(\.self).joined(separator: ".")
                return "\(name) \(made.change.transaction.item.productIdentifier)"
            }
    }

    fileprivate func sharedRows() async throws -> Int {
        try await database.read { try await $0.query("SELECT buyer FROM shared_purchase").count }
    }

    fileprivate func persons() async throws -> Int {
        try await database.read { try await $0.query("SELECT family FROM family_person").count }
    }
}

extension CustomerApp {
    /// The purchased transactions, oldest first.
    fileprivate func owned() async throws -> [PaymentTransaction] {
        try await history().transactions.filter { $0.transactionState == .purchased }
    }

    /// The products that the customer has access to, sorted.
    fileprivate func entitled() async throws -> [String] {
        try await store.caller.call(
            ServerAPIEndpoints.viewed,
            ViewedTransactionsRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, view: .entitlements, limit: 100)
        ).transactions.map(\.item.productIdentifier).sorted()
    }

    /// The states of the subscriptions, the customer's own first.
    fileprivate func states() async throws -> [String] {
        try await store.caller.call(
            ServerAPIEndpoints.statuses,
            SubscriptionStatusesRequest(bundleId: Catalogue.bundleId, customerIdentifier: customer)
        ).subscriptions.map { "\($0.subscription.state.rawValue) \($0.subscription.productIdentifier)" }
    }
}
