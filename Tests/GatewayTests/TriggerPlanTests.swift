import EventLoop
import NIOHTTP1
import Signing
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import GatewayEdge
@testable import OperatorAPI

/// Goal: each notification that the store can cause has its cause, for a new account and for one that has bought.
@Suite struct TriggerPlanTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    /// A consumable, and three subscriptions of a group: two of one level, and a lower one with offers.
    private static let items: [TriggerFacts.Item] = {
        func subscription(_ name: String, _ level: Int, _ unit: SubscriptionPeriod.Unit, offer: Bool = false)
            -> TriggerFacts.Item
        {
            var product = Sample.pro
            product.productIdentifier = name
            product.subscriptionPeriod = SubscriptionPeriod(numberOfUnits: 1, unit: unit)
            return TriggerFacts.Item(
                product: product, level: level,
                offers: offer
                    ? [
                        RedeemedOffer(type: .code, identifier: "welcome"),
                        RedeemedOffer(type: .subscription, identifier: "loyal"),
                    ] : [])
        }
        return [
            subscription("pro", 1, .month), subscription("plus", 2, .month, offer: true),
            subscription("plus.yearly", 2, .year), TriggerFacts.Item(product: Sample.fishing),
        ]
    }()

    private func facts(_ subscriptions: [Subscription] = [], _ change: (inout TriggerFacts) -> Void = { _ in })
        -> TriggerFacts
    {
        with(
            TriggerFacts(
                bundleId: "com.example.app", now: Self.now, items: Self.items,
                account: subscriptions.isEmpty ? nil : "alice", subscriptions: subscriptions), change)
    }

    private func subscribed(_ state: SubscriptionState, to product: String = "plus", renews: Bool = true)
        -> Subscription
    {
        with(Sample.subscription) {
            ($0.state, $0.willAutoRenew, $0.productIdentifier, $0.autoRenewProductIdentifier) = (
                state, renews, product, product
            )
        }
    }

    /// Every kind that the store can cause.
    static let kinds: [(NotificationType, NotificationSubtype?)] = NotificationType.allCases.filter {
        ![.test, .externalPurchaseToken, .rescindConsent, .priceChange, .metadataUpdate, .migration].contains($0)
    }.flatMap { type in type.subtypes.map { (type, $0) } }

    @Test(arguments: kinds) func `an account that is made has what it needs bought first`(
        type: NotificationType, subtype: NotificationSubtype?
    ) throws {
        let plan = try TriggerPlan(type, subtype, facts())
        #expect(plan.subject == nil)
        #expect(!plan.cause.isEmpty)
        let bought = (plan.preparation + plan.cause).contains { step in
            switch step {
            case .buy, .buyBefore: true
            default: false
            }
        }
        #expect(bought, "\(plan)")
    }

    @Test func `what falls due of a subscription is dated so that it falls due now`() throws {
        func past(_ type: NotificationType, _ subtype: NotificationSubtype?) throws -> PastPurchase? {
            let plan = try TriggerPlan(type, subtype, facts())
            for case .buyBefore(_, let past) in plan.preparation + plan.cause { return past }
            return nil
        }
        #expect(try past(.didRenew, nil) == PastPurchase(due: .periodEnd, at: Self.now))
        #expect(
            try past(.expired, .voluntary) == PastPurchase(due: .periodEnd, at: Self.now, willAutoRenew: false))
        #expect(try past(.expired, .billingRetry)?.due == .billingRetryEnd)
        #expect(try past(.gracePeriodExpired, nil)?.due == .gracePeriodEnd)
        #expect(try past(.priceIncrease, .pending)?.at == Self.now + .seconds(86_400))
        #expect(try past(.expired, .priceIncrease)?.price == Money(minorUnits: 499, currency: Sample.dollars))
        #expect(try past(.refund, nil) == nil)
    }

    @Test func `one product takes another's place as the group's levels say`() throws {
        let upgrade = try TriggerPlan(.didChangeRenewalPref, .upgrade, facts())
        #expect(upgrade.preparation == [.buy("plus")])
        #expect(upgrade.cause == [.buy("pro")])
        let lower = try TriggerPlan(.didChangeRenewalPref, .downgrade, facts())
        #expect(lower.cause == [.choose("plus")])
        #expect(try TriggerPlan(.didChangeRenewalPref, nil, facts()).cause == [.choose("pro")])
        let offer = RedeemedOffer(type: .code, identifier: "welcome")
        #expect(try TriggerPlan(.offerRedeemed, nil, facts()).cause == [.buy("plus", offer)])
        let downgrade = try TriggerPlan(.offerRedeemed, .downgrade, facts())
        #expect(downgrade.preparation == [.buy("pro")])
        // An offer code does not downgrade.
        #expect(downgrade.cause == [.buy("plus", RedeemedOffer(type: .subscription, identifier: "loyal"))])
        #expect(try TriggerPlan(.offerRedeemed, .upgrade, facts()).preparation == [.buy("plus.yearly")])
    }

    @Test func `an account that has bought is used as it is`() throws {
        let running = facts([subscribed(.subscribed)])
        #expect(try TriggerPlan(.didRenew, nil, running).cause == [.operate(.renew)])
        #expect(try TriggerPlan(.didRenew, nil, running).preparation.isEmpty)
        #expect(
            try TriggerPlan(.didChangeRenewalStatus, .autoRenewEnabled, running).preparation
                == [.operate(.disableAutoRenew)])
        #expect(
            try TriggerPlan(.expired, .voluntary, running).cause == [.operate(.expire, days: nil, .cancelled)])
        #expect(try TriggerPlan(.subscribed, .resubscribe, running).cause == [.buy("plus")])
        let failed = facts([subscribed(.inBillingRetryPeriod)])
        #expect(try TriggerPlan(.didRenew, .billingRecovery, failed).cause == [.operate(.resolveBilling)])
        #expect(try TriggerPlan(.renewalExtension, .failure, failed).cause == [.extendAll])
        let bought = facts([subscribed(.subscribed)]) { $0.transaction = Sample.purchased("t_1") }
        let refund = try TriggerPlan(.refund, nil, bought)
        #expect(refund.subject?.id == "t_1" && refund.preparation.isEmpty && refund.cause == [.refund])
        let refunded = facts {
            $0.transaction = with(Sample.purchased("t_1")) {
                ($0.revocationDate, $0.revocationType) = (Self.now, .refundFull)
            }
        }
        #expect(try TriggerPlan(.refundReversed, nil, refunded).cause == [.reverseRefund])
    }

    @Test(
        arguments: [
            (NotificationType.didFailToRenew, nil), (.gracePeriodExpired, nil), (.subscribed, .initialBuy),
            (.priceIncrease, .pending), (.didRenew, .billingRecovery),
        ] as [(NotificationType, NotificationSubtype?)])
    func `an account to whose subscription it cannot happen now is refused, with the remedy`(
        type: NotificationType, subtype: NotificationSubtype?
    ) async throws {
        let error = try await refusal { try TriggerPlan(type, subtype, facts([subscribed(.subscribed)])) }
        #expect(error?.status == 422)
        #expect(error?.details["path"] == .string("$.account"))
        #expect(error?.message.contains("leave out account") == true)
    }

    @Test func `an app that does not sell it is refused, and a product that does not fit`() async throws {
        let poor = facts { $0.items = [TriggerFacts.Item(product: Sample.fishing)] }
        let error = try await refusal { try TriggerPlan(.didRenew, nil, poor) }
        #expect(error?.details["path"] == .string("$.notificationType"))
        let wanted = facts { $0.wanted = Sample.fishing.productIdentifier }
        #expect(
            try await refusal { try TriggerPlan(.didRenew, nil, wanted) }?.details["path"]
                == .string("$.productIdentifier"))
        #expect(try TriggerPlan(.refund, nil, wanted).preparation == [.buy(Sample.fishing.productIdentifier)])
        let named = facts { ($0.isNamed, $0.transaction) = (true, Sample.purchased("t_1")) }
        #expect(try await refusal { try TriggerPlan(.didRenew, nil, named) }?.details["path"] == .string("$.of"))
    }
}

/// Goal: a trigger does what its plan says, and says what it did.
@Suite struct TriggerRunTests {
    private static let path = "/admin/v1/apps/com.example.app/notifications/trigger"

    private func trigger(_ store: GatewayHarness, _ body: String) async throws -> Answer {
        try await store.send(.POST, Self.path, token: Sample.adminKey, body: body)
    }

    /// Makes the event's notification when something is bought.
    private func sell(_ store: GatewayHarness, as state: TransactionState = .purchased) {
        let (payments, appStore) = (store.payments, store.appStore)
        store.catalog.contents.withLock { $0.products = Sample.products }
        payments.contents.withLock { contents in
            contents.adding = { request in
                var bought = Sample.purchased("t_1", payment: request.payment)
                bought.transactionState = state
                payments.commit(bought)
                if state == .purchased { appStore.deliver(1, .oneTimeCharge) }
                return AddPaymentReply(status: 201, transaction: bought, isReplayed: false)
            }
        }
    }

    @Test func `without an account one is made, and the answer has the event's own notification`() async throws {
        try await GatewayHarness.run { store in
            store.appStore.deliver(1, .oneTimeCharge)
            sell(store)
            let answer = try await trigger(store, #"{"notificationType":"ONE_TIME_CHARGE"}"#)
            #expect(answer.status == 201, "\(answer.text)")
            #expect(answer.json["notificationUUID"]?.stringValue == FakeAppStoreServer.uuid(2))
            #expect(answer.json["signedPayload"] == "e30.2.e30")
            let cause = try #require(answer.json["cause"])
            let account = try #require(cause["account"]?.stringValue)
            #expect(account.hasPrefix("trigger-"))
            #expect(cause["isNewAccount"] == true)
            #expect(cause["steps"]?.arrayValue?.map { $0["action"] } == ["settings", "purchase"])
            #expect(cause["after"]?["transaction"]?["id"] == "t_1")
            #expect(
                store.payments.contents.withLock { $0.testers[ScopedIdentifier(account, in: .installation)] }
                    == TriggerPlan.settings)
            #expect(store.appStore.contents.withLock { $0.triggers.isEmpty })
        }
    }

    @Test func `a step that fails is said, with what was done before it`() async throws {
        try await GatewayHarness.run { store in
            sell(store, as: .deferred)
            let answer = try await trigger(store, #"{"notificationType":"ONE_TIME_CHARGE","account":"zoe"}"#)
            #expect(answer.status == 409, "\(answer.text)")
            #expect(answer.json["account"] == "zoe")
            #expect(answer.json["steps"]?.arrayValue?.map { $0["action"] } == ["settings"])
            let detail = answer.json["detail"]?.stringValue ?? ""
            #expect(detail.contains("step 2 failed") && detail.contains("done before: settings"), "\(detail)")
        }
    }

    @Test func `an account that was there before gets its settings back`() async throws {
        try await GatewayHarness.run { store in
            _ = try await store.session()
            store.payments.contents.withLock { contents in
                contents.testers[ScopedIdentifier("alice", in: .installation)] = TesterSettings(askToBuy: true)
                contents.subscribing.subscriptions = []
            }
            sell(store, as: .failed)
            let answer = try await trigger(store, #"{"notificationType":"DID_FAIL_TO_RENEW","account":"alice"}"#)
            #expect(answer.status == 409, "\(answer.text)")
            let alice = ScopedIdentifier("alice", in: .installation)
            #expect(store.payments.contents.withLock { $0.testers[alice] } == TesterSettings(askToBuy: true))
        }
    }
}

/// Goal: a program gets the store's address, its root and its key's identifier in one request.
@Suite struct EnvironmentTests {
    @Test func `variables in each form, with the last In-App Purchase key`() async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/env?bundleId=com.example.app"
            let bare = try await store.send(.GET, path, token: Sample.adminKey)
            #expect(bare.status == 200, "\(bare.text)")
            #expect(bare.json["STOREBUS_KEY_ID"] == nil)
            let token = try await store.serverToken()
            let full = try await store.send(.GET, path, token: Sample.adminKey)
            #expect(full.json["STOREBUS_KEY_ID"] == token.header["kid"])
            #expect(full.json["STOREBUS_ISSUER_ID"] == token.claims["iss"])
            #expect(full.json["STOREBUS_BUNDLE_ID"] == "com.example.app")
            #expect(full.json["STOREBUS_URL"]?.stringValue == store.gateway.parts.address.current)
            let root = try await store.apple.authority().rootDER
            #expect(full.json["STOREBUS_ROOT_CERTIFICATE"]?.stringValue == root.base64)
            let url = store.gateway.parts.address.current
            let shell = try await store.send(.GET, path + "&format=shell", token: Sample.adminKey)
            #expect(shell.text.hasPrefix("export STOREBUS_URL='\(url)'\n"))
            let lines = try await store.send(.GET, path + "&format=github", token: Sample.adminKey)
            #expect(lines.text.hasPrefix("STOREBUS_URL=\(url)\nSTOREBUS_BUNDLE_ID=com.example.app\n"))
            let wrong = try await store.send(.GET, path + "&format=ini", token: Sample.adminKey)
            #expect(wrong.status == 400)
            let strange = try await store.send(.GET, "/admin/v1/env?bundleId=com.other", token: Sample.adminKey)
            #expect(strange.status == 404)
        }
    }
}
