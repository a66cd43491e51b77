import StoreHTTP
import StoreModels

// Bounds of the bodies that clients send. The gateway and the services check them; schemathesis holds both to each
// other.

extension Schema {
    /// The bodies that handlers read by themselves, by the names that the endpoints give them.
    static let bodies: [String: Schema] = ["CatalogFile": catalogFile, "ReceiptToVerify": receiptToVerify]

    /// Text of a person or an app, with a bound and without control characters.
    fileprivate static func text(max: Int) -> Schema { .identifier(max: max) }

    fileprivate static let account = identifier(max: IdentifierRule.account.lengthMax)
    fileprivate static let device = identifier(max: IdentifierRule.device.lengthMax)
    fileprivate static let product = identifier()
    fileprivate static let serverTransaction = text(matching: "^[0-9]{1,19}$")
}

extension Schema {
    /// A word or sentence of a chaos run.
    fileprivate static let runWord: Schema = .component(
        "RunWord", identifier(max: 4096).merging(["description": "A word or sentence of a run."]))
    /// A number of things that every JSON reader has exactly.
    fileprivate static let exactCount: Schema = ["minimum": 0, "maximum": 9_007_199_254_740_991]
}

extension SchemaTable {
    /// Declares the bodies that apps send.
    mutating func declareRequestsOfApps() {
        declare(
            SessionRequest.self,
            .forms(
                [
                    .init(
                        required: ["bundleId", "deviceId", "account", "platform", "osVersion", "appVersion"],
                        optional: ["client", "storefront", "promotedPurchases"],
                        ["client": ["const": "app", "default": "app"]]),
                    .init(
                        required: ["client", "bundleId", "deviceId", "account", "platform", "osVersion"],
                        optional: ["storefront"], ["client": ["const": "store"]]),
                ],
                [
                    "bundleId": .bundleIdentifier, "deviceId": .device, "account": .account,
                    "osVersion": .text(max: 64),
                    "appVersion": .text(max: 64), "storefront": .storefrontCode,
                ]))
        declare(
            PaymentRequest.self,
            .part([
                "productIdentifier": .product, "quantity": ["default": 1], "applicationUsername": .text(max: 255),
                "appAccountToken": .text(max: 255), "intentIdentifier": .text(max: 255),
                "introductoryEligibility": .text(max: 4096),
            ]))
        declare(
            DiscountParts.self,
            .part([
                "identifier": .words(), "keyIdentifier": .words(), "nonce": .words(), "signature": .words(max: 256),
            ]))
        declare(PurchaseOffer.self, .part(["winBack": .text(max: 255)]))
        declare(
            PurchaseOffer.Promotional.self, .part(["identifier": .text(max: 255), "jws": .text(max: 4096)]))
        declare(CodeRedemption.self, .part(["appAccountToken": .text(max: 255)]))
        declare(NewRestore.self, .part(["applicationUsername": .text(max: 255)]))
        declare(
            ProductsQuery.self,
            .part(["productIdentifiers": .list(of: .product, max: 500), "language": .languageName]))
        declare(ReceiptQuestion.self, .part(["productIdentifiers": .list(of: .product, max: 500)]))
        declare(SubscriptionChange.self, .part(["autoRenewProductIdentifier": .product]))
        declare(DecisionRequest.self, .part(["feedback": .text(max: 500)]))
        declare(
            NewOrder.self,
            .part([
                "productIdentifiers": Schema.list(of: .product, max: PromotionOverrides.orderMax).merging([
                    "uniqueItems": true
                ])
            ]))
        declare(StorePurchase.self, .part(["productIdentifier": .product]))
    }

    /// Declares the bodies that operators send.
    mutating func declareRequestsOfOperators() {
        declare(
            AppSettings.self,
            .part([
                "name": ["maxLength": .value(.integer(AppSettings.nameScalarsMax))], "appPrice": .price,
                "currentVersion": .text(max: AppSettings.versionScalarsMax),
                "promotionsSupportedSince": .text(max: AppSettings.versionScalarsMax),
                "unfinishedLimit": ["minimum": 1],
            ]))
        declare(TesterSettings.self, .part(["storefront": .storefrontCode]))
        let error: Schema = .component(
            "SimulatedError",
            Schema.any(
                .errorName,
                .text(oneOf: [
                    "networkError", "systemError", "userCancelled", "notAvailableInStorefront", "notEntitled",
                    "unsupported", "productUnavailable", "purchaseNotAllowed", "invalidQuantity",
                    "invalidOfferSignature", "missingOfferParameters",
                ]), .text(matching: "^(1?[0-9]|20)$")
            ).merging([
                "description":
                    "An error by its name or number in SKError, or by its name in StoreKitError and Product.PurchaseError."
            ]))
        declare(
            TesterSettings.SimulatedErrors.self,
            .part([
                "loadProducts": error, "purchase": error, "restore": error, "receiptRefresh": error, "download": error,
            ]))
        declare(
            PromptAnswerBody.self,
            .part(keywords: [
                "anyOf": [
                    ["properties": ["answer": ["const": "decline"]]], ["properties": ["error": ["type": "null"]]],
                ]
            ]))
        declare(
            NewOfferCode.self,
            .forms(
                [
                    .init(required: ["productIdentifier", "offer", "code", "redemptionsMax"]),
                    .init(
                        required: ["productIdentifier", "offer", "count", "expiresInDays"],
                        ["expiresInDays": .integer(1...NewOfferCode.batchDaysMax)]),
                ],
                [
                    "productIdentifier": .product, "offer": .identifier(),
                    "code": .text(matching: "^[0-9A-Za-z]{1,\(NewOfferCode.wordMax)}$"),
                    "redemptionsMax": .integer(1...NewOfferCode.wordRedemptionsMax),
                    "count": .integer(1...NewOfferCode.batchMax),
                    "expiresInDays": .integer(1...NewOfferCode.wordDaysMax),
                ]))
        declare(NewFamily.self, .part(["organiser": .account]))
        declare(OutsidePurchase.self, .part(["account": .account, "productIdentifier": .product]))
        declare(
            RedeemedOffer.self,
            .forms(
                [
                    .init(required: ["type"], ["type": ["const": "introductory"]]),
                    .init(required: ["type", "identifier"], ["type": ["enum": ["code", "subscription", "winBack"]]]),
                ], ["identifier": .identifier()]))
        declare(
            RefundShare.self,
            .part(["type": .text(oneOf: ["REFUND_FULL", "REFUND_PRORATED"]), "percentage": .integer(1...100_000)]))
        declare(Extension.self, .part(["days": .integer(1...90)]))
        declare(ClockSetting.self, .part(["now": .instant]))
        let time = "^([1-9][0-9]?y|[1-9][0-9]{0,2}(mo|d|h|min|m|s|w)|P[1-9][0-9]?(Y|M|W|D)|PT[1-9][0-9]?(H|M|S))$"
        declare(
            ClockMove.self,
            .forms(
                ["by", "to", "next"].map { .init(required: [$0]) },
                [
                    "by": .text(matching: time), "to": .instant, "next": .integer(1...1000),
                ]))
        declare(ConsoleSignIn.self, .forms(["key", "ticket"].map { .init(required: [$0]) }))
        declare(DeviceSetting.self, .part(["osVersion": .dottedVersion]))
        declare(InstallationSetting.self, .part(["version": .dottedVersion]))
        declare(ReviewReason.self, .part(["reason": .text(max: 500)]))
        declare(PromotionEntry.self, .part(["productIdentifier": .product]))
        declare(ProductReference.self, .part(["bundleId": .bundleIdentifier, "productIdentifier": .product]))
        declare(
            NewIsolatedStore.self,
            .part(["ttl": .text(matching: "^[0-9]+[smhd]$"), "seed": ["minimum": 0, "maximum": 4_294_967_295]]))
        declare(ForkedStore.self, .part(["ttl": .text(matching: "^[0-9]+[smhd]$")]))
        declare(
            NewSnapshot.self,
            .part(["name": .text(max: NewSnapshot.nameLengthMax), "ttl": .text(matching: "^[0-9]+[smhd]$")]))
        declare(FaultRequest.self, .part(["service": .faultTarget]))
        declare(IssueRequest.self, .part(["of": .text(matching: "^([0-9]{1,19}|[0-9a-f-]{36})$")]))
    }

    /// Declares the bodies that apps' servers send, and those about Apple's server.
    mutating func declareRequestsOfServers() {
        declare(ServerAPISettings.self, .part(["appAppleId": ["minimum": 1]]))
        declare(
            ServerAPIFault.self,
            .part([
                "path": ["minLength": 8, "maxLength": 2048, "pattern": "^/inApps/"], "times": .integer(1...10_000),
            ]))
        declare(
            NotificationEndpointBody.self,
            .part([
                "url": [
                    "minLength": 1, "maxLength": 2048,
                    "pattern": "^(listen:|https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?)$",
                ], "timeoutMs": .integer(100...60_000),
            ]))
        declare(
            TriggerNotificationBody.self,
            .part(["account": .account, "of": .serverTransaction, "productIdentifier": .product]))
        declare(LeaseNotificationsBody.self, .part(["max": .integer(1...32), "waitMs": .integer(0...20_000)]))
        declare(
            ReportAttemptBody.self,
            .part([
                "httpStatus": .integer(100...599), "durationMs": .integer(0...86_400_000),
                "bodyStart": ["maxLength": 1024, "pattern": "^[^\\u0000]*$"],
            ]))
        declare(
            NotificationHistoryBody.self,
            .part(
                [
                    "startDate": ["minimum": 0], "endDate": ["minimum": 0],
                    "notificationType": .type(NotificationType.self),
                    "notificationSubtype": .type(NotificationSubtype.self), "transactionId": .serverTransaction,
                    "originalTransactionId": .serverTransaction,
                ], required: ["startDate", "endDate"]))
        let extending: [String: Schema] = [
            "extendByDays": .integer(1...90), "extendReasonCode": .integer(0...3),
            "requestIdentifier": ["minLength": 1, "maxLength": 128],
        ]
        declare(ExtendRenewalDateBody.self, .part(extending, required: extending.keys.sorted()))
        let more: [String: Schema] = [
            "storefrontCountryCodes": .list(of: .text(matching: "^[A-Z]{3}$"), min: 1),
            "productId": ["minLength": 1, "maxLength": 255],
        ]
        declare(
            MassExtendRenewalDateBody.self,
            .part(extending.merging(more) { $1 }, required: extending.keys.sorted() + ["productId"]))
        let uuid = "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"
        declare(
            AppAccountTokenBody.self,
            .part(["appAccountToken": .text(matching: "^\(uuid)$")], required: ["appAccountToken"]))
        declare(
            ConsumptionBody.self,
            .part(
                [
                    "customerConsented": ["const": true], "consumptionPercentage": .integer(0...100_000),
                    "deliveryStatus": .text(oneOf: [
                        "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
                        "UNDELIVERED_OTHER",
                    ]),
                    "refundPreference": .text(oneOf: ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"]),
                ], required: ["customerConsented", "deliveryStatus", "sampleContentProvided"]))
        let numbers: [String: Int] = [
            "consumptionStatus": 3, "platform": 2, "deliveryStatus": 5, "accountTenure": 7, "playTime": 7,
            "lifetimeDollarsRefunded": 7, "lifetimeDollarsPurchased": 7, "userStatus": 4, "refundPreference": 3,
        ]
        var members = numbers.mapValues { Schema.integer(0...$0) }
        members["customerConsented"] = ["const": true]
        members["appAccountToken"] = .text(matching: "^(\(uuid))?$")
        let required = ["sampleContentProvided"] + members.keys.filter { $0 != "refundPreference" }
        declare(ConsumptionBodyV1.self, .part(members, required: required.sorted()))
    }

    /// Declares the reports of chaos runs.
    mutating func declareChaosRuns() {
        func part(
            words: [String] = [], counts: [String] = [], lists: [String] = [], more: [String: Schema] = [:]
        ) -> TypeSchema {
            var members = more
            for name in words { members[name] = .runWord }
            for name in counts { members[name] = .exactCount }
            for name in lists { members[name] = ["maxItems": 1000] }
            return .part(members)
        }
        declare(
            ChaosRun.self,
            part(
                words: ["line", "report"],
                counts: [
                    "elapsedSeconds", "availability", "availabilityInFaults", "stepSeconds", "lost", "doubleCharges",
                    "worstRecoveryMilliseconds",
                ],
                lists: [
                    "operationKinds", "services", "faults", "faultKinds", "steps", "money", "notifications",
                    "isolatedStores", "invariants", "violations",
                ],
                more: ["updatedAt": .instant, "gaps": .list(of: .runWord, max: 1000)]))
        declare(
            ChaosRun.Setup.self,
            part(
                words: ["app", "workload", "driver", "database", "version", "commit", "command"],
                counts: ["durationSeconds", "rate", "customers", "devices"], lists: ["leftOut", "processes"],
                more: [
                    "id": .identifier(), "seed": .text(matching: "^[0-9]{1,20}$"), "startedAt": .instant,
                    "targets": .list(of: .runWord, max: 1000), "faultNames": .list(of: .runWord, max: 1000),
                ]))
        declare(ChaosRun.LeftOut.self, part(words: ["name", "reason"]))
        declare(ChaosRun.Processes.self, part(words: ["service"], counts: ["count"]))
        declare(ChaosRun.Machine.self, part(words: ["processor"], counts: ["cores", "memoryBytes"]))
        declare(ChaosRun.Counts.self, part(counts: ["succeeded", "declined", "refused", "unknown"]))
        declare(ChaosRun.OperationKind.self, part(words: ["operation"]))
        declare(ChaosRun.Latency.self, part(counts: ["answers", "p50Milliseconds", "p99Milliseconds"]))
        declare(
            ChaosRun.Service.self,
            part(
                words: ["service"], counts: ["restarts", "lastRecoveryMilliseconds", "worstRecoveryMilliseconds"],
                more: ["faults": .list(of: .runWord, max: 1000)]))
        declare(
            ChaosRun.Fault.self,
            part(
                words: ["fault", "service", "notInjected"],
                counts: [
                    "number", "process", "beganAtSecond", "endedAtSecond", "recoveryMilliseconds", "operations",
                    "refused",
                    "unknown", "retried", "slow",
                ]))
        declare(
            ChaosRun.FaultKind.self,
            part(
                words: ["fault", "reason"],
                counts: ["count", "recoveryP50Milliseconds", "recoveryMaxMilliseconds"],
                more: ["services": .list(of: .runWord, max: 1000)]))
        declare(ChaosRun.Step.self, part(counts: ["second", "p50Milliseconds", "p99Milliseconds"]))
        declare(
            ChaosRun.Money.self,
            part(words: ["currency"], counts: ["transactions", "priced", "charges", "charged", "refunded"]))
        declare(ChaosRun.Number.self, part(words: ["name"], counts: ["count"]))
        declare(
            ChaosRun.Invariant.self, part(words: ["invariant", "statement"], counts: ["examined", "violations"]))
        declare(
            ChaosRun.Violation.self,
            part(
                words: ["invariant", "subject", "expected", "found"],
                more: ["lines": .list(of: .runWord, max: 1000)]))
    }
}
