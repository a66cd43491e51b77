import BusService
import Hummingbird
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Gateway {
    /// The customer that a notification is about.
    private struct Notified {
        var account: AccountReply
        /// Decimal digits.
        var appTransactionIdentifier: String
        /// Nil for a notification that is about no purchase.
        var transaction: ServerTransaction?
    }

    /// Causes the event of a notification, or only sends the notification.
    func triggerNotification(_ call: Call) async throws -> Reply<TriggerResponse> {
        let body = try await call.body(of: NotificationRoutes.trigger)
        let bundleId = try await existingApp(call)
        guard body.isOnlySent else { return try Reply(try await causeNotification(body, call), status: .created) }
        let app = try await serverApps.app(bundleId)
        let request = try await triggerRequest(body, app, call)
        // The notifier signs later; a fault that cannot be done is an error of this request.
        if body.break != nil { _ = try await signed([request.draft], call.context()) { _ in "$" } }
        let made = try await services.call(
            NotifierEndpoints.trigger, request, for: call, else: .listOfNotificationsTells)
        return try Reply(TriggerResponse(notification: made), status: .created)
    }

    private func triggerRequest(
        _ body: TriggerNotificationBody, _ app: ServerApp, _ call: Call
    ) async throws -> TriggerNotificationRequest {
        let notified = try await notified(body, app, call)
        // The notifier sets both.
        var draft = NotificationDraft(
            bundleId: app.bundleId, notificationUUID: "", notificationType: body.notificationType,
            subtype: body.subtype, signedDate: now())
        draft.appTransactionIdentifier = notified?.appTransactionIdentifier
        draft.transaction = notified?.transaction
        if let notified, let transaction = notified.transaction, transaction.item.type == .autoRenewable {
            draft.subscription = try await subscription(of: transaction, notified, app, call)
        }
        let sample = try await sample(body, app, notified, call)
        if sample != nil || body.set != nil { draft.set = (sample ?? [:]).merging(body.set ?? [:]) { $1 } }
        draft.break = body.break
        return TriggerNotificationRequest(
            draft: draft, customerIdentifier: notified?.account.customerIdentifier, account: notified?.account.account)
    }

    // MARK: Customers

    /// Returns the customer with the transaction, or nil for a notification that is about no customer.
    private func notified(
        _ body: TriggerNotificationBody, _ app: ServerApp, _ call: Call
    ) async throws -> Notified? {
        if let identifier = body.of {
            let found = try await services.call(
                ServerAPIEndpoints.lookup, TransactionLookupRequest(bundleId: app.bundleId, identifier: identifier),
                for: call)
            guard let transaction = found.transaction, body.isAbout(transaction.item.type) else {
                throw StoreError.invalid(
                    "$.of", "is not \(body.object); a \(body.notificationType.rawValue) is about one")
            }
            let account = try await services.call(
                PaymentEndpoints.getAccount,
                GetAccountRequest(bundleId: app.bundleId, customerIdentifier: found.customerIdentifier), for: call)
            guard body.account == nil || body.account.isExactly(account.account) else {
                throw StoreError.invalid("$.of", "is a transaction of another account; leave out account")
            }
            return Notified(
                account: account, appTransactionIdentifier: found.appTransactionIdentifier, transaction: transaction)
        }
        guard let name = body.account else { return nil }
        let account = try await account(name, app, call)
        let download = try await download(of: account.customerIdentifier, in: app.bundleId, call)
        return Notified(
            account: account, appTransactionIdentifier: download.appTransactionIdentifier,
            transaction: body.isAboutPurchase ? try await latest(body, account, app, call) : nil)
    }

    private func account(_ name: String, _ app: ServerApp, _ call: Call) async throws -> AccountReply {
        if let account = try await existingAccount(name, of: app.bundleId, call.context()) { return account }
        throw StoreError(
            .notFound, "account '\(name)' has never used \(app.bundleId); open a session or buy a product for it")
    }

    /// Returns the transaction of the account that has changed last and that the notification can be about.
    /// - Throws: `notFound` for an account without any.
    private func latest(
        _ body: TriggerNotificationBody, _ account: AccountReply, _ app: ServerApp, _ call: Call
    ) async throws -> ServerTransaction {
        let found = try await latestTransaction(
            body.filter, of: account.customerIdentifier, in: app.bundleId, call.context())
        guard let found else {
            throw StoreError(
                .notFound,
                "account '\(account.account)' has no \(body.object) that a \(body.notificationType.rawValue) can be "
                    + "about; buy one with POST /admin/v1/apps/\(app.bundleId)/purchases")
        }
        return found
    }

    /// Returns the customer's transaction that has changed last, or nil when no one is selected.
    func latestTransaction(
        _ filter: ServerTransactionFilter, of customerIdentifier: String, in bundleId: String, _ context: CallContext
    ) async throws -> ServerTransaction? {
        var request = ModifiedTransactionsRequest(
            bundleId: bundleId, customerIdentifier: customerIdentifier, isDescending: true, limit: 1, filter: filter)
        while true {
            let page = try await services.call(ServerAPIEndpoints.modified, request, context: context)
            if let transaction = page.transactions.first { return transaction }
            guard page.hasMore else { return nil }
            request.after = page.place
        }
    }

    /// Returns the subscription that a transaction belongs to.
    private func subscription(
        of transaction: ServerTransaction, _ customer: Notified, _ app: ServerApp, _ call: Call
    ) async throws -> ServerSubscription? {
        let statuses = try await services.call(
            ServerAPIEndpoints.statuses,
            SubscriptionStatusesRequest(
                bundleId: app.bundleId, customerIdentifier: customer.account.customerIdentifier), for: call)
        return statuses.subscriptions.first {
            transaction.item.originalTransactionIdentifier.isExactly($0.subscription.originalTransactionIdentifier)
        }
    }

    // MARK: Samples

    /// Makes the members of payloads that have others in place of `data`. Nil for any other payload.
    private func sample(
        _ body: TriggerNotificationBody, _ app: ServerApp, _ customer: Notified?, _ call: Call
    ) async throws -> [String: JSONValue]? {
        switch (body.notificationType, body.subtype) {
        case (.externalPurchaseToken, _):
            ["externalPurchaseToken": .object(try await externalPurchaseToken(of: app, call)), "data": .null]
        case (.rescindConsent, _): ["appData": .object(try await appData(of: app, customer, call)), "data": .null]
        case (.renewalExtension, .summary): ["summary": .object(Self.summary(of: app, customer)), "data": .null]
        default: nil
        }
    }

    private func externalPurchaseToken(of app: ServerApp, _ call: Call) async throws -> [String: JSONValue] {
        let now = try await clock(of: app.bundleId, call.context())
        // Apple's libraries know the environment by how the identifier begins.
        let prefix = app.environment == .production ? "" : "SANDBOX_"
        return app.payloadNames.merging([
            "externalPurchaseId": .string(prefix + UUID().uuidString.lowercased()),
            "tokenCreationDate": .integer(now.milliseconds),
        ]) { $1 }
    }

    private func appData(of app: ServerApp, _ customer: Notified?, _ call: Call) async throws -> [String: JSONValue] {
        let names = app.payloadNames.merging(["environment": .string(app.environment.rawValue)]) { $1 }
        guard let customer else { return names }
        let download = try await download(of: customer.account.customerIdentifier, in: app.bundleId, call)
        let signed = try await signedAppTransaction(download, app, call)
        return names.merging(["signedAppTransactionInfo": .string(signed)]) { $1 }
    }

    private static func summary(of app: ServerApp, _ customer: Notified?) -> [String: JSONValue] {
        var members = app.payloadNames
        members["environment"] = .string(app.environment.rawValue)
        members["requestIdentifier"] = .string(UUID().uuidString.lowercased())
        if let transaction = customer?.transaction {
            members["productId"] = .string(transaction.item.productIdentifier)
        }
        members["succeededCount"] = .integer(1)
        members["failedCount"] = .integer(0)
        return members
    }
}

extension ServerApp {
    /// The members by which a payload names the app.
    fileprivate var payloadNames: [String: JSONValue] {
        var members: [String: JSONValue] = ["bundleId": .string(bundleId)]
        if let appAppleId { members["appAppleId"] = .integer(appAppleId) }
        return members
    }
}

extension TriggerNotificationBody: CheckedBody {
    /// Whether nothing in the store brings it about, or nothing is to.
    fileprivate var isOnlySent: Bool {
        switch notificationType {
        // A TEST's cause is the request for it, and the store has no state that the other two could tell of.
        case .test, .externalPurchaseToken, .rescindConsent: true
        default: onlySend == true
        }
    }

    /// Whether it is about something that a customer has bought.
    fileprivate var isAboutPurchase: Bool {
        switch notificationType {
        case .test, .externalPurchaseToken, .rescindConsent: false
        default: true
        }
    }

    /// The types of products that it can be about. Nil for all.
    fileprivate var products: [ProductType]? {
        switch notificationType {
        case .subscribed, .didRenew, .didChangeRenewalPref, .didChangeRenewalStatus, .offerRedeemed, .expired,
            .didFailToRenew, .gracePeriodExpired, .priceIncrease, .renewalExtended, .renewalExtension:
            [.autoRenewable]
        case .oneTimeCharge: [.consumable, .nonConsumable, .nonRenewable]
        default: nil
        }
    }

    /// Selects the transactions that it can be about.
    fileprivate var filter: ServerTransactionFilter {
        var filter = ServerTransactionFilter()
        filter.types = products
        return filter
    }

    fileprivate func isAbout(_ type: ProductType) -> Bool { isAboutPurchase && products?.contains(type) ?? true }

    /// The noun for its object, in an error.
    fileprivate var object: String {
        guard isAboutPurchase else { return "needed" }
        guard let products else { return "transaction" }
        return products == [.autoRenewable] ? "subscription" : "transaction outside subscriptions"
    }

    func validate() throws(StoreError) {
        switch notificationType {
        case .priceChange, .metadataUpdate, .migration:
            throw .invalid(
                "$.notificationType",
                "\(notificationType.rawValue) belongs to Advanced Commerce, which this store has not", status: 422)
        default: break
        }
        let allowed = notificationType.subtypes
        guard allowed.contains(subtype) else {
            let names = allowed.map { $0?.rawValue ?? "none" }.joined(separator: ", ")
            throw .invalid("$.subtype", "of \(notificationType.rawValue) must be one of: \(names)")
        }
        if let account { try Identifier.check(account, as: .account, at: "$.account") }
        if let productIdentifier {
            guard !isOnlySent else {
                throw .invalid("$.productIdentifier", "must be left out: a notification that is only sent buys nothing")
            }
            try Identifier.check(productIdentifier, as: .product, at: "$.productIdentifier")
        }
        guard isOnlySent || set == nil else { throw Self.onlySent("$.set") }
        guard isOnlySent || self.break == nil else { throw Self.onlySent("$.break") }
        if let of {
            guard isAboutPurchase else {
                throw .invalid("$.of", "must be left out: a \(notificationType.rawValue) is about no transaction")
            }
            try Identifier.check(of, at: "$.of")
        }
        let isAboutNoCustomer = !isAboutPurchase || notificationType == .renewalExtension && subtype == .summary
        guard !isOnlySent || isAboutNoCustomer || account != nil || of != nil else {
            throw .invalid(
                "$.account", "is missing: a \(notificationType.rawValue) is about what an account has bought")
        }
    }

    private static func onlySent(_ place: String) -> StoreError {
        .invalid(
            place, "changes what is only sent; add onlySend, because the event's own notification is sent as it is")
    }
}
