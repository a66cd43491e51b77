import StoreHTTP
import StoreModels

// Bounds of the bodies that the gateway writes, and members that it always writes although readers do without them.

extension Schema {
    /// A number of things, 0 or more.
    fileprivate static let count: Schema = ["minimum": 0]
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
}

extension Schema {
    fileprivate static let offerDiscountType = text(oneOf: ["FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT"])
}

extension SchemaTable {
    /// Declares enumerations with raw numbers.
    mutating func declareEnumerations() {
        declare(SubscriptionPeriod.Unit.self, .numbered(SubscriptionPeriod.Unit.self))
        declare(ProductDiscount.PaymentMode.self, .numbered(ProductDiscount.PaymentMode.self))
        declare(ProductDiscount.Kind.self, .numbered(ProductDiscount.Kind.self))
        declare(TransactionState.self, .numbered(TransactionState.self))
        declare(Download.State.self, .numbered(Download.State.self))
        declare(StorePromotionVisibility.self, .numbered(StorePromotionVisibility.self))
        declare(SubscriptionState.self, .numbered(SubscriptionState.self, from: 1))
        declare(Subscription.ExpirationReason.self, .numbered(Subscription.ExpirationReason.self, from: 1))
        declare(AppliedOffer.Kind.self, .numbered(AppliedOffer.Kind.self, from: 1))
    }

    /// Declares products and their offers.
    mutating func declareProducts() {
        declare(Storefront.self, .part(["countryCode": .storefrontCode]))
        declare(StorefrontDescription.self, .part(["countryCode": .storefrontCode, "languages": ["minItems": 1]]))
        declare(
            StorefrontDescriptions.self,
            .part(["storefronts": ["minItems": 175, "maxItems": 175, "uniqueItems": true]]))
        declare(SubscriptionPeriod.self, .part(["numberOfUnits": .positive]))
        declare(ProductDiscount.self, .part(["numberOfPeriods": .positive]))
        declare(
            Commitment.self, .part(["billingPeriodNumber": .integer(1...12), "totalBillingPeriods": .constant(12)]))
        declare(ProductsResponse<Product>.self, .part(["degraded": .degraded], required: ["degraded"]))
        declare(EligibilityReply.self, .part(["degraded": .degraded]))
        declare(ProductExplanation.self, .part(["storefront": .storefrontCode]))
        declare(
            ProductPrices.Price.self,
            .part([
                "storefront": .storefrontCode,
                "reasons": .list(of: .type(ProductExplanation.Reason.self), min: 1),
            ]))
        declare(
            RedeemableOffer.WinBackConditions.self,
            .part(.counts("paidMonthsMin", "monthsSinceExpiryMin", "monthsSinceExpiryMax", "monthsBetweenOffers")))
        declare(HostedContent.self, .part(["contentLength": .count, "sha256": .sha256]))
        declare(PromotionImage.self, .part(["sha256": .sha256]))
        declare(
            VisibilityResponse<Product>.self,
            .part(["products": ["maxItems": 1]], required: ["productIdentifier", "products"]))
        declare(StorePageResponse<Promotion>.self, .part(["degraded": .degraded]))
    }

    /// Declares purchases and subscriptions.
    mutating func declarePurchases() {
        declare(
            SessionResponse.self,
            .part(["degraded": .degraded, "deviceVerificationId": .uuid], required: ["degraded"]))
        declare(SignedTransactionsPage.self, .part(["seq": .count, "signedTransactions": ["maxItems": 100]]))
        declare(SignedSubscriptionsResponse.self, .part(.counts("seq")))
        declare(SignedSubscriptionStatus.self, .part(["state": .number(oneOf: 1...5)]))
        declare(
            TransactionError.self,
            .part(["domain": .constant("SKErrorDomain"), "code": .integer(0...20), "name": .errorName]))
        declare(Download.self, .part(["id": .opaque]))
        declare(
            PaymentTransaction.self,
            .part([
                "id": .opaque, "transactionIdentifier": .digits, "revision": .positive, "deliveries": .count,
                "warnings": .list(of: .text(oneOf: ["finishedWithPendingDownloads"])),
                "revocationPercentage": .percentage,
            ]))
        declare(RecordedTransaction.self, .part(including: [PaymentTransaction.self]))
        declare(RestoreAccepted.self, .part(["restoreIdentifier": .opaque]))
        declare(Restore.self, .part(["restoreIdentifier": .opaque, "restored": .count]))
        declare(
            Subscription.self,
            .part(["originalTransactionIdentifier": .digits, "transactionIdentifier": .digits, "period": .count]))
        declare(SubscriptionEvent.self, .part(.counts("period")))
        declare(CustomerRefundRequest.self, .part(["consumption": ["type": "object"]]))
    }

    /// Declares the events of streams.
    mutating func declareStreamEvents() {
        declare(
            TransactionsEvent<PaymentTransaction>.self,
            .part(["seq": .count, "transactions": ["maxItems": 100]], required: ["seq"]))
        declare(DownloadsEvent<Download>.self, .part(.counts("seq"), required: ["seq"]))
        declare(RestoreEndEvent.self, .part(.counts("seq"), required: ["seq"]))
        declare(StorefrontEvent.self, .part(.counts("seq"), required: ["seq"]))
        declare(RevocationEvent.self, .part(.counts("seq"), required: ["seq"]))
        declare(
            PriceConsentEvent.self,
            .part(
                ["seq": .count, "originalTransactionIdentifier": .digits],
                required: ["seq", "productIdentifier", "price", "formerPrice"]))
        declare(OpenAppEvent.self, .part(.counts("seq"), required: ["seq"]))
        declare(SignedTransactionEvent.self, .part(["seq": .count, "id": .opaque], required: ["seq"]))
        declare(SubscriptionStatusEvent.self, .part(.counts("seq"), required: ["seq"]))
        declare(PromotedPurchaseEvent.self, .part(.counts("seq"), required: ["seq"]))
        declare(PositionEvent.self, .part(.counts("seq"), required: ["seq"]))
        for list in [EventList<IntentEvent>.self, EventList<StoreEvent>.self] as [Any.Type] {
            declare(list, .part(["events": ["minItems": 1, "maxItems": 100]]))
        }
    }

    /// Declares the responses to operators.
    mutating func declareOperatorResponses() {
        declare(
            App.self,
            .part(
                ["catalogVersion": .count, "appPrice": .type(Money.self)], including: [AppSettings.self]))
        declare(
            TesterResponse.self,
            .part(
                required: [
                    "account", "storefront", "canMakePayments", "askToBuy", "interruptPurchases", "signIn", "sheet",
                    "priceConsent", "subscriptionRenewalRate", "simulatedErrors", "overrides",
                ], including: [TesterSettings.self]))
        declare(Prompt.self, .part(["times": .positive]))
        declare(PromptsResponse.self, .part(required: ["degraded"]))
        declare(
            ResetResponse.self,
            .part(.counts("removedTransactions", "cancelledIntents"), required: ["cancelledIntents"]))
        declare(
            HistoryResponse.self,
            .part(.counts("removed", "cancelledIntents"), required: ["cancelledIntents"]))
        declare(AppClockState.self, .part(.counts("epoch")))
        declare(
            ClockAdvance.self,
            .part(["eventCount": .count, "remaining": .count, "events": ["maxItems": 100]]))
        declare(ClockAdvanceResponse.self, .part(including: [ClockAdvance.self]))
        declare(AppKey.self, .part(["kind": .type(KeyKind.self)]))
        declare(NewKeyResponse.self, .part(["kind": .type(KeyKind.self), "issuerId": .uuid]))
        declare(IsolatedStoreResponse.self, .part(["issuerId": .uuid, "rootCertificate": .base64]))
        declare(
            StoreEnvironment.self,
            .part(["STOREBUS_ISSUER_ID": .uuid, "STOREBUS_ROOT_CERTIFICATE": .base64]))
        declare(LivenessResponse.self, .part(["status": .constant("pass")]))
        declare(
            ReadinessResponse.self,
            .part(
                [
                    "services": [
                        "type": "object",
                        "additionalProperties": .text(oneOf: ["answering", "away", "slow", "failing"]),
                    ]
                ], required: ["bus", "degraded", "services"]))
        declare(
            ReadinessResponse.ImportedFile.self,
            .part(["status": .text(oneOf: ["waiting", "imported", "refused", "skipped"])]))
        declare(
            ServicesResponse.self,
            .part(["bus": .text(oneOf: ["connected", "away"])], required: ["bus"]))
        declare(
            ServicesResponse.Instance.self,
            .part(
                ["status": .text(oneOf: ["pass", "warn", "fail"]), "inFlight": .count], required: ["version", "status"])
        )
        declare(ServicesResponse.Check.self, .part(required: ["status"]))
        declare(
            ServicesResponse.Endpoint.self,
            .part(
                .counts("requests", "errors", "averageProcessingMs"),
                required: ["subject", "requests", "errors", "averageProcessingMs"]))
        declare(
            ChaosRunSummary.self,
            .part(.counts("operations", "faultCount", "lost", "doubleCharges", "worstRecoveryMilliseconds")))
        declare(ChaosRunsResponse.self, .part(["runs": ["maxItems": 50]]))
    }

    /// Declares the responses about the bus.
    mutating func declareBus() {
        declare(
            BusState.self,
            .part(
                .counts(
                    "uptimeSeconds", "connections", "totalConnections", "subscriptions", "messagesIn", "messagesOut",
                    "bytesIn", "bytesOut", "pendingBytes", "slowConsumers", "staleConnections", "noResponders",
                    "noInterest", "noEligible", "dropped", "permissionsDenied", "authFailures", "replaced",
                    "memoryBytes",
                    "loopLagMicroseconds")))
        declare(BusConnectionsResponse.self, .part(.counts("total")))
        declare(
            BusConnectionsResponse.Connection.self,
            .part(.counts("pendingBytes", "messagesIn", "messagesOut", "bytesIn", "bytesOut", "subscriptions")))
        declare(BusSubjectsResponse.Subject.self, .part(.counts("subscribers", "messages")))
        declare(BusTapMessages.self, .part(["messages": ["maxItems": 50], "missed": .count]))
        declare(BusTapMessages.Message.self, .part(.counts("bytes", "request")))
        declare(BusTapMessages.End.self, .part(.counts("request")))
        declare(
            FaultsResponse.self,
            .part(["struck": ["type": "object", "additionalProperties": ["type": "integer", "minimum": 0]]]))
        declare(
            FaultsResponse.Fault.self,
            .part(["service": .faultTarget, "matched": .count, "struck": .count]))
        declare(BusRule.self, .part(.counts("ms", "count", "matched", "struck")))
    }

    /// Declares notifications and their attempts.
    mutating func declareNotifications() {
        declare(NotificationEndpoint.self, .part(["timeoutMs": .integer(100...60_000)]))
        declare(NotificationAttempt.self, .part(.counts("durationMs")))
        declare(
            ServerNotification.self,
            .part(["notificationUUID": .uuid, "signedPayload": .signedNotification]))
        declare(TriggerResponse.self, .part(including: [ServerNotification.self]))
        declare(NotificationsSettled.self, .part(.counts("pending", "made", "delivered")))
        declare(LeaseNotificationsReply.self, .part(["attempts": ["maxItems": 32]]))
        declare(
            LeaseNotificationsReply.Attempt.self,
            .part(["notificationUUID": .uuid, "signedPayload": .signedNotification]))
    }

    /// Declares the responses of the App Store Server API, and what they sign.
    mutating func declareServerAPI() {
        declare(TransactionInfoResponse.self, .part(["signedTransactionInfo": .signedTransaction]))
        declare(AppTransactionInfoResponse.self, .part(["signedAppTransactionInfo": .signedAppTransaction]))
        declare(ServerHistoryResponse.self, .part(["signedTransactions": .list(of: .signedTransaction, max: 20)]))
        declare(RefundHistoryResponse.self, .part(["signedTransactions": .list(of: .signedTransaction, max: 20)]))
        declare(RefundLookupResponse.self, .part(["signedTransactions": .list(of: .signedTransaction, max: 50)]))
        declare(
            OrderLookupResponse.self,
            .part(["status": .number(oneOf: 0...1), "signedTransactions": .list(of: .signedTransaction)]))
        declare(
            SubscriptionStatusesResponse.Item.self,
            .part([
                "status": .integer(1...5), "signedTransactionInfo": .signedTransaction,
                "signedRenewalInfo": .signedRenewalInfo,
            ]))
        declare(ExtendRenewalDateResponse.self, .part(["success": .constant(true)]))
        declare(NotificationHistoryResponse.self, .part(["notificationHistory": ["maxItems": 20]]))
        declare(NotificationHistoryResponse.Item.self, .part(["signedPayload": .signedNotification]))
        declare(
            TransactionClaims.self,
            .part(
                [
                    "quantity": .positive,
                    "type": .text(oneOf: [
                        "Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription",
                    ]),
                    "inAppOwnershipType": .text(oneOf: ["PURCHASED", "FAMILY_SHARED"]),
                    "revocationReason": .number(oneOf: 0...1),
                    "revocationType": .type(RevocationType.self), "revocationPercentage": .percentage,
                    "isUpgraded": .constant(true), "offerType": .number(oneOf: 1...4),
                    "offerDiscountType": .offerDiscountType, "environment": .type(AppStoreEnvironment.self),
                    "transactionReason": .text(oneOf: ["PURCHASE", "RENEWAL"]),
                    "billingPlanType": .type(BillingPlan.self),
                ]))
        declare(
            CommitmentClaims.self,
            .part(["billingPeriodNumber": .integer(1...12), "totalBillingPeriods": .constant(12)]))
        declare(
            RenewalClaims.self,
            .part([
                "expirationIntent": .number(oneOf: 1...5), "autoRenewStatus": .number(oneOf: 0...1),
                "priceIncreaseStatus": .number(oneOf: 0...1), "offerType": .number(oneOf: 1...4),
                "offerDiscountType": .offerDiscountType, "environment": .type(AppStoreEnvironment.self),
                "eligibleWinBackOfferIds": ["minItems": 1], "renewalBillingPlanType": .type(BillingPlan.self),
            ]))
        declare(
            CommitmentRenewalClaims.self,
            .part([
                "commitmentAutoRenewStatus": .number(oneOf: 0...1),
                "commitmentRenewalBillingPlanType": .type(BillingPlan.self),
            ]))
        declare(
            AppTransactionClaims.self,
            .part(["receiptType": .type(AppStoreEnvironment.self), "originalPlatform": .constant("iOS")]))
        declare(
            NotificationClaims.self,
            .part([
                "notificationType": .type(NotificationType.self), "subtype": .type(NotificationSubtype.self),
                "notificationUUID": .uuid, "version": .constant("2.0"),
            ]))
        declare(
            NotificationClaims.Data.self,
            .part([
                "environment": .type(AppStoreEnvironment.self), "signedTransactionInfo": .signedTransaction,
                "signedRenewalInfo": .signedRenewalInfo, "status": .integer(1...5),
                "consumptionRequestReason": .type(ConsumptionRequestReason.self),
            ]))
        declare(NotificationClaims.Summary.self, .part(["environment": .type(AppStoreEnvironment.self)]))
    }
}
