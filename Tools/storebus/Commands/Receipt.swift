import ArgumentParser
import FoundationEssentials
import Signing
import StoreHTTP
import StoreModels

/// `storebus receipt --as alice`
struct ReceiptCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "receipt", "Print the receipt an account's app has, base64 as apps send it to servers.",
        """
        storebus receipt --as alice
        storebus receipt --as alice | storebus verify -
        storebus receipt --as alice -o json
        """)

    @OptionGroup var account: AccountOptions
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let receipt = try await context.sessions.with(account.installation(context)) { session throws(CLIError) in
            try await context.api.call(ReceiptRoutes.get, token: session.token, timeout: .seconds(60)).receiptData
        }
        // No next command, because the output mostly goes into a pipe.
        context.print(receipt + "\n", data: ["receiptData": .string(receipt), "account": .string(account.account)])
    }
}

/// `storebus verify FILE`
struct VerifyCommand: AsyncParsableCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "verify", "Verify a receipt or a signed payload, as an app's server would.",
        """
        storebus receipt --as alice | storebus verify -
        storebus verify receipt.b64 --password s3cret
        storebus ca issue transaction 2000000000000001 --break expired | storebus verify -
        storebus verify notification.json --root root.pem --offline

        A receipt is base64, the binary receipt itself, or the output of storebus receipt -o json. - reads \
        standard input. The command asks the store's verifyReceipt. For every status but 0 it prints the meaning \
        and exits with 1. --json prints Apple's answer as it came.

        A signed payload is a JWS, or a notification or response that contains one. The command verifies it here, \
        in the steps of Apple's libraries: \(JWSVerifier.Step.listed). It names the first step that fails, with \
        its reason, and exits with 1. Root, app and environment are the store's unless --root names a file. With \
        --root the command asks only the store's OCSP responder, and with --offline nothing at all.
        """)

    @Argument("The file, or -.", "file", .file()) var receipt: String
    @Option("The app's shared secret: storebus key create --kind sharedSecret.", "secret") var password: String?
    @Flag(help: "Only the latest transaction of each subscription.") var excludeOldTransactions = false
    @Flag(help: "Print the answer as it came.") var json = false
    @Option("Of a payload: the root to trust. Default: the store's.", "file", .file()) var root: String?
    @Option("Of a payload: the environment it has to be of.", "name", .list(AppStoreEnvironment.rawValues))
    var environment: String?
    @Flag(help: "Of a payload: do not ask whether certificates are revoked.") var offline = false
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        try Choice.check("--environment", environment, among: AppStoreEnvironment.rawValues)
    }

    func run() async throws {
        let path = receipt == "-" ? "/dev/stdin" : receipt
        let bytes = try FileAccess.read(path, byteCountMax: ReceiptText.byteCountMax)
        if let jws = SignatureCheck.jws(in: bytes) { return try await verify(jws) }
        let context = try CommandContext.find(options)
        let data = try ReceiptText.receiptData(bytes, receipt)
        let response = try await context.api.verifyReceipt(
            data, password: password, excludesOldTransactions: excludeOldTransactions)
        let report = ReceiptReport(response, hasPassword: password != nil)
        if json {
            context.console.result(JSONText.line(response) + "\n")
            if report.status != .ok { throw QuietExit(status: .refused) }
            return
        }
        guard report.status == .ok else { throw report.refusal }
        context.print(report.result)
    }

    private func verify(_ jws: String) async throws {
        let context =
            root == nil
            ? try await CommandContext.find(options, app: app)
            : try CommandContext.find(options, bundleId: app.bundleId)
        let check = SignatureCheck(
            context: context, root: root, expected: .init(bundleId: app.bundleId, environment: environment),
            isOffline: offline)
        context.print(try await check.run(jws))
    }
}

/// Reads a receipt from a file.
enum ReceiptText {
    /// In bytes. It exceeds a receipt of 100 000 purchases.
    static let byteCountMax = 64 * 1024 * 1024

    /// Returns the receipt as base64.
    ///
    /// The file has base64 with or without white space, the binary receipt, or a JSON document with `receiptData`.
    ///
    /// - Parameter name: Name of the file, for the error.
    /// - Throws: `receiptUnreadable` for an empty file and for a document without a receipt.
    static func receiptData(_ bytes: [UInt8], _ name: String) throws(CLIError) -> String {
        // A sequence's tag, with which every binary receipt begins, is the digit 0 in ASCII; the byte behind it, the
        // length in more than one byte, is no text.
        if bytes.count > 1, bytes[0] == 0x30, bytes[1] >= 0x80 { return Data(bytes).base64EncodedString() }
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        if text.hasPrefix("{") {
            let document = try? StrictJSON.parse(bytes)
            guard let receipt = (document?["data"] ?? document)?["receiptData"]?.stringValue else {
                throw unreadable("\(name) has no receiptData")
            }
            return receipt
        }
        guard !text.isEmpty else { throw unreadable("\(name) is empty") }
        guard text.utf8.allSatisfy(isOfBase64) else {
            throw unreadable("\(name) is neither a receipt in base64 or binary form nor a signed payload")
        }
        return text
    }

    private static func isOfBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    private static func unreadable(_ message: String) -> CLIError {
        CLIError(.receiptUnreadable, message, hints: ["a receipt: storebus receipt --as ACCOUNT > receipt.b64"])
    }
}

/// The response of `verifyReceipt` as text:
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

    /// The command's error for a status other than 0.
    var refusal: CLIError {
        let isWithoutPassword = status.number == 21004 && !hasPassword
        let meaning = isWithoutPassword ? "the app has a shared secret, and no --password was given" : status.meaning
        return CLIError(
            .receiptRefused, "status \(status.number): \(meaning)", hints: [status.remedy],
            retryable: json["is-retryable"]?.boolValue ?? (status.number == 21005),
            details: ["status": .integer(status.number)])
    }

    var result: CommandResult {
        let members = json.with(["summary": .string(([status.meaning] + renewals).joined(separator: "; "))])
        return CommandResult(
            data: members, names: purchases.compactMap { $0["transaction_id"]?.stringValue },
            next: purchases.last?["transaction_id"]?.stringValue.map { "storebus why \($0)" }
                ?? "storebus product list"
        ) { [self] in fields.text($0) + (purchases.isEmpty ? "" : "\n" + table.text($0)) }
    }

    private var fields: FieldList {
        let receipt = json["receipt"]
        let app = ["bundle_id", "application_version"].compactMap { receipt?[$0]?.stringValue }
        var fields: FieldList = [
            "status": "\(status.number), \(status.meaning)", "environment": json["environment"]?.stringValue,
            "app": app.isEmpty ? nil : app.joined(separator: " "),
            "made": receipt.flatMap { Self.instant($0, "receipt_creation_date") }, "purchases": "\(purchases.count)",
        ]
        for renewal in renewals { fields.add("renewal", renewal) }
        return fields
    }

    /// The purchases: current ones for subscriptions, or else those in the receipt.
    private var purchases: [JSONValue] {
        let latest = json["latest_receipt_info"]?.arrayValue ?? []
        let held = json["receipt"]?["in_app"]?.arrayValue ?? []
        let known = Set(latest.compactMap { $0["transaction_id"]?.stringValue })
        return held.filter { !known.contains($0["transaction_id"]?.stringValue ?? "") } + latest
    }

    private var table: Table {
        Table(["TRANSACTION", "ORIGINAL", "PRODUCT", "BOUGHT", "EXPIRES", "REMARKS"], purchases) { one in
            [
                one["transaction_id"]?.stringValue ?? "-", one["original_transaction_id"]?.stringValue ?? "-",
                one["product_id"]?.stringValue ?? "-", Self.instant(one, "purchase_date") ?? "-",
                Self.instant(one, "expires_date") ?? "-", Self.remarks(one),
            ]
        }
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

    /// Reads the milliseconds of a date.
    private static func instant(_ object: JSONValue, _ name: String) -> String? {
        object["\(name)_ms"]?.stringValue.flatMap { Int64($0) }.map { Format.time(Timestamp(milliseconds: $0)) }
    }
}

/// The meaning of a `verifyReceipt` status.
struct ReceiptStatus: Hashable, Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }

    static let ok = ReceiptStatus(0)

    var meaning: String {
        switch number {
        case 0: "the receipt is valid"
        case 21000: "the request was not made with POST"
        case 21001: "a status that is no longer used"
        case 21002: "the receipt is missing or malformed, or the store had a temporary error"
        case 21003: "the receipt could not be authenticated: this store has not signed it, or it was changed"
        case 21004: "the password is missing, or it is not the app's shared secret"
        case 21005: "the receipt server is not available right now"
        case 21006: "the receipt is valid, but the subscription has expired"
        case 21007: "the receipt is the sandbox's, and was sent to production"
        case 21008: "the receipt is production's, and was sent to the sandbox"
        case 21009: "a fault inside the store"
        case 21010: "the account was not found, or was deleted"
        case 21100...21199: "a fault inside the store"
        default: "a status Apple does not document"
        }
    }

    /// The remedy.
    var remedy: Advice {
        switch number {
        case 21003: "fetch it anew: storebus receipt --help"
        case 21004: "give the app's secret: --password; a new one: storebus key create --kind sharedSecret"
        case 21005, 21009, 21100...21199: "try again; which service is away: storebus status"
        case 21007, 21008: "send it to the other environment's address"
        default: "fetch it anew: storebus receipt --help"
        }
    }
}

/// Verifies signatures of the App Store's server, for `storebus verify`.
struct SignatureCheck {
    let context: CommandContext
    /// The file of the trusted root. Nil for the store's own, whose app and environment count too.
    var root: String?
    /// The app and environment named by flags.
    var expected = JWSVerifier.Expectation()
    /// Whether the OCSP responder is not asked.
    var isOffline = false

    /// In bytes. No certificate is larger.
    private static let rootByteCountMax = 64 * 1024

    /// Finds a JWS in a file: alone, or as a member of a response or notification.
    /// - Returns: Nil for anything else.
    static func jws(in bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        if text.hasPrefix("{"), let document = try? StrictJSON.parse(bytes) {
            let inner = document["data"] ?? document
            return ["jws", "signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"]
                .lazy.compactMap { inner[$0]?.stringValue }.first
        }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // What begins as a header does, or has its parts: so that a cut one is explained, and not taken for a receipt.
        return parts.count == 3 || (text.hasPrefix("eyJ") && parts.count > 1) ? text : nil
    }

    /// - Throws: `signatureRefused`, which names the step that failed, and errors of files and store.
    func run(_ jws: String) async throws -> CommandResult {
        let verifier = try await verifier()
        var expected = expected
        if root == nil {
            expected.bundleId = expected.bundleId ?? context.bundleId
            if expected.environment == nil {
                expected.environment = try await context.api.call(
                    AppStoreServerRoutes.settings, [.bundleId: context.bundleId]
                ).environment.rawValue
            }
        }
        var payload = try await verify(jws, with: verifier, expected, at: nil)
        var (data, inside) = (payload["data"]?.objectValue, [String]())
        for name in SignedPayload.signed {
            guard let inner = data?[name]?.stringValue else { continue }
            data?[name] = try await verify(inner, with: verifier, expected, at: "data.\(name)")
            inside.append(name)
        }
        if let data, var members = payload.objectValue {
            members["data"] = .object(data)
            payload = .object(members)
        }
        return Self.result(payload, expected, inside: inside, isOffline: isOffline)
    }

    private func verifier() async throws -> JWSVerifier {
        let bytes =
            if let root {
                try FileAccess.read(context.path(root), byteCountMax: Self.rootByteCountMax)
            } else {
                try await context.api.bytes(ReceiptRoutes.root)
            }
        do {
            return try JWSVerifier(root: bytes)
        } catch {
            throw CLIError(
                .certificateUnreadable, "\(root ?? "the store's root") is not a certificate in PEM or DER",
                hints: ["the store's: storebus ca root --out root.pem"])
        }
    }

    private func verify(
        _ jws: String, with verifier: JWSVerifier, _ expected: JWSVerifier.Expectation, at path: String?
    ) async throws -> JSONValue {
        var ask: JWSVerifier.Ask?
        if !isOffline {
            ask = { [api = context.api] question in
                var request = api.request(AppStoreServerRoutes.certificateStatus)
                request.headers["Content-Type"] = "application/ocsp-request"
                request.body = question
                return try await api.exchange(request).body
            }
        }
        do {
            return try await verifier.verify(jws, expecting: expected, now: Date(), ask: ask)
        } catch {
            let path = path.map { "\($0): " } ?? ""
            throw CLIError(
                .signatureRefused, "\(path)\(error.step.rawValue): \(error.reason)", hints: [error.step.remedy],
                details: ["step": .string(error.step.rawValue)])
        }
    }

    private static func result(
        _ payload: JSONValue, _ expected: JWSVerifier.Expectation, inside: [String], isOffline: Bool
    ) -> CommandResult {
        var data: [String: JSONValue] = [
            "signature": "good", "revocation": isOffline ? "not asked" : "not revoked", "payload": payload,
            "inside": .array(inside.map { .string($0) }),
        ]
        data["app"] = expected.bundleId.map { .string($0) }
        data["environment"] = expected.environment.map { .string($0) }
        return CommandResult(data: .object(data)) { style in
            let fields: FieldList = [
                "signature": "good", "inside": inside.isEmpty ? nil : inside.joined(separator: ", "),
                "revocation": isOffline ? "not asked" : "not revoked", "app": expected.bundleId,
                "environment": expected.environment,
            ]
            return fields.text(style) + "\n" + JSONText.indented(payload) + "\n"
        }
    }
}

extension JWSVerifier.Step {
    /// The remedy for a failure.
    fileprivate var remedy: Advice {
        switch self {
        case .form: "it is cut, or no JWS"
        case .chain: "trust this store's root: storebus ca root --out root.cer"
        case .certificates: "data of Xcode and of --break has no chain of three"
        case .revocation: "the responder's answer: storebus ca show"
        case .app: "name the app: --bundle-id"
        case .environment: "name another: --environment"
        case .algorithm, .validity, .purpose, .signature: "a server has to refuse it"
        }
    }
}
