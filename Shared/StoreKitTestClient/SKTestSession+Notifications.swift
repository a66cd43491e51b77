internal import StoreHTTP
internal import StoreModels

extension SKTestSession {
    /// An App Store Server Notification of version 2, as the app's server gets it.
    public struct Notification: Hashable, Sendable {
        /// The type in Apple's word, such as `DID_RENEW`.
        public let notificationType: String
        /// The subtype, such as `BILLING_RECOVERY`. Nil for none.
        public let subtype: String?
        /// The same in every attempt to deliver it, in lower case.
        public let notificationUUID: String
        /// The time of the event, by the store's clock.
        public let signedDate: Date
        /// The transaction, decoded and not verified. Nil for a notification without one.
        public let transaction: Transaction?
        /// The renewal information, decoded and not verified. Nil without a subscription.
        public let renewalInfo: StoreKitClient.Product.SubscriptionInfo.RenewalInfo?
        /// The JWS that the server gets in `{"signedPayload":"…"}`.
        public let signedPayload: String

        /// - Throws: ``SKTestError/serviceUnavailable`` for text that is no notification.
        init(_ signedPayload: String) throws {
            let parts = Base64URL.parts(ofJWS: signedPayload)
            guard let parts, let claims = try? StoreJSON.decode(NotificationClaims.self, from: parts[1]) else {
                throw SKTestError(.serviceUnavailable, "the store's notification is not a JWS: \(signedPayload)")
            }
            (notificationType, subtype) = (claims.notificationType, claims.subtype)
            notificationUUID = claims.notificationUUID
            signedDate = Timestamp(milliseconds: claims.signedDate).date
            transaction = claims.data?.signedTransactionInfo.map { Transaction(decoding: $0) }
            renewalInfo = claims.data?.signedRenewalInfo.map { .init(decoding: $0) }
            self.signedPayload = signedPayload
        }
    }

    /// The notifications that the store has made since its beginning or the last ``clearTransactions()``, oldest first.
    ///
    /// The list has everything that happened before the call, also without an endpoint.
    /// - Throws: ``SKTestError``
    public var notifications: [Notification] {
        get async throws {
            try await Self.offThread {
                try self.perform(.serviceUnavailable) {
                    let cleared = self.testStore.clearedNotification.withLock { $0 }
                    return try self.notificationUUIDs(upTo: cleared).reversed().map { uuid in
                        let found = try self.testStore.client.call(
                            NotificationRoutes.get, self.app.merging([.notificationUUID: uuid]) { $1 })
                        return try Notification(found.signedPayload ?? "")
                    }
                }
            }
        }
    }

    /// Lets the notifications begin after those that there are.
    func clearNotifications() throws {
        if let newest = try notificationUUIDs(upTo: nil, limit: 1).first {
            testStore.clearedNotification.withLock { $0 = newest }
        }
    }

    /// Reads the identifiers of notifications, newest first.
    /// - Parameters:
    ///   - last: The notification before the oldest of them. Nil for all.
    ///   - limit: The most identifiers. Nil for all.
    private func notificationUUIDs(upTo last: String?, limit: Int? = nil) throws -> [String] {
        // The store makes the notifications of everything that has happened before it responds.
        _ = try testStore.client.call(NotificationRoutes.settled, app, query: ["timeout": "0"])
        var (uuids, after): ([String], String?) = ([], nil)
        repeat {
            let page = try testStore.client.call(
                NotificationRoutes.list, app, query: ["after": after, "limit": limit.map { "\($0)" }])
            for notification in page.notifications {
                if let last, notification.notificationUUID.isExactly(last) { return uuids }
                uuids.append(notification.notificationUUID)
            }
            after = limit == nil ? page.after : nil
        } while after != nil
        return uuids
    }
}
