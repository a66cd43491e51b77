import StoreModels

// Bounds of the bodies that the gateway writes, and members that it always writes although readers do without them.

extension Schema {
    fileprivate static let opaque: Schema = ["minLength": 1]
    fileprivate static let positive: Schema = ["minimum": 1]
    fileprivate static let uuid: Schema = ["format": "uuid"]
    fileprivate static let percentage = integer(1...100_000)

    fileprivate static func constant(_ value: JSONValue) -> Schema { ["const": .value(value)] }

    fileprivate static func number(oneOf range: ClosedRange<Int>) -> Schema {
        ["type": "integer", "enum": .list(range.map { .value(.integer($0)) })]
    }
}

extension [String: Schema] {
    /// Members that count something.
    fileprivate static func counts(_ names: String...) -> [String: Schema] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, .count) })
    }

    fileprivate func adding(_ more: [String: Schema]) -> [String: Schema] { merging(more) { $1 } }
}

// MARK: - Enumerations with raw numbers

extension SubscriptionPeriod.Unit: SchemaDeclaring {
    package static var schema: TypeSchema { .numbered(Self.self) }
}

extension ProductDiscount.PaymentMode: SchemaDeclaring {
    package static var schema: TypeSchema { .numbered(Self.self) }
}

extension ProductDiscount.Kind: SchemaDeclaring {
    package static var schema: TypeSchema { .numbered(Self.self) }
}

extension TransactionState: SchemaDeclaring {
    package static var schema: TypeSchema { .numbered(Self.self) }
}

extension Download.State: SchemaDeclaring {
    package static var schema: TypeSchema { .numbered(Self.self) }
}

extension StorePromotionVisibility: SchemaDeclaring {
    package static var schema: TypeSchema { .numbered(Self.self) }
}

extension SubscriptionState: SchemaDeclaring {
    package static var schema: TypeSchema { .numbered(Self.self, from: 1) }
}

extension Subscription.ExpirationReason: SchemaDeclaring {
    package static var schema: TypeSchema { .numbered(Self.self, from: 1) }
}

extension AppliedOffer.Kind: SchemaDeclaring {
    package static var schema: TypeSchema { .numbered(Self.self, from: 1) }
}

// MARK: - Products

extension Storefront: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["countryCode": .storefrontCode]) }
}

extension StorefrontDescription: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["countryCode": .storefrontCode, "languages": ["minItems": 1]]) }
}

extension StorefrontDescriptions: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["storefronts": ["minItems": 175, "maxItems": 175, "uniqueItems": true]])
    }
}

extension SubscriptionPeriod: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["numberOfUnits": .positive]) }
}

extension ProductDiscount: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["numberOfPeriods": .positive]) }
}

extension ProductsResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["degraded": .degraded], required: ["degraded"]) }
}

extension EligibilityReply: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["degraded": .degraded]) }
}

extension ProductExplanation: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["storefront": .storefrontCode]) }
}

extension ProductPrices.Price: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "storefront": .storefrontCode,
            "reasons": .list(of: .type(ProductExplanation.Reason.self), min: 1),
        ])
    }
}

extension RedeemableOffer.WinBackConditions: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(.counts("paidMonthsMin", "monthsSinceExpiryMin", "monthsSinceExpiryMax", "monthsBetweenOffers"))
    }
}

extension HostedContent: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["contentLength": .count, "sha256": .sha256]) }
}

extension PromotionImage: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["sha256": .sha256]) }
}

extension VisibilityResponse: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["products": ["maxItems": 1]], required: ["productIdentifier", "products"])
    }
}

extension StorePageResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["degraded": .degraded]) }
}

// MARK: - Purchases

extension SessionResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["degraded": .degraded], required: ["degraded"]) }
}

extension TransactionError: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["domain": .constant("SKErrorDomain"), "code": .integer(0...20), "name": .errorName])
    }
}

extension Download: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["id": .opaque]) }
}

extension PaymentTransaction: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "id": .opaque, "transactionIdentifier": .digits, "revision": .positive, "deliveries": .count,
            "warnings": .list(of: .text(oneOf: ["finishedWithPendingDownloads"])), "revocationPercentage": .percentage,
        ])
    }
}

extension RecordedTransaction: SchemaDeclaring {
    package static var schema: TypeSchema { .part(including: [PaymentTransaction.self]) }
}

extension RestoreAccepted: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["restoreIdentifier": .opaque]) }
}

extension Restore: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["restoreIdentifier": .opaque, "restored": .count]) }
}

extension Subscription: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["originalTransactionIdentifier": .digits, "transactionIdentifier": .digits, "period": .count])
    }
}

extension SubscriptionEvent: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("period")) }
}

extension CustomerRefundRequest: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["consumption": ["type": "object"]]) }
}

// MARK: - Events of streams

extension TransactionsEvent: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["seq": .count, "transactions": ["maxItems": 100]], required: ["seq"])
    }
}

extension DownloadsEvent: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("seq"), required: ["seq"]) }
}

extension RestoreEndEvent: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("seq"), required: ["seq"]) }
}

extension StorefrontEvent: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("seq"), required: ["seq"]) }
}

extension RevocationEvent: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("seq"), required: ["seq"]) }
}

extension PriceConsentEvent: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(
            ["seq": .count, "originalTransactionIdentifier": .digits],
            required: ["seq", "productIdentifier", "price", "formerPrice"])
    }
}

extension OpenAppEvent: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("seq"), required: ["seq"]) }
}

extension PromotedPurchaseEvent: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("seq"), required: ["seq"]) }
}

extension PositionEvent: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("seq"), required: ["seq"]) }
}

extension EventList: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["events": ["minItems": 1, "maxItems": 100]]) }
}

// MARK: - The operator

extension App: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(
            ["catalogVersion": .count, "appPrice": .type(Money.self)], including: [AppSettings.self])
    }
}

extension TesterResponse: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(
            required: [
                "account", "storefront", "canMakePayments", "askToBuy", "interruptPurchases", "signIn", "sheet",
                "priceConsent", "subscriptionRenewalRate", "simulatedErrors", "overrides",
            ], including: [TesterSettings.self])
    }
}

extension Prompt: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["times": .positive]) }
}

extension PromptsResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(required: ["degraded"]) }
}

extension ResetResponse: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(.counts("removedTransactions", "cancelledIntents"), required: ["cancelledIntents"])
    }
}

extension HistoryResponse: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(.counts("removed", "cancelledIntents"), required: ["cancelledIntents"])
    }
}

extension AppClockState: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("epoch")) }
}

extension ClockAdvance: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["eventCount": .count, "remaining": .count, "events": ["maxItems": 100]])
    }
}

extension ClockAdvanceResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(including: [ClockAdvance.self]) }
}

extension AppKey: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["kind": .type(KeyKind.self)]) }
}

extension NewKeyResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["kind": .type(KeyKind.self), "issuerId": .uuid]) }
}

extension IsolatedStoreResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["issuerId": .uuid, "rootCertificate": .base64]) }
}

extension StoreEnvironment: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["STOREBUS_ISSUER_ID": .uuid, "STOREBUS_ROOT_CERTIFICATE": .base64])
    }
}

extension LivenessResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["status": .constant("pass")]) }
}

extension ReadinessResponse: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(
            [
                "services": [
                    "type": "object",
                    "additionalProperties": .text(oneOf: ["answering", "away", "slow", "failing"]),
                ]
            ], required: ["bus", "degraded", "services"])
    }
}

extension ServicesResponse: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["bus": .text(oneOf: ["connected", "away"])], required: ["bus"])
    }
}

extension ServicesResponse.Instance: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(
            ["status": .text(oneOf: ["pass", "warn", "fail"]), "inFlight": .count], required: ["version", "status"])
    }
}

extension ServicesResponse.Check: SchemaDeclaring {
    package static var schema: TypeSchema { .part(required: ["status"]) }
}

extension ServicesResponse.Endpoint: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(
            .counts("requests", "errors", "averageProcessingMs"),
            required: ["subject", "requests", "errors", "averageProcessingMs"])
    }
}

extension ChaosRunSummary: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(.counts("operations", "faultCount", "lost", "doubleCharges", "worstRecoveryMilliseconds"))
    }
}

extension ChaosRunsResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["runs": ["maxItems": 50]]) }
}

// MARK: - The bus

extension BusState: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(
            .counts(
                "uptimeSeconds", "connections", "totalConnections", "subscriptions", "messagesIn", "messagesOut",
                "bytesIn", "bytesOut", "pendingBytes", "slowConsumers", "staleConnections", "noResponders",
                "noInterest", "noEligible", "dropped", "permissionsDenied", "authFailures", "replaced", "memoryBytes",
                "loopLagMicroseconds"))
    }
}

extension BusConnectionsResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("total")) }
}

extension BusConnectionsResponse.Connection: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(.counts("pendingBytes", "messagesIn", "messagesOut", "bytesIn", "bytesOut", "subscriptions"))
    }
}

extension BusSubjectsResponse.Subject: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("subscribers", "messages")) }
}

extension BusTapMessages: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["messages": ["maxItems": 50], "missed": .count]) }
}

extension BusTapMessages.Message: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("bytes")) }
}

extension FaultsResponse: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["struck": ["type": "object", "additionalProperties": ["type": "integer", "minimum": 0]]])
    }
}

extension FaultsResponse.Fault: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["service": .faultTarget, "matched": .count, "struck": .count])
    }
}

extension BusRule: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("ms", "count", "matched", "struck")) }
}

// MARK: - Notifications

extension NotificationEndpoint: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["timeoutMs": .integer(100...60_000)]) }
}

extension NotificationAttempt: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("durationMs")) }
}

extension ServerNotification: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["notificationUUID": .uuid, "signedPayload": .signedNotification])
    }
}

extension TriggerResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(including: [ServerNotification.self]) }
}

extension NotificationsSettled: SchemaDeclaring {
    package static var schema: TypeSchema { .part(.counts("pending", "made", "delivered")) }
}

extension LeaseNotificationsReply: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["attempts": ["maxItems": 32]]) }
}

extension LeaseNotificationsReply.Attempt: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["notificationUUID": .uuid, "signedPayload": .signedNotification])
    }
}

// MARK: - The App Store Server API

extension TransactionInfoResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["signedTransactionInfo": .signedTransaction]) }
}

extension AppTransactionInfoResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["signedAppTransactionInfo": .signedAppTransaction]) }
}

extension ServerHistoryResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["signedTransactions": .list(of: .signedTransaction, max: 20)]) }
}

extension RefundHistoryResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["signedTransactions": .list(of: .signedTransaction, max: 20)]) }
}

extension RefundLookupResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["signedTransactions": .list(of: .signedTransaction, max: 50)]) }
}

extension OrderLookupResponse: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["status": .number(oneOf: 0...1), "signedTransactions": .list(of: .signedTransaction)])
    }
}

extension SubscriptionStatusesResponse.Item: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "status": .integer(1...5), "signedTransactionInfo": .signedTransaction,
            "signedRenewalInfo": .signedRenewalInfo,
        ])
    }
}

extension ExtendRenewalDateResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["success": .constant(true)]) }
}

extension NotificationHistoryResponse: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["notificationHistory": ["maxItems": 20]]) }
}

extension NotificationHistoryResponse.Item: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["signedPayload": .signedNotification]) }
}

extension TransactionClaims: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(
            [
                "quantity": .positive,
                "type": .text(oneOf: [
                    "Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription",
                ]),
                "inAppOwnershipType": .constant("PURCHASED"), "revocationReason": .number(oneOf: 0...1),
                "revocationType": .type(RevocationType.self), "revocationPercentage": .percentage,
                "isUpgraded": .constant(true), "offerType": .number(oneOf: 1...4),
                "offerDiscountType": .offerDiscountType, "environment": .type(AppStoreEnvironment.self),
                "transactionReason": .text(oneOf: ["PURCHASE", "RENEWAL"]),
            ])
    }
}

extension RenewalClaims: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "expirationIntent": .number(oneOf: 1...5), "autoRenewStatus": .number(oneOf: 0...1),
            "priceIncreaseStatus": .number(oneOf: 0...1), "offerType": .number(oneOf: 1...4),
            "offerDiscountType": .offerDiscountType, "environment": .type(AppStoreEnvironment.self),
            "eligibleWinBackOfferIds": ["minItems": 1],
        ])
    }
}

extension AppTransactionClaims: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["receiptType": .type(AppStoreEnvironment.self), "originalPlatform": .constant("iOS")])
    }
}

extension NotificationClaims: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "notificationType": .type(NotificationType.self), "subtype": .type(NotificationSubtype.self),
            "notificationUUID": .uuid, "version": .constant("2.0"),
        ])
    }
}

extension NotificationClaims.Data: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "environment": .type(AppStoreEnvironment.self), "signedTransactionInfo": .signedTransaction,
            "signedRenewalInfo": .signedRenewalInfo, "status": .integer(1...5),
            "consumptionRequestReason": .type(ConsumptionRequestReason.self),
        ])
    }
}

extension NotificationClaims.Summary: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["environment": .type(AppStoreEnvironment.self)]) }
}

extension Schema {
    fileprivate static let offerDiscountType = text(oneOf: ["FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT"])
}
