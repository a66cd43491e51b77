import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a member's transaction follows the buyer's, step by step (F1, F2).
@Suite struct SharingRulesTests {
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let alice = CustomerReference(bundleId: Catalogue.bundleId, customerIdentifier: "c_alice")
    private let bob = CustomerReference(bundleId: Catalogue.bundleId, customerIdentifier: "c_bob")

    private func later(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds + seconds * 1_000) }

    private func person(
        _ customer: CustomerReference, of family: String = "smith",
        _ change: (inout StoredFamilyPerson) -> Void = { _ in }
    ) -> StoredFamilyPerson {
        with(
            StoredFamilyPerson(
                customer: customer, account: customer.customerIdentifier, family: family, isOrganiser: false,
                shares: true, receives: true, isGone: false, sharesSince: later(-100), receivesSince: later(-100),
                joinedAt: later(-100), version: 1, changes: 0, modifiedSeq: 1), change)
    }

    /// A purchase of the product "pro", a subscription if it ends.
    private func bought(
        until end: Timestamp? = nil, isShareable: Bool = true,
        _ change: (inout PaymentTransaction) -> Void = { _ in }
    ) throws -> StoredTransaction {
        var product =
            end == nil ? Product.product("pro", .nonConsumable, "9.99") : Product.subscription("pro", "9.99")
        product.isFamilyShareable = isShareable
        let terms = try #require(PurchaseTerms(product: product, level: 1, quantity: 1, catalogVersion: 1, offer: nil))
        var value = PaymentTransaction(
            id: "t_1", transactionIdentifier: "1", transactionState: .purchased, transactionDate: later(-50),
            payment: Payment(
                requestIdentifier: "k", productIdentifier: "pro", applicationUsername: "user",
                appAccountToken: "token"),
            revision: 2, originDeviceId: "phone", price: terms.amount)
        value.expiresDate = end
        value.subscriptionGroupIdentifier = end.map { _ in "pro" }
        if end != nil { (value.isTrialPeriod, value.isInIntroOfferPeriod) = (true, false) }
        change(&value)
        return StoredTransaction(
            customer: alice, transaction: value, phase: .settled, createdSeq: 1, historySeq: 1, modifiedSeq: 1,
            terms: terms, chargeKey: StoredTransaction.chargeKey(of: "t_1"))
    }

    private func shared(until end: Timestamp? = nil, revision: Int = 2, isRevoked: Bool = false) -> SharedPurchase {
        SharedPurchase(
            buyer: alice, buyerTransaction: "t_1", buyerRevision: revision, buyerOriginal: end.map { _ in "t_1" },
            transactionID: "t_2", originalID: "t_2", expiresAt: end, isRevoked: isRevoked)
    }

    private func step(
        _ known: SharedPurchase?, _ bought: StoredTransaction?, _ subscription: StoredSubscription? = nil,
        since: Timestamp?
    ) -> SharingRules.Step {
        SharingRules.step(
            known, SharingRules.Cause(bought: bought, subscription: subscription, sharedSince: since), at: now)
    }

    @Test func `F2: two persons share while both are in the family, and take part`() {
        #expect(SharingRules.sharedSince(person(alice), person(bob)) == later(-100))
        let sinceToday = person(bob) { $0.receivesSince = now }
        #expect(SharingRules.sharedSince(person(alice), sinceToday) == now)
        let others: [(StoredFamilyPerson?, StoredFamilyPerson?)] = [
            (nil, person(bob)), (person(alice), nil), (person(alice), person(alice)),
            (person(alice), person(bob, of: "jones")), (person(alice) { $0.shares = false }, person(bob)),
            (person(alice), person(bob) { $0.receives = false }), (person(alice) { $0.isGone = true }, person(bob)),
            (person(alice), person(bob) { $0.isGone = true }),
        ]
        for (giver, receiver) in others { #expect(SharingRules.sharedSince(giver, receiver) == nil) }
        // What one of them does not give, they may still get.
        let silent = person(alice) { $0.shares = false }
        #expect(SharingRules.sharedSince(person(bob), silent) == later(-100))
    }

    @Test func `F1: a member without the transaction gets it, and one who has it gets no second`() throws {
        let since = later(-100)
        #expect(try step(nil, bought(), since: since) == .make)
        #expect(try step(nil, bought(until: later(100)), since: since) == .make)
        #expect(try step(shared(), bought(), since: since) == .none)
        #expect(try step(nil, bought(isShareable: false), since: since) == .none)
        #expect(try step(nil, bought(), since: nil) == .none)
        let refunded = try bought { $0.revocationDate = now }
        #expect(step(nil, refunded, since: since) == .none)
        let upgraded = try bought(until: later(100)) { $0.isUpgraded = true }
        #expect(step(nil, upgraded, since: since) == .none)
        let season = try with(bought()) { $0.terms?.productType = .nonRenewable }
        #expect(step(nil, season, since: since) == .none)
        let copy = try with(bought()) { $0.terms?.ownedSince = "1" }
        #expect(step(nil, copy, since: since) == .none)
    }

    @Test func `F2: a period that was over before they shared is not shared, one since then is`() throws {
        let over = try bought(until: later(-10))
        #expect(step(nil, over, since: later(-9)) == .none)
        #expect(step(nil, over, since: later(-10)) == .none)
        #expect(step(nil, over, since: later(-11)) == .make)
        // Joined at a time that the clock has left since.
        #expect(try step(nil, bought(until: later(100)), since: later(1_000)) == .make)
        #expect(step(nil, over, since: later(1_000)) == .none)
    }

    @Test func `F2: a grace period gives access beyond the end`() throws {
        var graced = StoredSubscription.stored("pro", until: later(-10), state: .inGracePeriod)
        graced.retry.graceUntil = later(10)
        let period = try bought(until: later(-10))
        #expect(step(nil, period, graced, since: now) == .make)
        #expect(step(shared(until: later(-10)), period, graced, since: nil) == .revoke)
        graced.retry.graceUntil = now
        #expect(step(nil, period, graced, since: now) == .none)
        // Until the outcome is written, the buyer has access.
        #expect(step(shared(until: later(-10)), period, graced, since: nil) == .revoke)
        for state in SubscriptionState.allCases {
            graced.state = state
            let mayGive = state == .subscribed || state == .inGracePeriod
            #expect(step(shared(until: later(-10)), period, graced, since: nil) == (mayGive ? .revoke : .none))
        }
        graced.state = .subscribed
        graced.period.transactionID = "t_9"
        #expect(step(shared(until: later(-10)), period, graced, since: nil) == .none)
    }

    @Test func `F2: it is taken back with the buyer's, and when they share no more`() throws {
        let refunded = try bought { $0.revocationDate = now }
        #expect(step(shared(), refunded, since: later(-1)) == .revoke)
        #expect(step(shared(), nil, since: later(-1)) == .revoke)
        #expect(try step(shared(), bought(), since: nil) == .revoke)
        #expect(try step(shared(until: later(1)), bought(until: later(1)), since: nil) == .revoke)
        // A period that is over was had.
        #expect(try step(shared(until: now), bought(until: now), since: nil) == .none)
        #expect(step(shared(isRevoked: true), refunded, since: later(-1)) == .none)
        #expect(step(shared(isRevoked: true), nil, since: nil) == .none)
    }

    @Test func `F2: it is given again while the buyer's gives access`() throws {
        #expect(try step(shared(isRevoked: true), bought(), since: now) == .reinstate)
        #expect(try step(shared(isRevoked: true), bought(isShareable: false), since: now) == .none)
        #expect(try step(shared(until: later(1), isRevoked: true), bought(until: later(1)), since: now) == .reinstate)
        #expect(try step(shared(until: now, isRevoked: true), bought(until: now), since: later(-9)) == .none)
    }

    @Test func `a new revision of the buyer's is followed`() throws {
        #expect(try step(shared(revision: 1), bought(), since: now) == .change)
        let upgraded = try bought(until: later(9)) { $0.isUpgraded = true }
        #expect(step(shared(until: later(9), revision: 1), upgraded, since: now) == .change)
        #expect(step(shared(until: later(9), revision: 1), upgraded, since: nil) == .revoke)
        #expect(step(shared(until: now, revision: 1), upgraded, since: nil) == .none)
    }

    @Test func `F1: a member's transaction has no price, offer or token, and its terms charge nothing`() throws {
        let period = try with(bought(until: later(100))) {
            $0.terms?.offer = AppliedOffer(type: .introductory, paymentMode: .freeTrial, identifier: nil)
            $0.terms?.subscription?.offerPeriodsLeft = 2
            $0.terms?.storefront = "FRA"
        }
        let first = SharingRules.transaction(of: period.transaction, id: "t_2", identifier: "2", original: nil)
        #expect(first.price == nil && first.offer == nil && first.isFamilyShared == true)
        #expect(first.payment.appAccountToken == nil && first.payment.applicationUsername == nil)
        #expect(first.transactionDate == later(-50) && first.expiresDate == later(100))
        #expect(first.isTrialPeriod == false && first.isInIntroOfferPeriod == false)
        #expect(first.originalTransactionIdentifier == nil && first.transactionState == .purchased)
        #expect(first.isVisible(to: "any device"))
        let second = SharingRules.transaction(of: period.transaction, id: "t_3", identifier: "3", original: first)
        #expect(second.originalTransactionIdentifier == "2" && second.original?.transaction == first)
        let terms = try #require(SharingRules.terms(of: period))
        #expect(terms.isFree && terms.offer == nil && terms.storefront == nil && terms.isFamilyShareable == nil)
        #expect(terms.subscription?.offerPeriodsLeft == 0 && terms.subscription?.price == nil)
        #expect(terms.shared?.isRenewal == false && terms.subscription?.group == "pro")
    }

    @Test func `a member sees the buyer's subscription without prices, and its end when it is lost`() throws {
        var known = StoredSubscription.stored("pro", until: later(100))
        known.agreedPrice = .usd("9.99")
        var latest = try bought(until: later(100))
        latest.customer = bob
        latest.transaction.id = "t_2"
        latest.transaction.transactionIdentifier = "2"
        let present = known.shared(latest, shared(until: later(100)), at: now)
        #expect(present.state == .subscribed && present.willAutoRenew && present.agreedPrice == nil)
        #expect(present.originalIdentifier == "2" && present.period.transactionID == "t_2" && present.customer == bob)
        latest.transaction.revocationDate = now
        let lost = known.shared(latest, shared(until: later(100), isRevoked: true), at: now)
        #expect(lost.state == .revoked && !lost.willAutoRenew)
        latest.transaction.revocationDate = nil
        known.period.transactionID = "t_9"
        #expect(known.shared(latest, shared(until: later(100)), at: now).state == .subscribed)
        #expect(known.shared(latest, shared(until: later(100)), at: later(100)).state == .expired)
        latest.transaction.isUpgraded = true
        #expect(known.shared(latest, shared(until: later(100)), at: now).state == .expired)
    }
}
