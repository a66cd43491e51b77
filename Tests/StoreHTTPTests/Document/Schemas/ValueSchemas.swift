import StoreHTTP
import StoreModels

// Types whose JSON is not read member by member.

extension Schema {
    /// An amount of money that a client sends, with no more digits than its currency has.
    static let price: Schema = .component(
        "Price",
        [
            "description": "An amount of money with no more digits than its currency has.",
            "anyOf": [
                price(amount: "^[0-9]{1,12}(\\.0+)?$", currency: [:]),
                price(
                    amount: "^[0-9]{1,12}\\.[0-9]{1,2}0*$",
                    currency: ["not": ["enum": codes(Currency.withoutMinorUnit)]]),
                price(amount: "^[0-9]{1,12}\\.[0-9]{1,3}0*$", currency: ["enum": codes(Currency.withThreeDigits)]),
            ],
        ])

    private static func price(amount pattern: String, currency: Schema) -> Schema {
        [
            "type": "object",
            "properties": [
                "amount": .text(matching: pattern), "currency": .text(matching: "^[A-Z]{3}$").merging(currency),
            ], "required": ["amount", "currency"], "additionalProperties": false,
        ]
    }

    private static func codes(_ codes: Set<String>) -> Schema {
        .list(codes.sorted().map { .value(.string($0)) })
    }

    /// An instant that a client sends, 2000 to 2199, so that arithmetic with it stays within the years of ISO 8601.
    static let instant: Schema = .text(
        matching: "^2[01][0-9]{2}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)"
            + "|02-(0[1-9]|1[0-9]|2[0-8]))T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z$")

    /// A version of integers with dots between them.
    static let dottedVersion: Schema = [
        "type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[0-9]{1,18}(\\.[0-9]{1,18})*$",
    ]

    /// A transaction's identifier, decimal digits.
    static let digits = text(matching: "^[0-9]+$")

    /// Base64.
    static let base64: Schema = ["type": "string", "contentEncoding": "base64"]

    /// A SHA-256 in hexadecimal digits.
    static let sha256 = text(matching: "^[0-9a-f]{64}$")

    /// A compact JWS whose payload has a type.
    static func jws(_ name: String, of payload: any (Decodable & Sendable).Type) -> Schema {
        .component(
            name,
            [
                "allOf": [signedPayload], "contentMediaType": "application/jwt", "contentSchema": .type(payload),
                "description": "`contentSchema` is the payload's.",
            ])
    }

    static let signedTransaction = jws("SignedTransaction", of: TransactionClaims.self)
    static let signedRenewalInfo = jws("SignedRenewalInfo", of: RenewalClaims.self)
    static let signedAppTransaction = jws("SignedAppTransaction", of: AppTransactionClaims.self)
    static let signedNotification = jws("SignedNotification", of: NotificationClaims.self)

    private static let signedPayload: Schema = .component(
        "SignedPayload",
        .text(matching: "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$").merging([
            "description": "A compact JWS, ES256, with three certificates in x5c; with one in the environment Xcode."
        ]))

    /// The name of an `SKError`.
    static let errorName: Schema = .component(
        "SKErrorName",
        [
            "type": "string", "enum": .list(SKErrorCode.allCases.map { .value(.string($0.name)) }),
            "x-enum-values": .members(SKErrorCode.allCases.map { ($0.name, .value(.integer($0.rawValue))) }),
            "description": "SKError.Code; x-enum-values are StoreKit's raw values.",
        ])

    /// The services that a response may do without.
    static let degraded: Schema = .list(of: .text(oneOf: ServiceName.degradable))
}

extension ServiceName {
    /// The names of the services that a response to an app may do without.
    fileprivate static let degradable = [
        catalog, paymentQueue, promotionController, eligibility, appStoreServer,
    ].compactMap(\.degradedName)
}

extension SchemaTable {
    /// Declares types whose JSON is not read member by member.
    mutating func declareValues() {
        declare(
            Timestamp.self,
            .whole(["type": "string", "format": "date-time"], sample: "2026-11-21T10:00:00.000Z", isComponent: false))
        declare(Currency.self, .whole(.text(matching: "^[A-Z]{3}$"), sample: "USD", isComponent: false))
        declare(
            Money.self,
            .whole(
                [
                    "type": "object",
                    "properties": [
                        "amount": .text(matching: "^[0-9]+(\\.[0-9]+)?$").merging([
                            "description": "A decimal with exactly the currency's digits."
                        ]),
                        "currency": .text(matching: "^[A-Z]{3}$").merging(["description": "ISO 4217."]),
                    ], "required": ["amount", "currency"],
                    "examples": [["amount": "1.99", "currency": "USD"]],
                ], sample: .object(["amount": "1.99", "currency": "USD"])))
        declare(
            NamedError.self,
            .whole(.any(.errorName, .integer(0...20)), sample: "unknown", isComponent: false))
        declare(Quantity.self, .whole(.integer(1...10), sample: 1, isComponent: false))
        declare(NonNull<Quantity>.self, .whole(.type(Quantity.self), sample: 1))
        declare(
            ClockRate.self,
            .whole(
                .any(
                    .type(SubscriptionRenewalRate.self),
                    [
                        "type": "number", "minimum": .value(.number("0.000001")), "maximum": 10_000_000,
                    ]), sample: "realTime"))
        let names = SKErrorCode.allCases.map(\.name).joined(separator: "|")
        declare(
            PaymentSheetAnswer.self,
            .whole(
                .text(matching: "^(auto|approve|cancel|interactive|decline(:(1?[0-9]|20|\(names)))?)$"), sample: "auto")
        )
        declare(OriginalTransaction.self, .whole(.type(PaymentTransaction.self)))
        declare(
            StoreErrorCode.self,
            .whole(.text(oneOf: StoreErrorCode.all.map(\.name)), sample: "internal", isComponent: false))
        declare(
            Problem.self,
            .whole([
                "type": "object",
                "properties": [
                    "type": ["type": "string", "description": "urn:storebus:problem:<code>"],
                    "title": ["type": "string", "description": "The status as text."],
                    "status": .integer(400...599),
                    "detail": ["type": "string", "description": "The fault and its place, for people."],
                    "code": Schema.text(oneOf: StoreErrorCode.all.map(\.name)).merging([
                        "description": "The contract; sentences are not."
                    ]),
                    "retryable": [
                        "type": "boolean",
                        "description": "Whether the same request with the same key may succeed when it is sent again.",
                    ],
                    "retryAfterMs": [
                        "type": "integer", "minimum": 0,
                        "description":
                            "Milliseconds to wait before that; Retry-After has them in seconds. Absent when unknown.",
                    ],
                    "traceId": Schema.text(matching: "^[0-9a-f]{32}$").merging([
                        "description": "Finds the request in every log."
                    ]),
                    "remedy": ["type": "string", "description": "The remedy."],
                    "path": [
                        "type": "string",
                        "description": "The member, parameter or header that is wrong: `$.quantity`, `query limit`.",
                    ],
                    "simulatedError": [
                        "type": "string",
                        "description": "The error that the tester is set to meet; no service has failed.",
                    ],
                    "problems": Schema.list(
                        of: [
                            "type": "object",
                            "properties": [
                                "path": ["type": "string"], "reason": ["type": "string"],
                                "allowed": .list(of: ["type": "string"]),
                            ], "required": ["path", "reason"],
                        ]
                    ).merging(["description": "Every place that is wrong in a refused catalogue."]),
                    "reason": [
                        "type": "string",
                        "description": "Of a refused receipt: malformed, signature, bundleId or environment.",
                    ],
                ],
                "required": ["type", "title", "status", "detail", "code", "retryable", "traceId", "remedy"],
                "description": "An error (RFC 9457). Further members are possible.",
                "examples": [
                    [
                        "type": "urn:storebus:problem:transactionNotFinishable", "title": "Conflict", "status": 409,
                        "detail": "a purchasing transaction cannot be finished", "code": "transactionNotFinishable",
                        "retryable": false, "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
                        "remedy": "Finish a transaction when it is purchased, failed or restored.",
                    ]
                ],
            ]))
        declare(
            ServerAPIRateLimits.self,
            .whole(
                .any(
                    .text(oneOf: ["off", "sandbox", "production"]),
                    [
                        "type": "object",
                        "properties": .members(
                            ServerAPIOperation.allCases.map { ($0.rawValue, ["type": "integer", "minimum": 0]) }),
                        "additionalProperties": false,
                    ]), isComponent: false))
        declare(
            NotificationEndpointResponse.self,
            .whole(
                .any(
                    .type(NotificationEndpoint.self),
                    ["type": "object", "properties": ["url": ["type": "null"]], "required": ["url"]])))
    }
}
