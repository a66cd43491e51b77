import StoreModels

/// What the store did when somebody tapped Buy there:
///
/// ```
/// openApp  i_01j…  com.example.hiddenBeaches  alice on alice-1: the app opens and is given the purchase
/// ```
struct IntentStart: Hashable, Sendable {
    let reply: StartPurchaseReply
    let product: String
    let installation: Installation

    var answer: Answer {
        var members = JSONText.value(reply).objectValue ?? [:]
        members["productIdentifier"] = .string(product)
        members["account"] = .string(installation.account)
        members["deviceId"] = .string(installation.deviceId)
        members["bundleId"] = .string(installation.bundleId)
        members["because"] = .string(sentence)
        let words = [reply.intentIdentifier ?? "", product, "\(installation.account) on \(installation.deviceId)"]
            .filter { !$0.isEmpty }.map(Table.onOneLine).joined(separator: "  ")
        return Answer(
            "\(reply.outcome.rawValue)  \(words)\n  \(sentence)\n", data: .object(members),
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

    private var next: String {
        let device = installation.deviceId
        let option = Known.option(installation.bundleId)
        return switch reply.outcome {
        case .openApp: "storebus intent continue \(reply.intentIdentifier ?? "INTENT")"
        case .downloading: "storebus device resume \(device) --as \(installation.account)\(option)"
        case .promptBuyApp: "storebus prompt list --as \(installation.account)"
        case .promptUpgrade: "storebus device install \(device) --promoted-purchases delegate\(option)"
        }
    }
}
