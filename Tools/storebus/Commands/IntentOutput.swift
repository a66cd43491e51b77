import StoreModels

/// Intents as `storebus intent list` and `intent show` show them.
enum IntentTable {
    static func result(_ intents: [StorePurchaseIntent], after: String?) -> CommandResult {
        let warned = intents.filter { $0.warning != nil }.prefix(5)
        let hint = (intents.first { !$0.state.isFinal } ?? intents.first).map(next)
        return CommandResult(
            intents, ["INTENT", "ACCOUNT", "DEVICE", "PRODUCT", .state("STATE"), "FROM", "EXPIRES", "REMARKS"],
            named: \.intentIdentifier, json: json, next: hint ?? "storebus promo list", after: after,
            notes: warned.compactMap { intent in intent.warning.map { "\(intent.intentIdentifier): \($0)" } },
            ifEmpty: "no intents"
        ) { intent in
            [
                intent.intentIdentifier, intent.account ?? "-", intent.deviceId ?? "-",
                intent.payment.productIdentifier, intent.state.rawValue, intent.source.rawValue,
                intent.state.isFinal ? "-" : Format.time(intent.expiresAt), remarks(intent),
            ]
        }
    }

    /// One intent, a fact a line.
    static func result(_ intent: StorePurchaseIntent) -> CommandResult {
        let fields: FieldList = [
            "intent": intent.intentIdentifier, "account": intent.account, "app": intent.bundleId,
            "device": intent.deviceId, "product": intent.payment.productIdentifier,
            "title": intent.product.localizedTitle, "win-back": intent.offer, "quantity": "\(intent.payment.quantity)",
            "from": intent.source.rawValue, "state": intent.state.rawValue, "standing": status(intent),
            "answer by": intent.answerBy.map(Format.time), "expires": Format.time(intent.expiresAt),
            "feedback": intent.feedback, "transaction": intent.transactionId, "warning": intent.warning,
        ]
        return CommandResult(fields, data: json(intent), names: [intent.intentIdentifier], next: next(intent))
            .about(intent.bundleId)
    }

    /// The intent's members with its remarks and explanations.
    static func json(_ intent: StorePurchaseIntent) -> JSONValue {
        JSONText.value(intent).with(["summary": .string("\(status(intent)); \(remarks(intent))")])
    }

    static func remarks(_ intent: StorePurchaseIntent) -> String {
        var remarks: [String] = []
        if intent.state == .pending, let answerBy = intent.answerBy {
            remarks.append("answer by \(Format.time(answerBy))")
        }
        if intent.state == .deferred, intent.deferredBy == .timeout { remarks.append("no answer in time") }
        if let feedback = intent.feedback { remarks.append("feedback: \(feedback)") }
        if let transaction = intent.transactionId { remarks.append("became \(transaction)") }
        return remarks.joined(separator: ", ")
    }

    private static func status(_ intent: StorePurchaseIntent) -> String {
        switch intent.state {
        case .pending:
            intent.answerBy == nil ? "waits until the app runs" : "the app has it and has not answered yet"
        case .deferred:
            intent.deferredBy == .timeout
                ? "the app has not answered; it may still add the saved payment"
                : "the app has saved the payment and may add it later"
        case .continued: "the payment was added"
        case .cancelled: "the app does not sell it now"
        case .expired: "it expired unanswered"
        }
    }

    /// The next command after it.
    static func next(_ intent: StorePurchaseIntent) -> Advice {
        let id = intent.intentIdentifier
        let account = intent.account ?? "alice"
        let device: ShellCommand = intent.deviceId.map { $0 == "\(account)-1" ? "" : "--device \($0)" } ?? ""
        return switch intent.state {
        case .pending: "storebus intent continue \(id)"
        case .deferred:
            "storebus buy \(intent.payment.productIdentifier) --as \(account)\(device) --intent \(id)"
        case .continued:
            intent.transactionId.map { "storebus tx show \($0)" } ?? "storebus tx list --as \(account)"
        case .cancelled, .expired: "storebus intent list --as \(account)"
        }
    }
}

/// The result of a decision about an intent:
///
/// ```
/// continued  i_01j…  com.example.hiddenBeaches  alice on alice-1
/// purchased  2000000000000001
/// ```
struct IntentOutcome: Hashable, Sendable {
    let intent: StorePurchaseIntent
    /// The transaction of a continued intent. Nil before it exists.
    let transaction: PaymentTransaction?

    /// The exit status. For a continued intent, that of its purchase.
    var status: CLIExit {
        guard intent.state == .continued else { return .success }
        return transaction?.transactionState.exit ?? .temporary
    }

    var result: CommandResult {
        let members = IntentTable.json(intent).with(["transaction": transaction.map { JSONText.value($0) } ?? .null])
        return CommandResult(
            data: members, names: transaction.map { [Format.name($0)] } ?? [intent.intentIdentifier],
            next: next, notes: notes
        ) { text($0) }
        .about(intent.bundleId)
    }

    private func text(_ style: Style) -> String {
        let state = intent.state.rawValue
        let whose = [intent.account, intent.deviceId].compactMap { $0 }.joined(separator: " on ")
        let remarks = transaction == nil ? IntentTable.remarks(intent) : ""
        let words = [intent.intentIdentifier, intent.payment.productIdentifier, whose, remarks].filter { !$0.isEmpty }
        let first = style.paint(state, .of(state: state)) + "  " + words.map(Table.onOneLine).joined(separator: "  ")
        guard let transaction else { return "\(first)\n" }
        let outcome = transaction.transactionState.rawValue
        let name = [Format.name(transaction), Format.remarks(transaction)].filter { !$0.isEmpty }
        return "\(first)\n" + style.paint(outcome, .of(state: outcome)) + "  "
            + name.map(Table.onOneLine).joined(separator: "  ") + "\n"
    }

    private var notes: [Advice] {
        if intent.state == .cancelled, intent.feedback == nil {
            return ["the user got no feedback, which looks like a fault: --feedback TEXT"]
        }
        return []
    }

    private var next: Advice {
        guard let transaction else { return IntentTable.next(intent) }
        return Format.next(transaction, as: intent.account ?? "alice")
    }
}

/// The result of a purchase that began in the store:
///
/// ```
/// openApp  i_01j…  com.example.hiddenBeaches  alice on alice-1: the app opens and is given the purchase
/// ```
struct IntentStart: Hashable, Sendable {
    let reply: StartPurchaseReply
    let product: String
    let installation: Installation

    var result: CommandResult {
        let members = JSONText.value(reply).with([
            "productIdentifier": .string(product),
            "account": .string(installation.account),
            "deviceId": .string(installation.deviceId),
            "bundleId": .string(installation.bundleId),
            "because": .string(sentence),
        ])
        let words = [reply.intentIdentifier ?? "", product, "\(installation.account) on \(installation.deviceId)"]
            .filter { !$0.isEmpty }.map(Table.onOneLine).joined(separator: "  ")
        return CommandResult(
            "\(reply.outcome.rawValue)  \(words)\n  \(sentence)\n", data: members,
            names: reply.intentIdentifier.map { [$0] } ?? [], next: next)
    }

    private var sentence: String {
        switch reply.outcome {
        case .openApp: "the app opens and is given the purchase"
        case .downloading: "the app is downloaded, and given the purchase at its first launch"
        case .promptBuyApp: "the app has to be bought first; the purchase waits for its first launch"
        case .promptUpgrade:
            "the installed version does not handle promoted purchases; the purchase waits for an upgrade"
        }
    }

    private var next: Advice {
        let device = installation.deviceId
        let option = AppOptions.flag(installation.bundleId)
        return switch reply.outcome {
        case .openApp: "storebus intent continue \(reply.intentIdentifier ?? "INTENT")"
        case .downloading: "storebus device resume \(device) --as \(installation.account)\(option)"
        case .promptBuyApp: "storebus prompt list --as \(installation.account)"
        case .promptUpgrade: "storebus device install \(device) --promoted-purchases delegate\(option)"
        }
    }
}
