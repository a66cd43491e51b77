import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a year in monthly payments, from its purchase through the next commitment, on both databases.
@Suite(.serialized) struct CommitmentTests {
    /// Runs a body on a store with a year in monthly payments. Its clock shows 31 January 2027.
    private func withStore(_ engine: Engine, _ body: (TestStore, CustomerApp) async throws -> Void) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            store.catalogue.set(billingGracePeriod: true)
            store.catalogue.sell(.committed("year"), level: 2)
            store.catalogue.sell(.committed("top", "119.99", month: "11.99"), level: 1)
            store.catalogue.sell(.subscription("lite", "2.99"), level: 3)
            try await store.set("alice", TesterSettings(storefront: "FRA"))
            try await body(store, try await store.customerApp())
        }
    }

    @Test(arguments: Engine.allCases)
    func `S1, S2: a whole commitment, and the first payment of the next one at the catalogue's price`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let bought = try await alice.buyMonthly("year")
            let original = try #require(bought.transactionIdentifier)
            #expect(bought.price == .usd("5.99") && bought.offer == nil)
            #expect(bought.expiresDate == TestStore.instant("2027-02-28"))
            #expect(
                bought.commitment
                    == Commitment(
                        billingPeriodNumber: 1, totalBillingPeriods: 12, price: .usd("71.88"),
                        expiresDate: TestStore.instant("2028-01-31")))
            try await store.jump(to: "2027-05-01")
            let fourth = try await alice.subscription()
            #expect(fourth.place == "4/12" && fourth.expiresDate == TestStore.instant("2027-05-31"))
            #expect(fourth.billingPlanType == .monthly && fourth.renewalBillingPlanType == .monthly)
            #expect(fourth.renewalPrice == .usd("5.99"))
            #expect(fourth.commitmentRenewal?.renewalPrice == .usd("71.88"))
            #expect(fourth.commitmentRenewal?.renewalDate == TestStore.instant("2028-01-31"))
            store.catalogue.sell(.committed("year", month: "6.99"), level: 2)
            try await alice.forgetQuotes()
            #expect(try await alice.subscription().renewalPrice == .usd("5.99"))
            #expect(try await alice.subscription().commitmentRenewal?.renewalPrice == .usd("83.88"))
            try await store.jump(to: "2028-01-01")
            let last = try await alice.subscription()
            #expect(last.place == "12/12" && last.expiresDate == TestStore.instant("2028-01-31"))
            #expect(last.renewalPrice == .usd("6.99") && last.commitmentRenewal?.renewalPrice == .usd("83.88"))
            #expect(try await store.renewals().map(\.amount) == Array(repeating: .usd("5.99"), count: 11))
            try await store.jump(to: "2028-02-01")
            let next = try await alice.subscription()
            #expect(next.place == "1/12" && next.commitment?.price == .usd("83.88"))
            #expect(next.commitment?.expiresDate == TestStore.instant("2029-01-31"))
            #expect(
                try await store.lines(original).suffix(2) == [
                    "2028-01-31 priceChanged 6.99", "2028-01-31 renewed 6.99",
                ])
            let history = try await alice.history().transactions
            #expect(history.compactMap { $0.commitment?.billingPeriodNumber } == Array(1...12) + [1])
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases)
    func `S3: turned off in the third payment it is paid to the twelfth, and then it ends`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let original = try await alice.commit(to: "year")
            try await store.jump(to: "2027-04-01")
            let off = try await alice.update(original, renews: false)
            #expect(off.place == "3/12" && off.willAutoRenew && off.commitmentRenewal?.willAutoRenew == false)
            try await store.jump(to: "2028-01-01")
            let last = try await alice.subscription()
            #expect(last.place == "12/12" && !last.willAutoRenew && last.renewalPrice == nil)
            try await store.jump(to: "2028-03-01")
            let ended = try await alice.subscription()
            #expect(ended.state == .expired && ended.expirationReason == .cancelled)
            #expect(try await store.renewals().count == 11)
            let told = try await store.notified().filter { !$0.contains("DID_RENEW") }
            #expect(
                told == [
                    "2027-01-31 SUBSCRIBED.INITIAL_BUY year",
                    "2027-04-01 DID_CHANGE_RENEWAL_STATUS.AUTO_RENEW_DISABLED year",
                    "2028-01-31 EXPIRED.VOLUNTARY year",
                ])
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases)
    func `a declined payment has no grace, is tried for ninety days, and moves the end when it is made`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let original = try await alice.commit(to: "year")
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-02-28")
            let failed = try await alice.subscription()
            #expect(failed.state == .inBillingRetryPeriod && failed.gracePeriodExpiresDate == nil)
            #expect(try await store.retries() == ["2027-03-01", "2027-05-29"])
            // Turned off, it is tried all the same.
            try await alice.update(original, renews: false)
            #expect(try await alice.subscription().state == .inBillingRetryPeriod)
            store.processor.set(outcome: .approved)
            try await store.jump(to: "2027-03-01")
            let back = try await alice.subscription()
            #expect(back.place == "2/12" && back.expiresDate == TestStore.instant("2027-04-01"))
            #expect(back.commitment?.expiresDate == TestStore.instant("2028-02-01"))
            store.processor.set(outcome: .declined)
            try await store.jump(by: "6mo")
            let ended = try await alice.subscription()
            #expect(ended.state == .expired && ended.expirationReason == .billingError)
            #expect(try await store.lines(original).last == "2027-06-30 expired")
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases)
    func `an upgrade begins a commitment at once, a downgrade follows the commitment`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let original = try await alice.commit(to: "year")
            try await store.jump(to: "2027-03-01")
            let higher = try await alice.buyMonthly("top", key: "up")
            #expect(higher.price == .usd("11.99") && higher.commitment?.billingPeriodNumber == 1)
            #expect(higher.commitment?.expiresDate == TestStore.instant("2028-03-01"))
            #expect(higher.originalTransactionIdentifier == original)
            try await store.settleRefunds()
            // 31 March is the end of the payment that it replaces, of which one day is used.
            #expect(try await store.refunds().map(\.amount.minorUnits) == [599 * 30 / 31])
            let lower = try await alice.add("lite", key: "down").transaction
            #expect(lower.price == .usd("0.00") && lower.effectiveDate == TestStore.instant("2028-03-01"))
            let waiting = try await alice.subscription()
            #expect(waiting.autoRenewProductIdentifier == "top" && waiting.renewalPrice == .usd("11.99"))
            #expect(waiting.commitmentRenewal?.autoRenewProductIdentifier == "lite")
            #expect(waiting.commitmentRenewal?.billingPlanType == .upFront)
            #expect(waiting.commitmentRenewal?.renewalPrice == .usd("2.99"))
            let event = try #require(try await store.serverEvents().last?.changes.last)
            #expect(event.kind == .changeScheduled)
            #expect(event.subscription?.subscription.commitmentRenewal?.renewalPrice == .usd("2.99"))
            try await store.jump(to: "2028-03-02")
            let changed = try await alice.subscription()
            #expect(changed.productIdentifier == "lite" && changed.billingPlanType == nil && changed.commitment == nil)
            #expect(try await store.lines(original).last == "2028-03-01 renewed 2.99")
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases)
    func `bought up front a year can be changed to monthly payments when it ends, and back`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let original = try await alice.subscribe("year")
            #expect(try await alice.subscription().billingPlanType == .upFront)
            #expect(try await alice.subscription().commitment == nil)
            let note = try await alice.buyMonthly("year")
            #expect(note.price == .usd("0.00") && note.effectiveDate == TestStore.instant("2028-01-31"))
            let waiting = try await alice.subscription()
            #expect(waiting.renewalBillingPlanType == .monthly && waiting.renewalPrice == .usd("5.99"))
            // The plan that they have takes the change back.
            let taken = try await alice.add("year", key: "back").transaction
            #expect(taken.transactionState == .purchased && taken.price == .usd("0.00"))
            #expect(try await alice.subscription().renewalBillingPlanType == .upFront)
            try await alice.buyMonthly("year", key: "again")
            try await store.jump(to: "2028-02-01")
            #expect(try await alice.subscription().place == "1/12")
            #expect(try await store.lines(original).last == "2028-01-31 renewed 5.99")
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases)
    func `the scheduled product chosen once more keeps its plan, and no other sum follows`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let original = try await alice.subscribe("year")
            store.catalogue.sell(.committed("lite", "29.99", month: "2.99"), level: 3)
            try await alice.buyMonthly("lite")
            #expect(try await alice.subscription().renewalPrice == .usd("2.99"))
            try await alice.update(original, product: "lite")
            let waiting = try await alice.subscription()
            #expect(waiting.renewalBillingPlanType == .monthly && waiting.renewalPrice == .usd("2.99"))
            #expect(waiting.autoRenewProductIdentifier == "lite")
        }
    }

    @Test(arguments: Engine.allCases)
    func `a payment that is made early and refunded ends the commitment`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let original = try await alice.commit(to: "year")
            let early = try await store.operate(original, .renew)
            #expect(early.subscription.commitment?.billingPeriodNumber == 2)
            _ = try await store.refund(try #require(early.transaction).id)
            let left = try await alice.subscription()
            #expect(left.state == .subscribed && !left.willAutoRenew)
            #expect(left.commitment == nil && left.commitmentRenewal == nil)
            try await store.jump(by: "2mo")
            #expect(try await alice.subscription().state == .expired)
            #expect(try await store.renewals().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a product without the plan is refused, and so is an offer`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let refused = try await alice.buyMonthly("pro.yearly")
            #expect(refused.error?.name == "storeProductNotAvailable")
            #expect(refused.error?.reason == "billingPlanUnavailable")
            #expect(refused.error?.localizedDescription == "The product is not sold in monthly payments.")
            try await store.set("alice", TesterSettings(storefront: "USA"))
            let nowhere = try await alice.buyMonthly("year", key: "USA")
            #expect(nowhere.error?.localizedDescription.contains("in the storefront USA") == true)
            try await store.set("alice", TesterSettings(storefront: "FRA"))
            var payment = Payment(requestIdentifier: "offer", productIdentifier: "year")
            payment.billingPlanType = .monthly
            var product = Product.committed("year")
            product.introductoryPrice = .discount(.freeTrial, "0.00", 1, .week)
            var loyal = ProductDiscount.discount(.payAsYouGo, "1.99", 1, .month, periods: 2)
            (loyal.identifier, loyal.type) = ("loyal", .subscription)
            product.discounts = [loyal]
            store.catalogue.sell(product, level: 2)
            try await alice.forgetQuotes()
            let request = AddPaymentRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: alice.customer, deviceId: alice.device,
                payment: payment, redeemedOffer: RedeemedOffer(type: .subscription, identifier: "loyal"))
            let offered = try await store.caller.call(PaymentEndpoints.addPayment, request).transaction
            #expect(offered.error?.name == "invalidOfferIdentifier")
            #expect(try await store.charges().isEmpty)
            // An introductory offer is of payment up front.
            let bought = try await alice.buyMonthly("year", key: "plain")
            #expect(bought.offer == nil && bought.price == .usd("5.99"))
            // The plan is part of the request that a key stands for.
            let other = try await refusal { try await alice.add("year", key: "plain") }
            #expect(other?.code == .keyReused)
            // A commitment is not ended early by an offer.
            var wanted = request
            wanted.payment = Payment(requestIdentifier: "up front", productIdentifier: "year")
            let early = try await store.caller.call(PaymentEndpoints.addPayment, wanted).transaction
            #expect(early.error?.name == "ineligibleForOffer")
        }
    }

    @Test(arguments: Engine.allCases)
    func `signed transactions, statuses and events have the plan and the commitment`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let original = try await alice.commit(to: "year")
            try await store.jump(to: "2027-03-01")
            let found = try #require(try await store.lookup(original).transaction)
            #expect(found.item.billingPlanType == .monthly && found.item.commitment?.billingPeriodNumber == 1)
            let status = try #require(try await alice.statuses().subscriptions.first)
            #expect(status.transaction.item.commitment?.billingPeriodNumber == 2)
            #expect(status.subscription.commitmentRenewal?.willAutoRenew == true)
            let renewed = try #require(try await store.serverEvents().last?.changes.last)
            #expect(renewed.transaction.item.commitment == status.transaction.item.commitment)
            #expect(renewed.subscription?.subscription.commitmentRenewal == status.subscription.commitmentRenewal)
            // A period that is extended moves the commitment, in its transaction too.
            let extended = try await store.operate(original, .extend, days: 3)
            #expect(extended.transaction?.commitment?.expiresDate == extended.subscription.commitment?.expiresDate)
            #expect(extended.subscription.commitment?.expiresDate ?? store.now > TestStore.instant("2028-01-31"))
            _ = try await store.refund(extended.subscription.transactionIdentifier)
            let ended = try await alice.subscription()
            #expect(ended.state == .revoked && ended.commitmentRenewal?.willAutoRenew == false)
            try await store.jump(by: "2mo")
            #expect(try await store.renewals().count == 1)
        }
    }
}
