import ArgumentParser
import StoreModels

/// `buy --outcome …`: how one purchase shall end, as settings of the account that buys.
enum WantedOutcome: Hashable, Sendable {
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
    /// The processor takes two seconds to know.
    case pending

    /// As they are written; `fail:` wants an error behind it.
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

    /// - Throws: a sentence for the parser, with what was perhaps meant.
    static func validate(_ flag: String, _ text: String?) throws {
        guard let text, WantedOutcome(text) == nil else { return }
        if text.hasPrefix("fail:") { return try SKErrorText.validate("\(flag) fail:", String(text.dropFirst(5))) }
        try Choice.check(flag, text, among: words)
    }

    /// The settings under which a purchase ends so: whatever else could decide it is set to let it pass, and the rest of
    /// what was set stays.
    /// - Parameter set: the JSON of what was set before.
    func settings(over set: JSONValue) -> JSONValue {
        var members = (set.objectValue ?? [:]).filter { $0.value != .null }
        members.merge(Self.letPass) { $1 }
        // There even when it is empty, so that no default of the app takes its place.
        members["simulatedErrors"] = .object(
            (members["simulatedErrors"]?.objectValue ?? [:]).filter { $0.key != "purchase" && $0.value != .null })
        members.merge(own) { $1 }
        return .object(members)
    }

    private static let letPass: [String: JSONValue] = [
        "canMakePayments": true, "signIn": "ok", "sheet": "approve", "askToBuy": false, "interruptPurchases": false,
        "processor": "approve",
    ]

    private var own: [String: JSONValue] {
        switch self {
        case .approve: [:]
        case .decline: ["processor": .string(ProcessorMode.decline.rawValue)]
        case .cancel: ["sheet": .string(PaymentSheetAnswer.cancel.text)]
        case .askToBuy: ["askToBuy": true]
        case .interrupted: ["interruptPurchases": true]
        case .fail(let code): ["sheet": .string(PaymentSheetAnswer.decline(code).text)]
        case .timeout: ["processor": .string(ProcessorMode.timeoutAfter.rawValue)]
        case .pending: ["processor": .string(ProcessorMode.pending.rawValue)]
        }
    }
}
