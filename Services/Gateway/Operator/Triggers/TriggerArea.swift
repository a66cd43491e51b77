import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The route by which an operator causes an event. AppStoreServer makes a notification that is only sent.
struct TriggerArea: Area {
    let services: ServiceCaller
    let directories: Directories
    let outside: OutsidePurchaseArea

    /// The pause between two looks for a notification that was caused.
    private static let lookPause = Duration.milliseconds(25)
    /// Notifications of a kind that are compared before and after.
    private static let comparedMax = 100
    /// Subscriptions whose levels and offers are looked at.
    private static let quotesMax = 100

    var routes: [Route] { [Route(passing: NotificationRoutes.trigger) { try await trigger($0) }] }

    private func trigger(_ call: Call) async throws -> Response {
        let bytes = try await call.bodyBytes()
        try RequestBodyReader.checkContentType(call.request.headers)
        let body = try StoreJSON.decodeStrictly(TriggerNotificationBody.self, from: bytes)
        try body.validate()
        let bundleId = try await directories.existingApp(call)
        guard !body.isOnlySent else {
            return try await services.passOn(
                bytes, of: NotificationRoutes.trigger, about: bundleId, call, else: .listOfNotificationsTells)
        }
        return try Reply<TriggerResponse>(try await causeNotification(body, call), status: .created).response
    }

    /// Causes the event of a notification, and returns the notification that the event has made.
    private func causeNotification(_ body: TriggerNotificationBody, _ call: Call) async throws -> TriggerResponse {
        let bundleId = try call.bundleId()
        let context = call.patientContext()
        let defaults = try await directories.apps.testerDefaults(of: bundleId, call)
        let named = try await namedTransaction(body, of: bundleId, context)
        var known: AccountReply?
        if let name = body.account ?? named?.record.account {
            known = try await services.existingAccount(name, of: bundleId, context)
        }
        let customer = TriggerRun.Customer(
            bundleId: bundleId, account: known?.account ?? body.account ?? Self.newAccountName(),
            isNew: known == nil, defaults: defaults)
        let storefront =
            known?.storefront ?? defaults?.storefront ?? TesterSettings.standard.storefront
            ?? Directories.defaultStorefront
        var facts = TriggerFacts(
            bundleId: bundleId,
            now: try await services.call(
                SubscriptionEndpoints.getClock, AppRequest(bundleId: bundleId), context: context
            ).now,
            items: try await items(for: body, of: bundleId, in: storefront, context),
            wanted: body.productIdentifier, account: known?.account)
        if let known { try await add(known, named?.transaction, body, to: &facts, context) }
        let plan = try TriggerPlan(body.notificationType, body.subtype, facts)
        let seen = try await notifications(body, of: customer, context)
        var run = TriggerRun(services, outside, customer, about: plan.subject, context)
        let cause = try await run.perform(plan)
        return TriggerResponse(
            notification: try await made(body, of: customer, besides: seen, context),
            cause: cause)
    }

    /// A name for an account that a trigger makes.
    private static func newAccountName() -> String {
        "trigger-" + Hex.text((0..<4).map { _ in UInt8.random(in: .min ... .max) })
    }

    // MARK: Facts

    private func namedTransaction(
        _ body: TriggerNotificationBody, of bundleId: String, _ context: CallContext
    ) async throws -> RecordedTransaction? {
        guard let of = body.of else { return nil }
        let found = try await services.call(
            PaymentEndpoints.findTransaction,
            ScopedIdentifier(of, in: IsolationScope(of: bundleId)), context: context)
        guard found.record.bundleId.isExactly(IsolatedApp.shown(bundleId)) else {
            throw StoreError.notFound("transaction")
        }
        guard body.account == nil || body.account.isExactly(found.record.account) else {
            throw StoreError.invalid("$.of", "is a transaction of another account; leave out account")
        }
        return found
    }

    /// Lists the products for sale. Levels and offers are there only where one product takes another one's place.
    private func items(
        for body: TriggerNotificationBody, of bundleId: String, in storefront: String, _ context: CallContext
    ) async throws -> [TriggerFacts.Item] {
        let page = try await services.call(
            CatalogEndpoints.listProducts,
            ProductsPageRequest(bundleId: bundleId, storefront: storefront, limit: HTTPLimits.adminPageMax),
            context: context)
        var items = page.products.map { TriggerFacts.Item(product: $0) }
        guard body.notificationType == .didChangeRenewalPref || body.notificationType == .offerRedeemed else {
            return items
        }
        for index in items.indices.filter({ items[$0].product.type == .autoRenewable }).prefix(Self.quotesMax) {
            let quote = try await services.call(
                CatalogEndpoints.quoteProduct,
                QuoteRequest(
                    bundleId: bundleId, productIdentifier: items[index].identifier, storefront: storefront),
                context: context)
            items[index].level = quote.subscriptionLevel
            items[index].offers = quote.offersForSubscribers
        }
        return items
    }

    /// Adds the account's subscriptions and transaction.
    private func add(
        _ known: AccountReply, _ named: PaymentTransaction?, _ body: TriggerNotificationBody,
        to facts: inout TriggerFacts, _ context: CallContext
    ) async throws {
        facts.subscriptions = try await services.call(
            SubscriptionEndpoints.list,
            SubscriptionsRequest(bundleId: facts.bundleId, customerIdentifier: known.customerIdentifier),
            context: context
        ).subscriptions
        if let named {
            let original = named.originalTransactionIdentifier ?? named.transactionIdentifier
            facts.subscriptions.removeAll { !$0.originalTransactionIdentifier.isExactly(original) }
            (facts.transaction, facts.isNamed) = (named, true)
            return
        }
        guard body.notificationType.isAboutPurchase else { return }
        var filter = ServerTransactionFilter()
        filter.isRevoked = body.notificationType == .refundReversed ? nil : false
        filter.productIdentifiers = facts.wanted.map { [$0] }
        guard
            let latest = try await services.latestTransaction(
                ServerAPIEndpoints.modified, filter, of: known.customerIdentifier, in: facts.bundleId, context)
        else { return }
        facts.transaction = try await services.call(
            PaymentEndpoints.findTransaction,
            ScopedIdentifier(latest.item.transactionIdentifier, in: IsolationScope(of: facts.bundleId)),
            context: context
        ).transaction
    }

    // MARK: Notifications

    /// Lists notifications of the kind, newest first.
    private func notifications(
        _ body: TriggerNotificationBody, of customer: TriggerRun.Customer, _ context: CallContext
    ) async throws -> [ServerNotification] {
        var request = NotificationsRequest(bundleId: customer.bundleId, limit: Self.comparedMax)
        (request.notificationType, request.subtype) = (body.notificationType, body.subtype)
        // A summary is about no customer.
        request.account = body.subtype == .summary ? nil : customer.account
        return try await services.call(NotificationEndpoints.list, request, context: context)
            .notifications.filter { $0.subtype == body.subtype }
    }

    /// Waits for the notification that the event makes.
    /// - Parameter seen: The notifications that were there before.
    /// - Throws: `outcomeUnknown` when it does not come in time.
    private func made(
        _ body: TriggerNotificationBody, of customer: TriggerRun.Customer, besides seen: [ServerNotification],
        _ context: CallContext
    ) async throws -> ServerNotification {
        while true {
            let all = try await notifications(body, of: customer, context)
            let new = all.first { one in !seen.contains { $0.notificationUUID.isExactly(one.notificationUUID) } }
            if let new {
                return try await services.call(
                    NotificationEndpoints.get,
                    NotificationRequest(bundleId: customer.bundleId, notificationUUID: new.notificationUUID),
                    context: context)
            }
            guard ContinuousClock.now + Call.answerTime < context.deadline else {
                throw StoreError(
                    .outcomeUnknown,
                    "the event has happened to account '\(customer.account)', and its notification is not made yet; "
                        + "GET /admin/v1/apps/\(customer.bundleId)/notifications shows it",
                    details: ["account": .string(customer.account)])
            }
            try await Task.sleep(for: Self.lookPause)
        }
    }
}

extension NotificationType {
    /// Whether it is about one purchase of any kind.
    fileprivate var isAboutPurchase: Bool {
        switch self {
        case .refund, .refundDeclined, .refundReversed, .consumptionRequest, .revoke: true
        default: false
        }
    }
}

extension Quote {
    /// Offers that a subscriber of the product's group may redeem.
    fileprivate var offersForSubscribers: [RedeemedOffer] {
        let promotional = (product?.discounts ?? []).compactMap { discount in
            discount.identifier.map { RedeemedOffer(type: .subscription, identifier: $0) }
        }
        let codes = (redeemableOffers ?? []).filter { offer in
            offer.type == .code && (offer.audiences?.contains(.existing) ?? true)
        }.compactMap { offer in offer.offer.identifier.map { RedeemedOffer(type: .code, identifier: $0) } }
        return promotional + codes
    }
}
