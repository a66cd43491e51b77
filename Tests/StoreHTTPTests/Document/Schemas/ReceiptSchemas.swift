import StoreHTTP
import StoreModels

extension Schema {
    /// The body of `POST /verifyReceipt`, which Apple's clients send with any content type.
    static let receiptToVerify: Schema = [
        "type": "object",
        "properties": [
            "receipt-data": ["type": "string", "description": "Base64, as GET /v1/receipt returns it."],
            "password": [
                "type": "string",
                "description":
                    "One of the app's shared secrets; needed when the app has one and there are subscriptions.",
            ],
            "exclude-old-transactions": [
                "type": "boolean", "description": "Of each subscription only the latest transaction.",
            ],
        ], "required": ["receipt-data"],
        "examples": [["receipt-data": "MIIT", "password": "7d1f", "exclude-old-transactions": true]],
    ]

    fileprivate static let receiptFields: Schema = .component(
        "ReceiptFields",
        [
            "type": "object", "description": "The receipt's own fields.",
            "properties": Schema.members(
                [("receipt_type", .text(oneOf: ["ProductionSandbox", "Production"])), ("bundle_id", text)]
                    + ["adam_id", "app_item_id", "download_id", "version_external_identifier"].map {
                        ($0, ["type": "integer"])
                    } + texts(["application_version", "original_application_version"])
                    + instants("receipt_creation", "request", "original_purchase", "expiration")
                    + [("in_app", .list(of: receiptPurchase))]),
            "required": ["receipt_type", "bundle_id", "in_app"],
        ])

    fileprivate static let receiptPurchase: Schema = .component(
        "ReceiptPurchase",
        [
            "type": "object", "description": "A purchase in Apple's words: all values are text.",
            "properties": Schema.members(
                texts(["quantity", "product_id", "transaction_id", "original_transaction_id"])
                    + instants("purchase", "original_purchase", "expires", "cancellation")
                    + texts([
                        "web_order_line_item_id", "promotional_offer_id", "offer_code_ref_name",
                        "subscription_group_identifier", "app_account_token",
                    ]) + [
                        ("is_trial_period", .text(oneOf: ["true", "false"])),
                        ("is_in_intro_offer_period", .text(oneOf: ["true", "false"])),
                        ("is_upgraded", ["const": "true"]), ("cancellation_reason", .text(oneOf: ["0", "1"])),
                        ("in_app_ownership_type", .text(oneOf: ["PURCHASED", "FAMILY_SHARED"])),
                    ]),
            "required": ["quantity", "product_id", "transaction_id", "original_transaction_id", "is_trial_period"],
        ])

    fileprivate static let receiptRenewal: Schema = .component(
        "ReceiptRenewal",
        [
            "type": "object", "description": "The next renewal of a subscription, in Apple's words.",
            "properties": Schema.members(
                texts([
                    "product_id", "auto_renew_product_id", "original_transaction_id", "subscription_group_identifier",
                    "promotional_offer_id", "offer_code_ref_name",
                ]) + instants("grace_period_expires")
                    + [
                        "auto_renew_status", "is_in_billing_retry_period", "price_consent_status",
                        "price_increase_status",
                    ].map { ($0, .text(oneOf: ["0", "1"])) }
                    + [("expiration_intent", .text(oneOf: ["1", "2", "3", "4", "5"]))]),
            "required": [
                "product_id", "auto_renew_product_id", "original_transaction_id", "auto_renew_status",
            ],
        ])

    private static let text: Schema = ["type": "string"]

    private static func texts(_ names: [String]) -> [(String, Schema)] { names.map { ($0, text) } }

    /// An instant as Apple writes it: as text, in milliseconds, and in Pacific time.
    private static func instants(_ names: String...) -> [(String, Schema)] {
        texts(names.flatMap { ["\($0)_date", "\($0)_date_ms", "\($0)_date_pst"] })
    }
}

extension SchemaTable {
    /// Declares the responses with receipts.
    mutating func declareReceipts() {
        declare(
            VerifyReceiptResponse.self,
            .whole([
                "type": "object",
                "properties": [
                    "status": [
                        "type": "integer", "enum": [0, 21002, 21003, 21004, 21005, 21007, 21008, 21009, 21010],
                        "description":
                            """
                        0: the receipt is valid, and the other members are present. 21002 no receipt, 21003 not signed \
                        here, 21004 wrong password, 21005 try later, 21007 a sandbox receipt at the production \
                        endpoint, 21008 the reverse, 21009 a fault of Storebus, 21010 an unknown customer.
                        """,
                    ],
                    "environment": .text(oneOf: ["Sandbox", "Production"]), "receipt": .receiptFields,
                    "latest_receipt": Schema.base64.merging([
                        "description": "The receipt as of now; this and the two below only with subscriptions."
                    ]),
                    "latest_receipt_info": Schema.list(of: .receiptPurchase).merging([
                        "description": "All purchases, newest first."
                    ]),
                    "pending_renewal_info": Schema.list(of: .receiptRenewal).merging([
                        "description": "One for each subscription."
                    ]),
                ], "required": ["status"],
            ]))
        declare(ReceiptResponse.self, .part(["receiptData": .base64]))
    }
}
