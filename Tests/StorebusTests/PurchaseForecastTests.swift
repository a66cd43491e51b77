import StoreHTTP
import StoreModels
import Testing

@testable import Storebus

/// What `why PRODUCT --as ACCOUNT` foretells of a purchase.
@Suite struct PurchaseForecastTests {
    private typealias Facts = PurchaseForecast.Facts

    private static let month = SubscriptionPeriod(numberOfUnits: 1, unit: .month)
    private static let subscription = FakeStore.products[0]
    private static let beaches = Fixtures.product("hidden-beaches", "1.99")

    private func eligibility(_ answer: OfferEligibility) -> ProductEligibility {
        ProductEligibility(
            productIdentifier: "pro.monthly", subscriptionGroupIdentifier: "pro", eligibility: answer,
            rule: answer == .eligible ? .newSubscriber : answer == .ineligible ? .offerUsed : .historyUnavailable)
    }

    /// Foretells alice's purchase.
    /// - Parameters:
    ///   - set: The settings of the account.
    ///   - file: Those of the catalogue's file.
    private func forecast(
        _ product: Product?, set: TesterSettings? = nil, file: TesterSettings? = nil,
        reasons: [ProductExplanation.Reason] = [], _ change: (inout Facts) -> Void = { _ in }
    ) -> PurchaseForecast {
        var app = Promoted.app
        app.testerDefaults = file
        var facts = Facts(
            settings: DecidingSettings(account: "alice", overrides: set, app: app),
            explanation: ProductExplanation(
                productIdentifier: product?.productIdentifier ?? "pro.monthly", storefront: "USA", reasons: reasons,
                details: reasons.map(\.rawValue)),
            product: product)
        change(&facts)
        return PurchaseForecast(facts)
    }

    @Test func `without a setting the price is charged`() {
        let plain = forecast(Self.beaches)
        #expect(plain.purchase == "is charged 1.99 USD")
        #expect(plain.offer == nil)
        #expect(plain.settings.isEmpty)
        #expect(forecast(nil).purchase == "is charged its price")
    }

    @Test func `the introductory offer is applied to who may have it`() {
        let new = forecast(Self.subscription) { $0.eligibility = eligibility(.eligible) }
        #expect(new.purchase == "is charged nothing")
        #expect(new.offer == "1 week free, then 9.99 USD a month")
        let used = forecast(Self.subscription) { $0.eligibility = eligibility(.ineligible) }
        #expect(used.purchase == "is charged 9.99 USD")
        #expect(used.offer?.hasPrefix("none: an introductory offer of group pro was used") == true)
        let unknown = forecast(Self.subscription) { $0.eligibility = eligibility(.unknown) }
        #expect(unknown.purchase == "is charged its price")
        #expect(unknown.offer == "unknown: 1 week free if the account may have it, else 9.99 USD a month")
    }

    @Test func `what an account owns is given again for nothing`() {
        let again = forecast(Self.beaches) {
            $0.owned = Fixtures.transaction("t_1", .purchased, identifier: "2000000000000001")
        }
        #expect(again.purchase == "is charged nothing; alice owns it since 2000000000000001")
    }

    /// A setting, and the failure that it causes.
    static let failures: [(TesterSettings, String, String)] = [
        (.init(canMakePayments: false), "paymentNotAllowed: alice may make no payments", "canMakePayments is false"),
        (.init(signIn: .fails), "unknown: signing in fails", "signIn is fails"),
        (.init(signIn: .cancelled), "paymentCancelled: the shopper cancels signing in", "signIn is cancelled"),
        (.init(sheet: .cancel), "paymentCancelled: the shopper closes the payment sheet", "sheet is cancel"),
        (
            .init(sheet: .decline(.paymentInvalid)), "paymentInvalid: the payment sheet ends with it",
            "sheet is decline:paymentInvalid"
        ),
        (
            .init(simulatedErrors: .init(purchase: "networkError")), "networkError: the store simulates this error",
            "simulatedErrors.purchase is networkError"
        ),
        (
            .init(simulatedErrors: .init(loadProducts: "unknown")), "unknown: the app cannot load its products",
            "simulatedErrors.loadProducts is unknown"
        ),
    ]

    @Test(arguments: failures)
    func `a setting that fails the purchase is named, with what takes it back`(
        set: TesterSettings, failure: String, setting: String
    ) throws {
        let own = forecast(Self.beaches, set: set)
        #expect(own.purchase == "fails with \(failure)")
        let because = try #require(own.settings.first?.text)
        #expect(because.hasPrefix("alice's setting \(setting): storebus account set alice --unset "))
        let all = forecast(Self.beaches, file: set)
        #expect(all.purchase == own.purchase)
        #expect(all.settings.first?.text.hasPrefix("the catalogue's settings make ") == true)
    }

    @Test func `an account's own setting precedes the file's`() {
        let own = forecast(Self.beaches, set: .init(sheet: .approve), file: .init(sheet: .cancel))
        #expect(own.purchase == "is charged 1.99 USD")
    }

    @Test func `those who are asked come before the charge, in the store's order`() {
        let asked = forecast(
            Self.beaches, set: .init(askToBuy: true, signIn: .interactive), file: .init(interruptPurchases: true))
        #expect(
            asked.purchase == "waits for a person to sign in, then fails as interrupted until it is resolved, "
                + "then waits for a parent, then is charged 1.99 USD")
        #expect(
            asked.settings == [
                "alice's setting signIn is interactive: storebus account set alice --unset signIn",
                "the catalogue's settings make interruptPurchases true for every account",
                "alice's setting askToBuy is true: storebus account set alice --unset askToBuy",
            ])
    }

    @Test func `the processor declines a charge, and none that is not made`() {
        let set = TesterSettings(processor: .decline)
        let declined = forecast(Self.subscription, set: set) { $0.eligibility = eligibility(.ineligible) }
        #expect(declined.purchase == "is declined by the processor, and nothing is charged")
        #expect(declined.offer == nil)
        #expect(
            declined.settings == ["alice's setting processor is decline: storebus account set alice --unset processor"])
        let free = forecast(Self.subscription, set: set) { $0.eligibility = eligibility(.eligible) }
        #expect(free.purchase == "is charged nothing")
        #expect(free.settings.isEmpty)
        let slow = forecast(Self.beaches, set: .init(processor: .slow))
        #expect(slow.purchase == "is charged 1.99 USD")
        #expect(slow.settings.count == 1)
    }

    @Test func `what is not for sale is refused, and so is all without agreements`() {
        let refused = forecast(Self.beaches, set: .init(sheet: .cancel), reasons: [.notApproved, .removedFromSale])
        #expect(refused.purchase == "is refused: it is not for sale in USA (notApproved, removedFromSale)")
        #expect(refused.settings.isEmpty)
        let inactive = forecast(Self.beaches, reasons: [.agreementInactive])
        #expect(
            inactive.settings
                == ["the app's setting agreementsActive is false: storebus app set --agreements-active true"])
    }

    @Test func `too many unfinished transactions stop it, by the app's setting`() {
        var app = Promoted.app
        app.settings.unfinishedLimit = 1
        let stopped = forecast(Self.beaches) {
            $0.settings = DecidingSettings(account: "alice", overrides: nil, app: app)
            $0.unfinished = [FakeStore.purchased, FakeStore.failed]
        }
        #expect(stopped.purchase == "fails with unknown: unfinished transactions of alice: 1")
        #expect(
            stopped.settings == ["the app's setting unfinishedLimit is 1: storebus app set --unfinished-limit none"])
    }

    @Test func `another purchase of the product comes first`() {
        let waits = forecast(Self.subscription) {
            $0.eligibility = eligibility(.ineligible)
            $0.unfinished = [Fixtures.transaction("t_1", .deferred)]
        }
        #expect(waits.purchase == "waits for t_1 to end, which is deferred, then is charged 9.99 USD")
    }

    // MARK: Subscriptions

    /// Foretells the purchase of pro.yearly, with a subscription to pro.monthly of level 2.
    private func changing(
        to product: String = "pro.yearly", level: Int, period: SubscriptionPeriod = month,
        _ change: (inout Subscription) -> Void = { _ in }
    ) -> PurchaseForecast {
        let wanted = Fixtures.product(product, "79.99", period: period)
        var present = Subscribed.subscription
        change(&present)
        return forecast(wanted) {
            ($0.subscription, $0.level, $0.presentLevel, $0.presentPeriod) = (present, level, 2, Self.month)
        }
    }

    private static let atOnce =
        "is charged 79.99 USD; it replaces pro.monthly at once, and the unused part of that is given back"
    private static let later = "is charged nothing; it replaces pro.monthly at its renewal, 2027-01-28 10:00:04Z"

    @Test func `a higher level, or the same one as long, begins at once, another at the renewal`() {
        let year = SubscriptionPeriod(numberOfUnits: 1, unit: .year)
        #expect(changing(level: 1, period: year).purchase == Self.atOnce)
        #expect(changing(level: 2).purchase == Self.atOnce)
        #expect(changing(level: 2, period: year).purchase == Self.later)
        #expect(changing(level: 3).purchase == Self.later)
        #expect(changing(level: 1).offer == "none: a subscriber of the group has no introductory offer")
        let retried = changing(level: 3) { $0.state = .inBillingRetryPeriod }
        #expect(retried.purchase == Self.atOnce)
    }

    @Test func `the present product is refused, or takes a scheduled change back`() {
        let had = changing(to: "pro.monthly", level: 2)
        #expect(had.purchase == "fails with unknown: alice has it now, and it renews 2027-01-28 10:00:04Z for 9.99 USD")
        let reverted = changing(to: "pro.monthly", level: 2) { $0.autoRenewProductIdentifier = "pro.yearly" }
        #expect(reverted.purchase == "is charged nothing; the change to pro.yearly is taken back")
        let scheduled = changing(level: 3) { $0.autoRenewProductIdentifier = "pro.yearly" }
        #expect(scheduled.purchase.hasPrefix("fails with unknown: alice renews as it, and it renews 2027-01-28"))
    }

    // MARK: The command

    private static let explain = "GET /admin/v1/apps/com.example.app/products/pro.monthly/explain"

    private func sold(_ store: FakeStore) {
        let explanation = ProductExplanation(
            productIdentifier: "pro.monthly", storefront: "FRA", reasons: [], details: [])
        store.answer(Self.explain, JSONText.value(explanation))
    }

    @Test func `why of a product foretells the account's purchase in the account's storefront`() async {
        let store = FakeStore()
        sold(store)
        let (status, said) = await store.run("why", "pro.monthly", "--as", "alice")
        #expect(status == .success)
        // Alice's overrides: the sheet declines, and her storefront is France.
        #expect(
            said.result.hasSuffix(
                """
                purchase     fails with unknown: alice has it now, and it renews 2027-01-28 10:00:04Z for 9.99 USD

                """), "\(said.result)")
        let paths = store.requests.map(\.path)
        #expect(paths.contains { $0.hasSuffix("pro.monthly/explain?storefront=FRA") })
        #expect(store.requests(.post, "/v1/payments").isEmpty)
    }

    @Test func `why names the setting with a command for the store that was asked`() async {
        let store = FakeStore()
        sold(store)
        store.answer("GET /admin/v1/subscriptions", ["subscriptions": []])
        let said = await store.run("why", "pro.monthly", "--as", "alice", "--store", "t-7").said
        #expect(
            said.result.hasSuffix(
                """
                purchase     fails with paymentInvalid: the payment sheet ends with it
                setting      alice's setting sheet is decline:paymentInvalid: storebus account set alice \
                --unset sheet --store t-7

                """), "\(said.result)")
        let other = await store.run("why", "pro.monthly", "--as", "alice", "--storefront", "USA").said
        #expect(other.result.contains("purchase     fails with paymentInvalid"))
    }

    @Test func `without an account nothing is foretold, and none is made`() async {
        let store = FakeStore()
        let said = await store.run("why", "pro.monthly").said
        #expect(!said.result.contains("purchase "))
        #expect(store.requests(.post, "/v1/sessions").isEmpty)
    }
}
