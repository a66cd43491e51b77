import StoreModels

/// Intents as `storebus intent list` and `intent show` show them.
enum IntentTable {
    static func table(_ intents: [PurchaseIntent]) -> Table {
        var table = Table([
            .init("INTENT"), .init("ACCOUNT"), .init("DEVICE"), .init("PRODUCT"), .init("STATE", isState: true),
            .init("FROM"), .init("EXPIRES"), .init("REMARKS"),
        ])
        for intent in intents {
            table.add([
                intent.intentIdentifier, intent.account ?? "-", intent.deviceId ?? "-",
                intent.payment.productIdentifier, intent.state.rawValue, intent.source.rawValue,
                intent.state.isFinal ? "-" : Words.time(intent.expiresAt), remarks(intent),
            ])
        }
        return table
    }

    static func answer(_ intents: [PurchaseIntent], after: String?) -> Answer {
        let warned = intents.filter { $0.warning != nil }.prefix(5)
        return Answer(
            table(intents), items: intents.map(json), names: intents.map(\.intentIdentifier),
            next: (intents.first { !$0.state.isFinal } ?? intents.first).map(next)
                ?? "storebus intent PRODUCT --as alice",
            after: after,
            notes: warned.compactMap { intent in intent.warning.map { "\(intent.intentIdentifier): \($0)" } },
            ifEmpty: "no intents")
    }

    /// One of them, a fact a line.
    static func answer(_ intent: PurchaseIntent) -> Answer {
        var facts = Facts()
        facts.add("intent", intent.intentIdentifier)
        facts.add("account", intent.account)
        facts.add("app", intent.bundleId)
        facts.add("device", intent.deviceId)
        facts.add("product", intent.payment.productIdentifier)
        facts.add("title", intent.product.localizedTitle)
        facts.add("quantity", "\(intent.payment.quantity)")
        facts.add("from", intent.source.rawValue)
        facts.add("state", intent.state.rawValue, isState: true)
        facts.add("standing", standing(intent))
        facts.add("answer by", intent.answerBy.map(Words.time))
        facts.add("expires", Words.time(intent.expiresAt))
        facts.add("feedback", intent.feedback)
        facts.add("transaction", intent.transactionId)
        facts.add("warning", intent.warning)
        let shown = facts
        return Answer(data: json(intent), names: [intent.intentIdentifier], next: next(intent)) { shown.text($0) }
            .about(intent.bundleId)
    }

    /// The intent's own members, and what its remarks and sentences say.
    static func json(_ intent: PurchaseIntent) -> JSONValue {
        var members = JSONText.value(intent).objectValue ?? [:]
        members["summary"] = .string("\(standing(intent)); \(remarks(intent))")
        return .object(members)
    }

    static func remarks(_ intent: PurchaseIntent) -> String {
        var remarks: [String] = []
        if intent.state == .pending, let answerBy = intent.answerBy {
            remarks.append("answer by \(Words.time(answerBy))")
        }
        if intent.state == .deferred, intent.deferredBy == .timeout { remarks.append("no answer in time") }
        if let feedback = intent.feedback { remarks.append("the user was told: \(feedback)") }
        if let transaction = intent.transactionId { remarks.append("became \(transaction)") }
        return remarks.joined(separator: ", ")
    }

    private static func standing(_ intent: PurchaseIntent) -> String {
        switch intent.state {
        case .pending:
            intent.answerBy == nil ? "waits until the app runs" : "the app has it and has not answered yet"
        case .deferred:
            intent.deferredBy == .timeout
                ? "the app has not answered; it may still add the saved payment"
                : "the app has saved the payment and may add it later"
        case .continued: "the payment was added"
        case .cancelled: "the app does not sell it now"
        case .expired: "nobody wanted it any more"
        }
    }

    /// What is useful after having seen it.
    static func next(_ intent: PurchaseIntent) -> String {
        let id = intent.intentIdentifier
        let account = intent.account ?? "alice"
        return switch intent.state {
        case .pending: "storebus intent continue \(id)"
        case .deferred:
            "storebus buy \(intent.payment.productIdentifier) --as \(account)"
                + (intent.deviceId.map { $0 == "\(account)-1" ? "" : " --device \($0)" } ?? "") + " --intent \(id)"
        case .continued:
            intent.transactionId.map { "storebus tx show \($0)" } ?? "storebus tx list --as \(account)"
        case .cancelled, .expired: "storebus intent list --as \(account)"
        }
    }
}
