import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `eligibility`, `verify`, `receipt`, and `why` of subscriptions.
@Suite struct CommandExplainTests {
    private func body(_ request: StoreRequest?) throws -> JSONValue {
        try StrictJSON.parse(try #require(request?.body))
    }

    // MARK: Eligibility

    @Test func `an answer has its rule, its transaction and the sense of both (M129)`() async {
        let (status, said) = await FakeStore().run("eligibility", "pro.monthly", "--as", "alice")
        #expect(status == .success)
        #expect(
            said.result == """
                product      pro.monthly
                offer        1 week free, then 9.99 USD a month
                eligibility  ineligible for alice
                because      an introductory offer of group pro was used (2000000000000001); another product or a refund does not give it back
                rule         offerUsed
                decided by   2000000000000001

                """)
        #expect(said.narration == "next: storebus sub timeline 2000000000000001\n")
    }

    @Test(arguments: IntroductoryOfferPolicy.Rule.allCases)
    func `every rule is said in words of its own`(rule: IntroductoryOfferPolicy.Rule) {
        func words(_ rule: IntroductoryOfferPolicy.Rule) -> String {
            EligibilityFormat.because(
                ProductEligibility(
                    productIdentifier: "p", subscriptionGroupIdentifier: "g", eligibility: .unknown, rule: rule))
        }
        #expect(!words(rule).isEmpty)
        #expect(IntroductoryOfferPolicy.Rule.allCases.count { words($0) == words(rule) } == 1)
    }

    @Test func `what cannot be known is unknown, and says who is away`() async {
        let store = FakeStore()
        store.answer(
            "GET /v1/eligibility",
            JSONText.value(
                EligibilityReply(
                    eligibility: [
                        ProductEligibility(
                            productIdentifier: "pro.monthly", subscriptionGroupIdentifier: "pro", eligibility: .unknown,
                            rule: .historyUnavailable)
                    ], degraded: ["payment-queue"])))
        let (status, said) = await store.run("eligibility", "--as", "alice")
        #expect(status == .success)
        #expect(said.result.contains("unknown"))
        #expect(said.narration.contains("note: payment-queue is away\n"))
    }

    @Test func `a product that is no subscription, and one that is misspelt, are refused with what was meant`() async {
        let store = FakeStore()
        let beach = await store.run("eligibility", "hidden-beaches", "--as", "alice")
        #expect(beach.status == .refused)
        #expect(beach.said.narration.contains("'hidden-beaches' is nonConsumable, not a subscription"))
        let near = await store.run("eligibility", "pro.month", "--as", "alice").said
        #expect(near.narration.contains("did you mean 'pro.monthly'?"))
    }

    // MARK: Receipts

    @Test func `a receipt is printed alone, so that a pipe can carry it`() async {
        let said = await FakeStore().run("receipt", "--as", "alice").said
        #expect(said.result == "MIITfakereceipt\n")
    }

    @Test(arguments: [
        ("MIIT\nfake receipt\n", "MIITfakereceipt"), (#"{"data":{"receiptData":"MIIT"},"next":null}"#, "MIIT"),
        (#"{"receiptData":"MIIT"}"#, "MIIT"),
    ])
    func `a receipt is read as it is lying about`(file: String, sent: String) throws {
        #expect(try ReceiptText.receiptData(Array(file.utf8), "f") == sent)
    }

    @Test func `the binary receipt is encoded, and what holds none is refused`() throws {
        #expect(try ReceiptText.receiptData([0x30, 0x82, 0x01, 0x00], "f") == "MIIBAA==")
        for file in ["", " \n", "{}"] {
            let error = #expect(throws: CLIError.self) { try ReceiptText.receiptData(Array(file.utf8), "f") }
            #expect(error?.code.name == "receiptUnreadable")
        }
    }

    @Test func `a file that holds neither a receipt nor a payload is not sent`() {
        let error = #expect(throws: CLIError.self) {
            try ReceiptText.receiptData(Array("import http.server\n".utf8), "srv.py")
        }
        #expect(error?.message.hasPrefix("srv.py is neither a receipt") == true)
    }

    private func verify(_ store: FakeStore, _ more: String...) async throws -> (status: CLIExit, said: Recorder) {
        let directory = try TemporaryDirectory()
        let file = directory.file("receipt.b64")
        try FileAccess.write(Array("MIIT\n".utf8), to: file, mode: 0o600)
        return await Recorder.run(
            ["verify", file] + more, variables: ["STOREBUS_URL": "http://store"], transport: store)
    }

    @Test func `verify sends what a server would, and prints what came of it`() async throws {
        let store = FakeStore()
        let (status, said) = try await verify(store, "--password", "s3cret", "--exclude-old-transactions")
        #expect(status == .success)
        #expect(
            try body(store.requests(.post, "/verifyReceipt").first) == [
                "receipt-data": "MIIT", "password": "s3cret", "exclude-old-transactions": true,
            ])
        #expect(said.result.hasPrefix("status       0, the receipt is valid\nenvironment  Sandbox\n"))
        #expect(said.result.contains("renewal      pro.monthly renews by itself\n"))
        #expect(said.result.contains("2000000000000001  2000000000000001  pro.monthly     2026-11-21 10:00:04Z"))
    }

    @Test(arguments: Array(21_000...21_010) + [21_150])
    func `every other status is an exit of 1 that says what it means`(number: Int) async throws {
        let store = FakeStore()
        store.answer("POST /verifyReceipt", ["status": .integer(number)])
        let (status, said) = try await verify(store, "--password", "s3cret")
        #expect(status == .refused)
        #expect(said.result == "")
        #expect(said.narration.contains("error: status \(number): \(ReceiptStatus(number).meaning)"))
        #expect(said.narration.contains("[receiptRefused]"))
        #expect(ReceiptStatus(number).meaning != ReceiptStatus(1).meaning)
    }

    @Test func `Apple's answer can be had as it came`() async throws {
        let store = FakeStore()
        store.answer("POST /verifyReceipt", ["status": 21_004])
        let (status, said) = try await verify(store, "--json")
        #expect(status == .refused)
        #expect(said.result == "{\"status\":21004}\n")
    }

    // MARK: Why

    private func why(
        _ change: (inout Subscription) -> Void, _ events: [SubscriptionEvent] = []
    ) -> SubscriptionExplanation {
        SubscriptionExplanation(Subscribed.timeline(events, change))
    }

    @Test func `a payment of a commitment says its number, and what follows the twelfth`() throws {
        let end = try #require(Timestamp("2027-10-28T10:00:04Z"))
        func commit(_ renews: Bool, _ product: String, _ plan: BillingPlan) -> (inout Subscription) -> Void {
            return { value in
                (value.billingPlanType, value.renewalBillingPlanType) = (.monthly, .monthly)
                value.commitment = Commitment(
                    billingPeriodNumber: 3, totalBillingPeriods: 12, price: Fixtures.money("119.88"), expiresDate: end)
                value.commitmentRenewal = CommitmentRenewal(
                    willAutoRenew: renews, autoRenewProductIdentifier: product, billingPlanType: plan, renewalDate: end,
                    renewalPrice: Fixtures.money("99.99"))
            }
        }
        let off = Subscribed.event(.autoRenewDisabled, "2027-01-02T10:00:00Z")
        let kept = why(commit(true, "pro.monthly", .monthly))
        #expect(
            kept.because
                == "it is payment 3 of 12 of a commitment; the next one is charged when the store's clock comes to "
                + "2027-01-28 10:00:04Z")
        #expect(
            SubscriptionFormat.plan(kept.subscription)
                == "monthly payments: payment 3 of 12, 119.88 USD to 2027-10-28 10:00:04Z, then it renews for 99.99 USD"
        )
        let ended = why(commit(false, "pro.monthly", .monthly), [off])
        #expect(
            ended.because.hasSuffix(
                "auto-renew is off since 2027-01-02 10:00:00Z, so it ends after payment 12, 2027-10-28 10:00:04Z"))
        #expect(SubscriptionFormat.plan(ended.subscription)?.hasSuffix(", then it ends") == true)
        let changed = why(commit(true, "pro.weekly", .upFront))
        #expect(changed.because.hasSuffix("so after payment 12 it renews as pro.weekly"))
        #expect(
            SubscriptionFormat.plan(changed.subscription)?.hasSuffix("then it renews as pro.weekly for 99.99 USD")
                == true)
        let upFront = why(commit(true, "pro.monthly", .upFront))
        #expect(
            SubscriptionFormat.plan(upFront.subscription)?.hasSuffix("then it renews for 99.99 USD up front") == true)
        #expect(
            SubscriptionFormat.status(ended.subscription)
                == "renews 2027-01-28 10:00:04Z for 9.99 USD, ends 2027-10-28 10:00:04Z after payment 12")
        #expect(SubscriptionFormat.plan(Subscribed.subscription) == nil)
    }

    @Test func `a payment by the month that is refused says where it is sold so`() {
        let error = TransactionError(.storeProductNotAvailable, "No.", reason: TransactionError.billingPlanUnavailable)
        let told = FailureExplanation(error: error, account: "alice", tester: nil, app: nil)
        #expect(told.because.text.contains("billingPlans"))
    }

    @Test func `a subscription that has ended or will end says why`() {
        let off = Subscribed.event(.autoRenewDisabled, "2027-01-02T10:00:00Z")
        let decline = Subscribed.event(.billingFailed, "2027-01-28T10:00:04Z", amount: "9.99", period: 3)
        #expect(
            why { _ in }.because.hasPrefix("auto-renew is on; it is renewed when the store's clock comes to 2027-01-28")
        )
        #expect(
            why({ $0.willAutoRenew = false }, [off]).because
                == "auto-renew is off since 2027-01-02 10:00:00Z, so it ends with this period")
        func expired(_ reason: Subscription.ExpirationReason, _ event: SubscriptionEvent) -> String {
            why(
                {
                    $0.state = .expired
                    $0.expirationReason = reason
                }, [event]
            ).because
        }
        #expect(
            expired(.cancelled, off) == "auto-renew was off, since 2027-01-02 10:00:00Z, when the period ended")
        #expect(
            expired(.billingError, decline)
                == "the charge of 9.99 USD was declined on 2027-01-28 10:00:04Z, and so was "
                + "every try after it, for 60 days"
        )
        #expect(expired(.productNotAvailable, off).hasPrefix("the product was not for sale any more"))
        #expect(why({ $0.state = .inBillingRetryPeriod }, [decline]).because.contains("there is no access"))
        #expect(why({ $0.state = .inGracePeriod }, [decline]).because.contains("access goes on"))
        let refund = Subscribed.event(.refunded, "2027-01-30T10:00:00Z", amount: "9.99")
        #expect(why({ $0.state = .revoked }, [refund]).because == "it was refunded on 2027-01-30 10:00:00Z")
    }

    @Test func `a price is the offer's, or says why it is the regular one`() {
        func price(_ identifier: String, _ more: [SubscriptionEvent] = []) -> String? {
            why({ _ in }, more).price(of: Fixtures.transaction("t", .purchased, identifier: identifier))
        }
        #expect(price("2000000000000001") == "0.00 USD: the trial")
        #expect(price("2000000000000003") == "9.99 USD, the regular price: the trial is over")
        #expect(price("2000000000000004") == "9.99 USD, the product's price at the renewal")
        let again = Subscribed.event(
            .resubscribed, "2027-05-01T10:00:00Z", amount: "9.99", transaction: "2000000000000007")
        #expect(
            price("2000000000000007", [again])
                == "9.99 USD, the regular price: the group's introductory offer was used by 2000000000000001")
        let up = Subscribed.event(.upgraded, "2027-01-10T10:00:00Z", amount: "79.99", transaction: "2000000000000008")
        #expect(
            price("2000000000000008", [up])?.contains("a subscriber of the group has no introductory offer") == true)
        #expect(price("2000000000000099") == nil)
    }

    @Test func `why of a subscription's transaction explains the subscription too`() async {
        let store = FakeStore()
        var bought = FakeStore.purchased
        bought.subscriptionGroupIdentifier = "pro"
        store.list([bought])
        store.answer("GET /admin/v1/subscriptions/t_1/timeline", JSONText.value(Subscribed.timeline))
        let said = await store.run("why", "…0001").said
        #expect(said.result.contains("cost          0.00 USD: the trial\n"))
        #expect(said.result.contains("renewal       auto-renew is on"))
    }

    @Test func `the next step of a product's explanation is for the account that was asked about`() async {
        let store = FakeStore()
        store.answer(
            "GET /admin/v1/apps/com.example.app/products/pro.monthly/explain",
            ["productIdentifier": "pro.monthly", "storefront": "USA", "available": true, "reasons": [], "details": []])
        let subscriber = await store.run("why", "pro.monthly", "--as", "bob").said
        #expect(subscriber.narration.hasSuffix("next: storebus sub timeline 2000000000000001\n"))
        let eligible = ProductEligibility(
            productIdentifier: "pro.monthly", subscriptionGroupIdentifier: "pro", eligibility: .eligible,
            rule: .newSubscriber)
        store.answer("GET /v1/eligibility", JSONText.value(EligibilityReply(eligibility: [eligible], degraded: [])))
        let said = await store.run("why", "pro.monthly", "--as", "bob").said
        #expect(said.narration.hasSuffix("next: storebus buy pro.monthly --as bob\n"))
    }
}
