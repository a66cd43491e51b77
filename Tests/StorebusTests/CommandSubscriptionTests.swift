import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `storebus sub`, `refund` and `revoke`.
@Suite struct CommandSubscriptionTests {
    private static let list = "GET /admin/v1/subscriptions"
    private static let timeline = "GET /admin/v1/subscriptions/2000000000000001/timeline"

    private func body(_ request: StoreRequest?) throws -> JSONValue {
        try StrictJSON.parse(try #require(request?.body))
    }

    private func store(_ subscriptions: [Subscription]) -> FakeStore {
        let store = FakeStore()
        store.answer(Self.list, ["subscriptions": .array(subscriptions.map { JSONText.value($0) })])
        return store
    }

    private func other(_ change: (inout Subscription) -> Void) -> Subscription {
        var other = Subscribed.subscription
        other.originalTransactionIdentifier = "2000000000000101"
        other.transactionIdentifier = "2000000000000104"
        other.id = "t_104"
        change(&other)
        return other
    }

    @Test func `a list has the group's name, the level, and the offers that can be had now`() async throws {
        let lapsed = other {
            $0.state = .expired
            $0.eligibleWinBackOfferIdentifiers = ["back"]
        }
        let store = store([Subscribed.subscription, lapsed])
        let lines = await store.run("sub", "list").said.result.split(separator: "\n")
        let words = lines.map { $0.split(separator: " ").map(String.init) }
        #expect(words[0].prefix(5) == ["SUBSCRIPTION", "ACCOUNT", "GROUP", "LEVEL", "PRODUCT"])
        #expect(words[1].prefix(5) == ["2000000000000001", "alice", "Pro", "2", "pro.monthly"])
        #expect(lines[1].contains("  promo:loyal"))
        #expect(lines[2].contains("  promo:loyal, winback:back"))
        let shown = await store.run("sub", "show", "0001").said.result
        #expect(shown.contains("Pro (pro), level 2\n"))
    }

    @Test func `a list is printed without a catalogue, too`() async {
        let store = store([Subscribed.subscription])
        store.answer("GET /admin/v1/apps/com.example.app/catalog", status: 503, StubTransport.problem(503, .notFound))
        let (status, said) = await store.run("sub", "list")
        #expect(status == .success)
        #expect(said.result.contains("alice    pro        -  pro.monthly"))
    }

    @Test func `grace period and billing retry say when the charge is tried again, and when access ends`() async {
        func standing(_ change: (inout Subscription) -> Void) async -> String {
            let said = await store([with(Subscribed.subscription, change)]).run("sub", "show", "0001").said
            return said.result.split(separator: "\n").first { $0.hasPrefix("standing") }.map(String.init) ?? said.result
        }
        let grace = Timestamp("2027-02-13T10:00:04Z")
        let (next, last) = (Timestamp("2027-01-29T10:00:04Z"), Timestamp("2027-03-29T10:00:04Z"))
        let inGrace = await standing {
            ($0.state, $0.gracePeriodExpiresDate) = (.inGracePeriod, grace)
            ($0.nextRetryDate, $0.lastRetryDate) = (next, last)
        }
        #expect(
            inGrace.hasSuffix(
                "access until 2027-02-13 10:00:04Z, the charge is tried again 2027-01-29 10:00:04Z, "
                    + "for the last time 2027-03-29 10:00:04Z"))
        let cancelled = await standing {
            ($0.state, $0.gracePeriodExpiresDate, $0.willAutoRenew) = (.inGracePeriod, grace, false)
        }
        #expect(cancelled.hasSuffix("access until 2027-02-13 10:00:04Z, then it ends"))
        let atLast = await standing {
            $0.state = .inBillingRetryPeriod
            ($0.nextRetryDate, $0.lastRetryDate) = (last, last)
        }
        #expect(atLast.hasSuffix("no access, the charge is tried for the last time 2027-03-29 10:00:04Z"))
        let quarantined = await standing { $0.state = .inBillingRetryPeriod }
        #expect(quarantined.hasSuffix("no access, the charge waits for the operator"))
    }

    // MARK: Timeline

    @Test func `a timeline has a line for each event, what was charged, and what comes next`() async {
        let (status, said) = await FakeStore().run("sub", "timeline", "--as", "alice")
        #expect(status == .success)
        #expect(
            said.result == """
                subscription 2000000000000001 of alice, group pro
                2026-11-21  subscribed  pro.monthly  0.00 USD  trial, until 2026-11-28
                2026-11-28  renewed     pro.monthly  9.99 USD  until 2026-12-28, trial ended
                2026-12-28  renewed     pro.monthly  9.99 USD  until 2027-01-28
                sum  19.98 USD in 2 charges; subscribed, renews 2027-01-28 10:00:04Z for 9.99 USD

                """)
    }

    @Test func `what was declined is not charged, and what was given back is taken off the sum`() async throws {
        let store = FakeStore()
        let more = [
            Subscribed.event(.billingFailed, "2027-01-28T10:00:04Z", amount: "9.99", period: 3),
            Subscribed.event(.gracePeriodStarted, "2027-01-28T10:00:04Z", until: "2027-02-13T10:00:04Z"),
            Subscribed.event(.refunded, "2027-01-30T10:00:00Z", amount: "9.99", transaction: "2000000000000004"),
            Subscribed.event(.revoked, "2027-01-30T10:00:00Z"),
        ]
        store.answer(Self.timeline, JSONText.value(Subscribed.timeline(more) { $0.state = .revoked }))
        let said = await store.run("sub", "timeline", "0001").said
        #expect(said.result.contains("billingFailed       pro.monthly  9.99 USD  declined"))
        #expect(said.result.contains("sum  19.98 USD in 2 charges, 9.99 USD given back, 9.99 USD kept; revoked"))
        let json = await store.run("sub", "timeline", "0001", "-o", "json").said
        let sums = try StrictJSON.parse(Array(json.result.utf8))["data"]?["sums"]?.arrayValue
        #expect(sums?.first?["kept"] == ["amount": "9.99", "currency": "USD"])
        #expect(sums?.first?["charges"] == 2)
    }

    @Test func `a timeline of several pages is whole`() async throws {
        let store = FakeStore()
        store.answer(Self.timeline) { request in
            var page = Subscribed.timeline
            let isSecond = request.path.contains("after=x")
            page.events = isSecond ? Array(page.events.suffix(1)) : Array(page.events.prefix(2))
            page.after = isSecond ? nil : "x"
            return (200, JSONText.value(page))
        }
        let said = await store.run("sub", "timeline", "0001", "-o", "json").said
        let events = try StrictJSON.parse(Array(said.result.utf8))["data"]?["events"]?.arrayValue
        #expect(events?.count == 3)
    }

    // MARK: Naming one

    @Test func `a subscription is named by its first transaction, by its latest, and by one between`() async throws {
        var between = Fixtures.transaction("t_3", .purchased, identifier: "2000000000000003")
        between.originalTransactionIdentifier = "2000000000000001"
        for name in ["2000000000000001", "…0004", "0003", "t_4"] {
            let store = FakeStore()
            store.list([between], isFinished: true)
            let (status, said) = await store.run("sub", "show", name, "-o", "names")
            #expect(status == .success, "\(name)")
            #expect(said.result == "2000000000000001\n", "\(name)")
        }
    }

    @Test func `an account with one that goes on means that one; else it has to be named`() async {
        let ended = other { $0.state = .expired }
        let (status, said) = await store([ended, Subscribed.subscription]).run(
            "sub", "show", "--as", "alice", "-o", "names")
        #expect(status == .success)
        #expect(said.result == "2000000000000001\n")
        let two = await store([other { _ in }, Subscribed.subscription]).run("sub", "show", "--as", "alice")
        #expect(two.status == .usage)
        #expect(two.said.narration.contains("alice has 2 subscriptions"))
        #expect(two.said.narration.contains("name one: 2000000000000101, 2000000000000001"))
        let none = await store([]).run("sub", "show", "--as", "alice")
        #expect(none.status == .refused)
        #expect(none.said.narration.contains("alice has no subscription in com.example.app"))
        let unnamed = await store([]).run("sub", "show")
        #expect(unnamed.status == .usage)
    }

    @Test func `an end that several share is refused with their names`() async {
        let (status, said) = await store([other { _ in }, Subscribed.subscription]).run("sub", "show", "…04")
        #expect(status == .usage)
        #expect(said.narration.contains("[transactionAmbiguous]"))
    }

    // MARK: Operations

    @Test(arguments: [
        ("cancel", "disableAutoRenew", "cancelled"), ("resume", "enableAutoRenew", "resumed"),
        ("renew", "renew", "renewed"), ("expire", "expire", "expired"), ("fail-next", "failNextRenewal", "will fail"),
        ("resolve-billing", "resolveBilling", "resolved"),
    ])
    func `each operation is a path of the subscription's latest transaction`(
        command: String, path: String, word: String
    ) async {
        let store = FakeStore()
        let (status, said) = await store.run("sub", command, "--as", "alice")
        #expect(status == .success)
        #expect(said.result.hasPrefix("\(word)  2000000000000001  pro.monthly  renews 2027-01-28"))
        let sent = store.requests(.post, "/admin/v1/transactions/t_4/\(path)")
        #expect(sent.count == 1 && sent[0].body == nil)
    }

    @Test func `an extension has its days, and no more than ninety`() async throws {
        let store = FakeStore()
        #expect(await store.run("sub", "extend", "30", "…0001").status == .success)
        #expect(try body(store.requests(.post, "/admin/v1/transactions/t_4/extend").first) == ["days": 30])
        #expect(await store.run("sub", "extend", "91", "…0001").status == .usage)
    }

    @Test func `a renewal says which transaction it has made`() async {
        let said = await FakeStore().run("sub", "renew", "--as", "alice").said
        #expect(said.result.contains("\nmade     2000000000000005  purchased, trial, expires 2026-11-28 10:00:04Z\n"))
    }

    private func declining(
        _ operation: String, _ change: (inout Subscription) -> Void = { _ in }
    ) -> FakeStore {
        let store = FakeStore()
        store.answer(
            "POST /admin/v1/transactions/t_4/\(operation)",
            JSONText.value(OperateSubscriptionReply(subscription: with(Subscribed.subscription, change))))
        let failed = Subscribed.event(.billingFailed, "2027-01-10T10:00:00Z", amount: "9.99", period: 3)
        store.answer(Self.timeline, JSONText.value(Subscribed.timeline([failed])))
        return store
    }

    @Test func `a renewal whose charge was declined is no success, and says that the period goes on`() async {
        let (status, said) = await declining("renew").run("sub", "renew", "--as", "alice")
        #expect(status == .purchaseFailed)
        #expect(said.result == "")
        #expect(
            said.narration.hasPrefix(
                "error: not renewed: the charge of 9.99 USD was declined; the period goes on, and its end tries again"))
        #expect(said.narration.contains("[chargeDeclined]"))
        #expect(said.narration.contains("storebus sub fail-next 2000000000000001"), "\(said.narration)")
        #expect(!said.narration.contains("--processor approve"))
    }

    @Test func `a renewal whose charge was declined is recorded as a step that fails`() async throws {
        let (place, _) = try Fixtures.project("http://127.0.0.1:7430")
        let file = place.file("life.scenario.yaml")
        let store = declining("renew")
        store.answer(
            "POST /admin/v1/transactions/t_4/expire", status: 409, StubTransport.problem(409, .transactionStateInvalid))
        let alice = ["--as", "alice"]
        for words in [["scenario", "record", file], ["sub", "renew"] + alice, ["sub", "expire"] + alice] {
            _ = await Recorder.run(words, directory: place.path, transport: store)
        }
        // The end was refused, so nothing was done.
        let written = try #require(FileAccess.text(file))
        #expect(
            written.hasSuffix(
                """
                steps:
                  - run: storebus sub renew --as alice
                    fails: true
                """), "\(written)")
    }

    @Test func `billing that is declined again is not resolved, and the account's setting is named`() async {
        let store = declining("resolveBilling") {
            $0.state = .inBillingRetryPeriod
            ($0.nextRetryDate, $0.lastRetryDate) = ($0.expiresDate, $0.expiresDate)
        }
        let other = await store.run("sub", "resolve-billing", "--as", "alice").said.narration
        #expect(other.contains("try again: storebus sub resolve-billing 2000000000000001"), "\(other)")
        store.answer("GET /admin/v1/testers/alice", FakeStore.alice.with(["processor": "decline"]))
        let (status, said) = await store.run("sub", "resolve-billing", "--as", "alice")
        #expect(status == .purchaseFailed)
        #expect(said.result == "")
        #expect(said.narration.hasPrefix("error: still declined: the charge of 9.99 USD; no access, the charge is"))
        #expect(said.narration.contains("storebus account set alice --processor approve"))
        store.answer("GET /admin/v1/testers/alice", FakeStore.alice.with(["failRenewals": true]))
        let failing = await store.run("sub", "resolve-billing", "--as", "alice").said.narration
        #expect(failing.contains("storebus account set alice --fail-renewals false"), "\(failing)")
    }

    @Test func `an end that is moved makes no transaction`() async {
        let store = FakeStore()
        let moved = OperateSubscriptionReply(
            subscription: Subscribed.subscription,
            transaction: Fixtures.transaction("t_4", .purchased, identifier: "2000000000000004"))
        store.answer("POST /admin/v1/transactions/t_4/expire", JSONText.value(moved))
        let said = await store.run("sub", "expire", "--as", "alice").said
        #expect(said.result.contains("\nchanged  2000000000000004  purchased"))
        #expect(!said.result.contains("made"))
    }

    @Test func `a state without such an edge is explained, not only refused`() async {
        let store = FakeStore()
        store.answer(
            "POST /admin/v1/transactions/t_4/resolveBilling", status: 409,
            StubTransport.problem(409, .transactionStateInvalid))
        let (status, said) = await store.run("sub", "resolve-billing", "--as", "alice")
        #expect(status == .refused)
        #expect(said.narration.contains("storebus why 2000000000000001"))
    }

    // MARK: Changes

    private func changing(_ change: (inout PaymentTransaction) -> Void, _ events: [SubscriptionEvent]) -> FakeStore {
        let store = FakeStore()
        var bought = Fixtures.transaction("t_6", .purchased, identifier: "2000000000000006")
        bought.payment.productIdentifier = "pro.yearly"
        bought.transactionDate = Timestamp("2027-01-10T10:00:00Z")
        bought.isTrialPeriod = false
        bought.price = Fixtures.money("79.99")
        change(&bought)
        let transaction = bought
        store.answer("POST /v1/payments", status: 201, JSONText.value(transaction))
        store.answer(Self.timeline) { [store] _ in
            // An entry of the same kind that was there before must not be taken for the purchase's own.
            let old = Subscribed.event(.refundedProrated, "2027-01-10T10:00:00Z", amount: "1.11")
            // Each command asks before the purchase and after it.
            let isPaid = store.requests(.get, "/admin/v1/subscriptions/2000000000000001/timeline").count % 2 == 0
            return (200, JSONText.value(Subscribed.timeline([old] + (isPaid ? events : []))))
        }
        return store
    }

    @Test func `an upgrade is charged at once, and the rest of the old period is given back`() async {
        let at = "2027-01-10T10:00:00Z"
        let store = changing(
            { _ in },
            [
                Subscribed.event(
                    .upgraded, at, amount: "79.99", transaction: "2000000000000006", product: "pro.yearly"),
                Subscribed.event(.refundedProrated, at, amount: "5.80", transaction: "2000000000000004"),
            ])
        let (status, said) = await store.run("sub", "upgrade", "pro.yearly", "--as", "alice")
        #expect(status == .success)
        #expect(
            said.result == """
                account      alice (USA) on device alice-1
                upgraded     pro.monthly → pro.yearly, at once
                transaction  2000000000000006  expires 2026-11-28 10:00:04Z
                charged      79.99 USD
                given back   5.80 USD of pro.monthly

                """)
        let meant = await store.run("sub", "downgrade", "pro.yearly", "--as", "alice").said
        #expect(meant.narration.contains("note: the store took it for an upgrade or a crossgrade"))
    }

    @Test func `a downgrade waits for the renewal and charges nothing`() async {
        let store = changing(
            {
                $0.price = Fixtures.money("0.00")
                $0.expiresDate = nil
                $0.effectiveDate = Timestamp("2027-01-28T10:00:04Z")
            }, [Subscribed.event(.changeScheduled, "2027-01-10T10:00:00Z", product: "pro.yearly")])
        let said = await store.run("sub", "downgrade", "pro.yearly", "--as", "alice").said
        #expect(
            said.result.contains(
                "scheduled    pro.monthly → pro.yearly, from 2027-01-28 10:00:04Z on; nothing was charged\n"))
        #expect(!said.result.contains("charged  "))
        let meant = await store.run("sub", "upgrade", "pro.yearly", "--as", "alice").said
        #expect(meant.narration.contains("note: the store took it for a downgrade"))
    }

    @Test func `a change that fails ends as a purchase that fails`() async {
        let store = FakeStore()
        store.answer("POST /v1/payments", status: 201, JSONText.value(FakeStore.failed))
        let (status, said) = await store.run("sub", "upgrade", "pro.yearly", "--as", "alice")
        #expect(status == .purchaseFailed)
        #expect(said.result.contains("failed     t_1"))
    }

    /// Alice's subscription to pro.monthly, of level 2.
    private func choosing(
        _ product: String, _ direction: ChangeDirection, among facts: [ExactText: SubscriptionFacts]? = nil,
        _ change: (inout Subscription) -> Void = { _ in }
    ) -> CLIError? {
        func fact(_ level: Int, in group: String = "pro") -> SubscriptionFacts {
            SubscriptionFacts(group: group == "pro" ? "Pro" : "News", groupIdentifier: group, level: level, offers: [])
        }
        let usual: [ExactText: SubscriptionFacts] = [
            ExactText("pro.monthly"): fact(2), ExactText("pro.yearly"): fact(1), ExactText("pro.weekly"): fact(2),
            ExactText("pro.basic"): fact(3), ExactText("news.monthly"): fact(1, in: "news"),
        ]
        var present = Subscribed.subscription
        change(&present)
        do throws(CLIError) {
            try GroupChoice(present: present, facts: facts ?? usual).check(product, direction)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a change to a product outside of the group is refused with those that fit`() {
        let up = choosing("news.monthly", .upgrade)
        #expect(up?.code == .usage)
        #expect(up?.message == "'news.monthly' is no product of alice's group Pro; nothing was bought")
        #expect(up?.hints == ["those that fit: pro.yearly (level 1), pro.weekly (level 2)"])
        let down = choosing("pro.basics", .downgrade)
        #expect(
            down?.hints == ["did you mean 'pro.basic'?", "those that fit: pro.weekly (level 2), pro.basic (level 3)"])
        for product in ["pro.yearly", "pro.weekly", "pro.basic"] { #expect(choosing(product, .upgrade) == nil) }
        #expect(choosing("anything", .upgrade, among: [:]) == nil)
        let alone = SubscriptionFacts(group: "Pro", groupIdentifier: "pro", level: 2, offers: [])
        #expect(
            choosing("hidden-beaches", .upgrade, among: [ExactText("pro.monthly"): alone])?.hints
                == ["no other product of Pro is of the same or a higher level"])
    }

    @Test func `the present product is refused, unless it takes a scheduled change back or subscribes again`() {
        #expect(choosing("pro.monthly", .upgrade)?.message == "alice has 'pro.monthly' now; nothing was bought")
        #expect(choosing("pro.monthly", .downgrade, among: [:])?.code == .usage)
        let reverted = choosing("pro.monthly", .downgrade) { $0.autoRenewProductIdentifier = "pro.weekly" }
        #expect(reverted == nil)
        let again = choosing("pro.monthly", .upgrade) { $0.state = .expired }
        #expect(again == nil)
    }

    @Test func `a refused change buys nothing`() async {
        let store = FakeStore()
        let (status, said) = await store.run("sub", "upgrade", "hidden-beaches", "--as", "alice")
        #expect(status == .usage)
        #expect(said.narration.contains("'hidden-beaches' is no product of alice's group Pro; nothing was bought"))
        #expect(said.narration.contains("those that fit: pro.yearly (level 1), pro.weekly (level 2)"))
        #expect(store.requests(.post, "/v1/payments").isEmpty)
    }

    @Test func `what the next renewal buys is the customer's own choice`() async throws {
        let store = FakeStore()
        #expect(await store.run("sub", "change", "pro.yearly", "--as", "alice").status == .success)
        let sent = try #require(store.requests(.put, "/v1/subscriptions/2000000000000001").first)
        #expect(try body(sent) == ["autoRenewProductIdentifier": "pro.yearly"])
        #expect(sent.token == "token")
    }

    // MARK: Taking back

    @Test func `a refund names the transaction by its end, with a reason of Apple's`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run("refund", "…0001", "--reason", "appIssue")
        #expect(status == .success)
        #expect(said.result == "refunded  2000000000000001  pro.monthly  9.99 USD, revoked 2026-12-01 10:00:00Z\n")
        #expect(said.narration == "next: storebus sub timeline 2000000000000001\n")
        #expect(try body(store.requests(.post, "/admin/v1/transactions/t_1/refund").first) == ["reason": "appIssue"])
        let revoked = await store.run("revoke", "0001")
        #expect(revoked.said.result == "revoked  2000000000000001  pro.monthly  revoked 2026-12-01 10:00:00Z\n")
        #expect(store.requests(.post, "/admin/v1/transactions/t_1/revoke").first?.body == nil)
        #expect(await store.run("refund", "0001", "--reason", "because").status == .usage)
    }
}
