import BusService
import FoundationEssentials
import StoreHTTP
import StoreModels

extension AppleServer {
    /// The customer that a notification is about.
    private struct Notified {
        var account: AccountReply
        /// Decimal digits.
        var appTransactionIdentifier: String
        /// Nil for a notification that is about no purchase.
        var transaction: ServerTransaction?
    }

    /// The route of a notification that is only sent. The gateway causes the event of any other.
    var triggerRoutes: [ServerRoute] {
        [ServerRoute(reply: NotificationRoutes.trigger) { [self] in try await sendNotification($0) }]
    }

    private func sendNotification(_ call: ServerCall) async throws -> ServerReply {
        let body = try call.body(of: NotificationRoutes.trigger)
        let app = try await serverApps.app(try call.bundleId())
        let request = try await triggerRequest(body, app, call)
        let made = try await notifications.trigger(request, call.deadline)
        return try ServerReply(TriggerResponse(notification: made), status: 201)
    }

    private func triggerRequest(
        _ body: TriggerNotificationBody, _ app: ServerApp, _ call: ServerCall
    ) async throws -> TriggerNotificationRequest {
        let notified = try await notified(body, app, call)
        // AppStoreServer sets both.
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
        _ body: TriggerNotificationBody, _ app: ServerApp, _ call: ServerCall
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

    private func account(_ name: String, _ app: ServerApp, _ call: ServerCall) async throws -> AccountReply {
        do throws(StoreError) {
            return try await services.call(
                PaymentEndpoints.getAccount, GetAccountRequest(bundleId: app.bundleId, account: name), for: call)
        } catch {
            guard error.code == .notFound else { throw error }
            throw StoreError(
                .notFound,
                "account '\(name)' has never used \(app.bundleId); open a session or buy a product for it")
        }
    }

    /// Returns the transaction of the account that has changed last and that the notification can be about.
    /// - Throws: `notFound` for an account without any.
    private func latest(
        _ body: TriggerNotificationBody, _ account: AccountReply, _ app: ServerApp, _ call: ServerCall
    ) async throws -> ServerTransaction {
        let found = try await services.latestTransaction(
            ServerAPIEndpoints.modified, body.filter, of: account.customerIdentifier, in: app.bundleId, call.context)
        guard let found else {
            throw StoreError(
                .notFound,
                "account '\(account.account)' has no \(body.object) that a \(body.notificationType.rawValue) can be "
                    + "about; buy one with POST /admin/v1/apps/\(app.bundleId)/purchases")
        }
        return found
    }

    /// Returns the subscription that a transaction belongs to.
    private func subscription(
        of transaction: ServerTransaction, _ customer: Notified, _ app: ServerApp, _ call: ServerCall
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
        _ body: TriggerNotificationBody, _ app: ServerApp, _ customer: Notified?, _ call: ServerCall
    ) async throws -> [String: JSONValue]? {
        switch (body.notificationType, body.subtype) {
        case (.externalPurchaseToken, _):
            ["externalPurchaseToken": .object(try await externalPurchaseToken(of: app, call)), "data": .null]
        case (.rescindConsent, _): ["appData": .object(try await appData(of: app, customer, call)), "data": .null]
        case (.renewalExtension, .summary): ["summary": .object(Self.summary(of: app, customer)), "data": .null]
        default: nil
        }
    }

    private func externalPurchaseToken(of app: ServerApp, _ call: ServerCall) async throws -> [String: JSONValue] {
        let now = try await clock(of: app.bundleId, call.context)
        // Apple's libraries know the environment by how the identifier begins.
        let prefix = app.environment == .production ? "" : "SANDBOX_"
        return app.payloadNames.merging([
            "externalPurchaseId": .string(prefix + UUID().uuidString.lowercased()),
            "tokenCreationDate": .integer(now.milliseconds),
        ]) { $1 }
    }

    private func appData(of app: ServerApp, _ customer: Notified?, _ call: ServerCall) async throws -> [String:
        JSONValue]
    {
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
