import ArgumentParser
import Cryptography
import FoundationEssentials
import StoreHTTP
import StoreModels

/// The value of `buy --outcome`, which becomes settings of the account.
enum OutcomeOption: Hashable, Sendable {
    case approve
    /// The processor declines the card.
    case decline
    /// The shopper closes the payment sheet.
    case cancel
    case askToBuy
    case interrupted
    /// The payment sheet ends with this error.
    case fail(SKErrorCode)
    /// The processor charges, and its first answer is lost.
    case timeout
    /// The processor responds after two seconds.
    case pending

    /// The accepted words. `fail:` is followed by an error.
    static let words = [
        "approve", "decline", "cancel", "ask-to-buy", "interrupted", "fail:CODE", "timeout", "pending",
    ]

    init?(_ text: String) {
        switch text {
        case "approve": self = .approve
        case "decline": self = .decline
        case "cancel": self = .cancel
        case "ask-to-buy": self = .askToBuy
        case "interrupted": self = .interrupted
        case "timeout": self = .timeout
        case "pending": self = .pending
        default:
            guard text.hasPrefix("fail:"), let code = SKErrorText.code(String(text.dropFirst(5))) else { return nil }
            self = .fail(code)
        }
    }

    /// - Throws: A sentence for the parser, with the probable intention.
    static func validate(_ flag: String, _ text: String?) throws {
        guard let text, OutcomeOption(text) == nil else { return }
        if text.hasPrefix("fail:") { return try SKErrorText.validate("\(flag) fail:", String(text.dropFirst(5))) }
        try Choice.check(flag, text, among: words)
    }

    /// Returns the settings that lead to this outcome. Other settings that could decide a purchase let it pass, and the
    /// rest stays.
    /// - Parameter set: The settings before.
    func settings(over set: AccountSettings) -> AccountSettings {
        var settings = set
        settings["canMakePayments"] = true
        settings["signIn"] = .string(TesterSettings.SignIn.ok.rawValue)
        settings["sheet"] = .string(PaymentSheetAnswer.approve.text)
        settings["askToBuy"] = false
        settings["interruptPurchases"] = false
        settings["processor"] = .string(ProcessorMode.approve.rawValue)
        // Present even when empty, so that no default of the app applies.
        let errors = set["simulatedErrors"]?.objectValue ?? [:]
        settings["simulatedErrors"] = .object(errors.filter { $0.key != "purchase" && $0.value != .null })
        switch self {
        case .approve: break
        case .decline: settings["processor"] = .string(ProcessorMode.decline.rawValue)
        case .cancel: settings["sheet"] = .string(PaymentSheetAnswer.cancel.text)
        case .askToBuy: settings["askToBuy"] = true
        case .interrupted: settings["interruptPurchases"] = true
        case .fail(let code): settings["sheet"] = .string(PaymentSheetAnswer.decline(code).text)
        case .timeout: settings["processor"] = .string(ProcessorMode.timeoutAfter.rawValue)
        case .pending: settings["processor"] = .string(ProcessorMode.pending.rawValue)
        }
        return settings
    }
}

/// Parses an `SKError` by name or number, `paymentInvalid` or `3`.
enum SKErrorText {
    static func code(_ text: String) -> SKErrorCode? {
        Int(text).flatMap(SKErrorCode.init(rawValue:)) ?? SKErrorCode(name: text)
    }

    static func validate(_ flag: String, _ text: String?) throws {
        guard let text, code(text) == nil else { return }
        let names = SKErrorCode.allCases.map(\.name)
        let near = Suggestion.suffix(for: text, among: names)
        throw ValidationError("\(flag) takes an SKError's name or number, not '\(text)'\(near)")
    }
}

/// The values of `buy --plan`, the billing plan of a subscription.
enum PlanOption {
    static let monthly = "monthly"
    static let words = [monthly, "upfront"]
}

/// The value of `buy --offer`, the offer a subscription is bought with.
enum OfferOption: Hashable, Sendable {
    /// Applied to every eligible customer. If it is requested, the regular price is rejected.
    case introductory
    /// Signed by the app's server.
    case promotional(String)
    /// Redeemed outside the app, as win-back offers are.
    case code(String)
    case winBack(String)

    /// The accepted words.
    static let words = ["intro", "promo:ID", "code:ID", "winback:ID"]

    init?(_ text: String) {
        let halves = text.split(separator: ":", maxSplits: 1).map(String.init)
        switch (halves.first, halves.count) {
        case ("intro", 1): self = .introductory
        case ("promo", 2): self = .promotional(halves[1])
        case ("code", 2): self = .code(halves[1])
        case ("winback", 2): self = .winBack(halves[1])
        default: return nil
        }
    }

    /// The offer of a purchase outside the app, or nil for a purchase in the app.
    var redeemed: RedeemedOffer? {
        switch self {
        case .introductory, .promotional: nil
        case .code(let identifier): RedeemedOffer(type: .code, identifier: identifier)
        case .winBack(let identifier): RedeemedOffer(type: .winBack, identifier: identifier)
        }
    }

    var isPromotional: Bool { if case .promotional = self { true } else { false } }

    /// The text of the option.
    var text: String {
        switch self {
        case .introductory: "intro"
        case .promotional(let identifier): "promo:\(identifier)"
        case .code(let identifier): "code:\(identifier)"
        case .winBack(let identifier): "winback:\(identifier)"
        }
    }

    /// - Throws: A sentence for the parser.
    static func validate(_ text: String?, hasKey: Bool) throws {
        guard let text else {
            if hasKey { throw ValidationError("--offer-key belongs to --offer promo:ID") }
            return
        }
        guard let offer = OfferOption(text) else {
            throw ValidationError("--offer is \(words.joined(separator: ", "))")
        }
        if case .promotional = offer {
            if !hasKey { throw ValidationError("a promotional offer is signed: --offer-key FILE") }
        } else if hasKey {
            throw ValidationError("--offer-key belongs to --offer promo:ID")
        }
    }
}

/// The private key of promotional offers, read from a file: PEM, or the output of
/// `storebus key create --kind subscriptionOffer -o json`, which has the key's identifier too.
struct OfferKey: Hashable, Sendable {
    var keyIdentifier: String
    var pem: String

    /// - Parameter identifier: Identifier of the key. A PEM file has none.
    /// - Throws: `fileNotFound`, `fileUnreadable`, `offerKeyUnusable` for a document without a key, `usage` for PEM
    ///   without an identifier.
    static func read(_ path: String, identifier: String?) throws(CLIError) -> OfferKey {
        let bytes = try FileAccess.read(path, byteCountMax: 1024 * 1024)
        let text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("{") {
            let document = try? StrictJSON.parse(bytes)
            let key = document?["data"] ?? document
            guard let pem = key?["secret"]?.stringValue, let name = identifier ?? key?["keyIdentifier"]?.stringValue
            else { throw unusable("\(path) holds no key that signs offers") }
            return OfferKey(keyIdentifier: name, pem: pem)
        }
        guard let identifier else {
            throw CLIError(
                .usage, "\(path) does not say which key it is", hints: ["add --offer-key-id", "storebus key list"])
        }
        return OfferKey(keyIdentifier: identifier, pem: text)
    }

    static func unusable(_ message: String) -> CLIError {
        CLIError(
            .offerKeyUnusable, message,
            hints: ["a new one: storebus key create --kind subscriptionOffer -o json > offer-key.json"])
    }
}

/// Signs a promotional offer as an app's server does.
///
/// The signature is ECDSA on P-256 with SHA-256, in DER, over the parts of the offer and the payment joined by U+2063
/// (Apple, "Generating a signature for promotional offers").
enum SignedOffer {
    /// - Parameters:
    ///   - username: The payment's `applicationUsername`. Nil signs the empty text.
    ///   - nonce: Used once. Tests pass their own.
    ///   - now: The wall clock. The signature is valid for a day.
    /// - Throws: `offerKeyUnusable` for a key that is not a PEM of P-256.
    static func sign(
        _ offer: String, of product: String, bundleId: String, username: String?, key: OfferKey,
        nonce: UUID = UUID(), now: Timestamp
    ) throws(CLIError) -> PaymentDiscount {
        let nonce = nonce.uuidString.lowercased()
        let text = text(
            offer, of: product, bundleId: bundleId, username: username, keyIdentifier: key.keyIdentifier,
            nonce: nonce, timestamp: now.milliseconds)
        guard let privateKey = try? P256.Signing.PrivateKey(pemRepresentation: key.pem) else {
            throw OfferKey.unusable("the key \(key.keyIdentifier) is not a P-256 private key in PEM")
        }
        return PaymentDiscount(
            identifier: offer, keyIdentifier: key.keyIdentifier, nonce: nonce,
            signature: privateKey.signature(for: text.utf8).derRepresentation.base64EncodedString(),
            timestamp: now.milliseconds)
    }

    /// The signed bytes.
    static func text(
        _ offer: String, of product: String, bundleId: String, username: String?, keyIdentifier: String,
        nonce: String, timestamp: Int64
    ) -> String {
        [bundleId, keyIdentifier, product, offer, username ?? "", nonce, "\(timestamp)"].joined(separator: "\u{2063}")
    }
}

/// Overrides an account's settings while a body runs, and restores them afterwards.
///
/// They are restored after a failure and at Ctrl-C, too. Only a killed process leaves the change behind.
struct TesterOverride: Sendable {
    let account: String
    let context: CommandContext

    /// Timeout for restoring the settings while the store is away.
    private static let restoreTimeout = Duration.seconds(10)

    /// - Parameters:
    ///   - change: Returns the new settings for those before.
    ///   - body: Cancelled at Ctrl-C.
    /// - Returns: The body's value, and a sentence when the settings could not be restored.
    /// - Throws: `interrupted` at Ctrl-C, or else the error of the body or of the change.
    func during<Value: Sendable>(
        _ change: (AccountSettings) -> AccountSettings, _ body: @escaping @Sendable () async throws(CLIError) -> Value
    ) async throws(CLIError) -> (value: Value, note: Advice?) {
        let before = try await context.api.settings(of: account)
        let changed = change(before)
        // A lost response may have been a success, so the settings are restored from the first request on.
        let (result, wasStopped) = await context.environment.untilStopped { () throws(CLIError) in
            try await context.api.putTester(account, changed)
            return try await body()
        }
        let note = await Task { await putBack(before) }.value
        if let note, case .failure = result { context.narrate("note: \(note)\n") }
        if wasStopped, case .failure(let error) = result, error.code == .serverUnreachable || error.code == .interrupted
        {
            throw CLIError(
                .interrupted, "interrupted",
                hints: [
                    note ?? "the settings of \(account) are as before",
                    "its state: storebus tx list --as \(account)",
                ])
        }
        return (try result.get(), note)
    }

    /// - Returns: The reason for a failure, or nil for success.
    private func putBack(_ before: AccountSettings) async -> Advice? {
        do throws(CLIError) {
            try await Retry.run(until: .now + Self.restoreTimeout) { () throws(CLIError) in
                if before.isEmpty {
                    try await context.api.call(AccountRoutes.reset, [.account: account])
                } else {
                    try await context.api.putTester(account, before)
                }
            }
            return nil
        } catch {
            return
                "the settings of \(account) could not be put back (\(error.message)): storebus account show \(account)"
        }
    }
}
