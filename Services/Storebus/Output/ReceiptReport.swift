import StoreModels

/// What `verifyReceipt` answered, for people:
///
/// ```
/// status       0, the receipt is valid
/// environment  Sandbox
/// app          com.example.app 1.0
/// made         2026-11-21 10:00:09Z
///
/// TRANSACTION       ORIGINAL          PRODUCT                  BOUGHT                EXPIRES               REMARKS
/// 2000000000000001  2000000000000001  com.example.pro.monthly  2026-11-21 10:00:04Z  2026-11-28 10:00:04Z  trial
/// ```
struct ReceiptReport: Sendable {
    /// Apple's members, all values strings.
    let json: JSONValue
    /// Whether a password was sent with the receipt.
    private let hasPassword: Bool

    init(_ json: JSONValue, hasPassword: Bool = true) {
        self.json = json
        self.hasPassword = hasPassword
    }

    var status: ReceiptStatus { ReceiptStatus(json["status"]?.intValue ?? -1) }

    /// The error a status other than 0 ends the command with.
    var refusal: CLIError {
        let isWithoutPassword = status.number == 21004 && !hasPassword
        let meaning = isWithoutPassword ? "the app has a shared secret, and no --password was given" : status.meaning
        return CLIError(
            .receiptRefused, "status \(status.number): \(meaning)", hints: [status.remedy],
            retryable: json["is-retryable"]?.boolValue ?? (status.number == 21005),
            details: ["status": .integer(status.number)])
    }

    var answer: Answer {
        var members = json.objectValue ?? [:]
        members["summary"] = .string(([status.meaning] + renewals).joined(separator: "; "))
        return Answer(
            data: .object(members), names: purchases.compactMap { $0["transaction_id"]?.stringValue },
            next: "storebus eligibility --as ACCOUNT"
        ) { [self] in facts.text($0) + (purchases.isEmpty ? "" : "\n" + table.text($0)) }
    }

    private var facts: Facts {
        let receipt = json["receipt"]
        var facts = Facts()
        facts.add("status", "\(status.number), \(status.meaning)")
        facts.add("environment", json["environment"]?.stringValue)
        let app = ["bundle_id", "application_version"].compactMap { receipt?[$0]?.stringValue }
        facts.add("app", app.isEmpty ? nil : app.joined(separator: " "))
        facts.add("made", receipt.flatMap { Self.instant($0, "receipt_creation_date") })
        facts.add("purchases", "\(purchases.count)")
        for renewal in renewals { facts.add("renewal", renewal) }
        return facts
    }

    /// Everything, as far as the answer has it: what subscriptions have become since, else what the receipt holds.
    private var purchases: [JSONValue] {
        let latest = json["latest_receipt_info"]?.arrayValue ?? []
        let held = json["receipt"]?["in_app"]?.arrayValue ?? []
        let known = Set(latest.compactMap { $0["transaction_id"]?.stringValue })
        return held.filter { !known.contains($0["transaction_id"]?.stringValue ?? "") } + latest
    }

    private var table: Table {
        var table = Table([
            .init("TRANSACTION"), .init("ORIGINAL"), .init("PRODUCT"), .init("BOUGHT"), .init("EXPIRES"),
            .init("REMARKS"),
        ])
        for one in purchases {
            table.add([
                one["transaction_id"]?.stringValue ?? "-", one["original_transaction_id"]?.stringValue ?? "-",
                one["product_id"]?.stringValue ?? "-", Self.instant(one, "purchase_date") ?? "-",
                Self.instant(one, "expires_date") ?? "-", Self.remarks(one),
            ])
        }
        return table
    }

    private static func remarks(_ one: JSONValue) -> String {
        var remarks: [String] = []
        if let quantity = one["quantity"]?.stringValue, quantity != "1" { remarks.append("quantity \(quantity)") }
        if one["is_trial_period"]?.stringValue == "true" { remarks.append("trial") }
        if one["is_in_intro_offer_period"]?.stringValue == "true" { remarks.append("introductory") }
        if let offer = one["promotional_offer_id"]?.stringValue { remarks.append("offer \(offer)") }
        if let code = one["offer_code_ref_name"]?.stringValue { remarks.append("code \(code)") }
        if one["is_upgraded"]?.stringValue == "true" { remarks.append("upgraded") }
        if let date = instant(one, "cancellation_date") { remarks.append("cancelled \(date)") }
        return remarks.joined(separator: ", ")
    }

    /// `com.example.pro.monthly renews by itself`
    private var renewals: [String] {
        (json["pending_renewal_info"]?.arrayValue ?? []).map { one in
            let product = one["auto_renew_product_id"]?.stringValue ?? one["product_id"]?.stringValue ?? "-"
            let isOn = one["auto_renew_status"]?.stringValue == "1"
            let isTried = one["is_in_billing_retry_period"]?.stringValue == "1"
            let words = isTried ? "is charged again" : isOn ? "renews by itself" : "does not renew"
            return "\(product) \(words)"
        }
    }

    /// Of the milliseconds that stand beside every date.
    private static func instant(_ object: JSONValue, _ name: String) -> String? {
        object["\(name)_ms"]?.stringValue.flatMap { Int64($0) }.map { Words.time(Timestamp(milliseconds: $0)) }
    }
}
