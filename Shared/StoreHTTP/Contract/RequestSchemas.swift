import StoreModels

// Bounds of the bodies that clients send. The gateway and the services check them; schemathesis holds both to each other.

extension Schema {
    /// Text of a person or an app, with a bound and without control characters.
    fileprivate static func text(max: Int) -> Schema { .identifier(max: max) }

    fileprivate static let account = identifier(max: IdentifierRule.account.lengthMax)
    fileprivate static let device = identifier(max: IdentifierRule.device.lengthMax)
    fileprivate static let product = identifier()
    fileprivate static let serverTransaction = text(matching: "^[0-9]{1,19}$")
}

// MARK: - Apps

extension SessionRequest: SchemaDeclaring {
    package static var schema: TypeSchema {
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
                "bundleId": .bundleIdentifier, "deviceId": .device, "account": .account, "osVersion": .text(max: 64),
                "appVersion": .text(max: 64), "storefront": .storefrontCode,
            ])
    }
}

extension PaymentRequest: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "productIdentifier": .product, "quantity": ["default": 1], "applicationUsername": .text(max: 255),
            "appAccountToken": .text(max: 255), "intentIdentifier": .text(max: 255),
        ])
    }
}

extension DiscountParts: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "identifier": .words(), "keyIdentifier": .words(), "nonce": .words(), "signature": .words(max: 256),
        ])
    }
}

extension NewRestore: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["applicationUsername": .text(max: 255)]) }
}

extension ProductsQuery: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["productIdentifiers": .list(of: .product, max: 500)]) }
}

extension ReceiptQuestion: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["productIdentifiers": .list(of: .product, max: 500)]) }
}

extension SubscriptionChange: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["autoRenewProductIdentifier": .product]) }
}

extension DecisionRequest: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["feedback": .text(max: 500)]) }
}

extension NewOrder: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "productIdentifiers": Schema.list(of: .product, max: PromotionOverrides.orderMax).merging([
                "uniqueItems": true
            ])
        ])
    }
}

extension StorePurchase: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["productIdentifier": .product]) }
}

// MARK: - The operator

extension AppSettings: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "name": ["maxLength": 64], "appPrice": .price, "currentVersion": .text(max: 32),
            "promotionsSupportedSince": .text(max: 32), "unfinishedLimit": ["minimum": 1],
        ])
    }
}

extension TesterSettings: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["storefront": .storefrontCode]) }
}

extension TesterSettings.SimulatedErrors: SchemaDeclaring {
    package static var schema: TypeSchema {
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
        return .part([
            "loadProducts": error, "purchase": error, "restore": error, "receiptRefresh": error, "download": error,
        ])
    }
}

extension PromptAnswerBody: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(keywords: [
            "anyOf": [
                ["properties": ["answer": ["const": "decline"]]], ["properties": ["error": ["type": "null"]]],
            ]
        ])
    }
}

extension OutsidePurchase: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["account": .account, "productIdentifier": .product]) }
}

extension RedeemedOffer: SchemaDeclaring {
    package static var schema: TypeSchema {
        .forms(
            [
                .init(required: ["type"], ["type": ["const": "introductory"]]),
                .init(required: ["type", "identifier"], ["type": ["enum": ["code", "winBack"]]]),
            ], ["identifier": .identifier()])
    }
}

extension RefundShare: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["type": .text(oneOf: ["REFUND_FULL", "REFUND_PRORATED"]), "percentage": .integer(1...100_000)])
    }
}

extension Extension: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["days": .integer(1...90)]) }
}

extension ClockSetting: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["now": .instant]) }
}

extension ClockMove: SchemaDeclaring {
    package static var schema: TypeSchema {
        .forms(
            ["by", "to", "next"].map { .init(required: [$0]) },
            [
                "by": .text(
                    matching:
                        "^([1-9][0-9]?y|[1-9][0-9]{0,2}(mo|d|h|min|m|s|w)|P[1-9][0-9]?(Y|M|W|D)|PT[1-9][0-9]?(H|M|S))$"),
                "to": .instant, "next": .integer(1...1000),
            ])
    }
}

extension ConsoleSignIn: SchemaDeclaring {
    package static var schema: TypeSchema { .forms(["key", "ticket"].map { .init(required: [$0]) }) }
}

extension DeviceSetting: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["osVersion": .dottedVersion]) }
}

extension InstallationSetting: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["version": .dottedVersion]) }
}

extension ReviewReason: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["reason": .text(max: 500)]) }
}

extension PromotionEntry: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["productIdentifier": .product]) }
}

extension ProductReference: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["bundleId": .bundleIdentifier, "productIdentifier": .product]) }
}

extension NewIsolatedStore: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["ttl": .text(matching: "^[0-9]+[smhd]$"), "seed": ["minimum": 0, "maximum": 4_294_967_295]])
    }
}

extension FaultRequest: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["service": .faultTarget]) }
}

extension IssueRequest: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["of": .text(matching: "^([0-9]{1,19}|[0-9a-f-]{36})$")]) }
}

// MARK: - The App Store's server

extension ServerAPISettings: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["appAppleId": ["minimum": 1]]) }
}

extension ServerAPIFault: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "path": ["minLength": 8, "maxLength": 2048, "pattern": "^/inApps/"], "times": .integer(1...10_000),
        ])
    }
}

extension NotificationEndpointBody: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "url": [
                "minLength": 1, "maxLength": 2048,
                "pattern": "^(listen:|https?://[a-z0-9.-]+(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?)$",
            ], "timeoutMs": .integer(100...60_000),
        ])
    }
}

extension TriggerNotificationBody: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(["account": .account, "of": .serverTransaction, "productIdentifier": .product])
    }
}

extension LeaseNotificationsBody: SchemaDeclaring {
    package static var schema: TypeSchema { .part(["max": .integer(1...32), "waitMs": .integer(0...20_000)]) }
}

extension ReportAttemptBody: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "httpStatus": .integer(100...599), "durationMs": .integer(0...86_400_000),
            "bodyStart": ["maxLength": 1024, "pattern": "^[^\\u0000]*$"],
        ])
    }
}

extension NotificationHistoryBody: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(
            [
                "startDate": ["minimum": 0], "endDate": ["minimum": 0],
                "notificationType": .type(NotificationType.self),
                "notificationSubtype": .type(NotificationSubtype.self), "transactionId": .serverTransaction,
                "originalTransactionId": .serverTransaction,
            ], required: ["startDate", "endDate"])
    }
}

extension ExtendRenewalDateBody: SchemaDeclaring {
    fileprivate static let members: [String: Schema] = [
        "extendByDays": .integer(1...90), "extendReasonCode": .integer(0...3),
        "requestIdentifier": ["minLength": 1, "maxLength": 128],
    ]

    package static var schema: TypeSchema { .part(members, required: members.keys.sorted()) }
}

extension MassExtendRenewalDateBody: SchemaDeclaring {
    package static var schema: TypeSchema {
        let more: [String: Schema] = [
            "storefrontCountryCodes": .list(of: .text(matching: "^[A-Z]{3}$"), min: 1),
            "productId": ["minLength": 1, "maxLength": 255],
        ]
        return .part(
            ExtendRenewalDateBody.members.merging(more) { $1 },
            required: ExtendRenewalDateBody.members.keys.sorted() + ["productId"])
    }
}

extension AppAccountTokenBody: SchemaDeclaring {
    fileprivate static let uuid = "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"

    package static var schema: TypeSchema {
        .part(["appAccountToken": .text(matching: "^\(uuid)$")], required: ["appAccountToken"])
    }
}

extension ConsumptionBody: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part(
            [
                "customerConsented": ["const": true], "consumptionPercentage": .integer(0...100_000),
                "deliveryStatus": .text(oneOf: [
                    "DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE",
                    "UNDELIVERED_OTHER",
                ]),
                "refundPreference": .text(oneOf: ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"]),
            ], required: ["customerConsented", "deliveryStatus", "sampleContentProvided"])
    }
}

extension ConsumptionBodyV1: SchemaDeclaring {
    package static var schema: TypeSchema {
        let numbers: [String: Int] = [
            "consumptionStatus": 3, "platform": 2, "deliveryStatus": 5, "accountTenure": 7, "playTime": 7,
            "lifetimeDollarsRefunded": 7, "lifetimeDollarsPurchased": 7, "userStatus": 4, "refundPreference": 3,
        ]
        var members = numbers.mapValues { Schema.integer(0...$0) }
        members["customerConsented"] = ["const": true]
        members["appAccountToken"] = .text(matching: "^(\(AppAccountTokenBody.uuid))?$")
        let required = ["sampleContentProvided"] + members.keys.filter { $0 != "refundPreference" }
        return .part(members, required: required.sorted())
    }
}

extension ChaosRun: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "id": .identifier(), "seed": .text(matching: "^[0-9]{1,20}$"), "app": .runWord, "startedAt": .instant,
            "updatedAt": .instant, "targets": .list(of: .runWord, max: 64), "faultNames": .list(of: .runWord, max: 64),
            "workload": .runWord, "services": ["maxItems": 64], "faults": ["maxItems": 1000],
            "steps": ["maxItems": 180], "invariants": ["maxItems": 64], "line": .text(max: 1000),
            "report": .text(max: 4096), "elapsedSeconds": .exactCount, "durationSeconds": .exactCount,
            "rate": .exactCount, "operations": .exactCount, "succeeded": .exactCount, "refused": .exactCount,
            "unknown": .exactCount, "stepSeconds": .exactCount, "lost": .exactCount, "doubleCharges": .exactCount,
            "worstRecoveryMilliseconds": .exactCount,
        ])
    }
}

extension ChaosRun.Service: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "service": .runWord, "faults": .list(of: .runWord, max: 64), "worstRecoveryMilliseconds": .exactCount,
        ])
    }
}

extension ChaosRun.Fault: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "number": .exactCount, "fault": .runWord, "service": .runWord, "beganAtSecond": .exactCount,
            "endedAtSecond": .exactCount,
        ])
    }
}

extension ChaosRun.Step: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "second": .exactCount, "succeeded": .exactCount, "refused": .exactCount, "unknown": .exactCount,
            "p50Milliseconds": .exactCount, "p99Milliseconds": .exactCount,
        ])
    }
}

extension ChaosRun.Invariant: SchemaDeclaring {
    package static var schema: TypeSchema {
        .part([
            "invariant": .runWord, "statement": .runWord, "examined": .exactCount, "violations": .exactCount,
        ])
    }
}

extension Schema {
    /// A word or sentence of a chaos run.
    fileprivate static let runWord: Schema = .component(
        "RunWord", identifier().merging(["description": "A word or sentence of a run."]))
    /// A number of things that every JSON reader has exactly.
    fileprivate static let exactCount: Schema = ["minimum": 0, "maximum": 9_007_199_254_740_991]
}
