import StoreModels

/// Why a purchase failed: what StoreKit told the app, and which setting made it so.
struct FailureExplanation: Sendable {
    let error: TransactionError
    let account: String
    /// As the account is set now; nil when that cannot be asked.
    let tester: TesterAnswer?
    let app: App?

    /// One sentence without a full stop: `"The shopper cancelled the payment" because alice's setting sheet is cancel …`
    var because: String {
        var told = error.localizedDescription
        if told.hasSuffix(".") { told.removeLast() }
        return "\(told); \(cause)"
    }

    private var cause: String {
        guard let setting = error.setting else { return "no setting did that" }
        if setting == "unfinishedLimit" { return "the app's unfinishedLimit: storebus app set --unfinished-limit none" }
        let member = String(setting.prefix { $0 != "." })
        if let value = value(setting, tester?.overrides) {
            return "\(account)'s setting \(setting) is \(value): storebus account set \(account) --unset \(member)"
        }
        if let value = value(setting, app?.testerDefaults) {
            return "the catalogue's settings make \(setting) \(value) for every account"
        }
        return setting == "processor"
            ? "the payment processor's mode (PROCESSOR_MODE), or \(account)'s setting processor as it was then"
            : "\(account)'s setting \(setting), which has been changed since"
    }

    /// What a setting is, when it is there: `simulatedErrors.purchase` is a member of a member.
    private func value(_ setting: String, _ settings: TesterSettings?) -> String? {
        guard let settings else { return nil }
        let found = setting.split(separator: ".").reduce(Optional(JSONText.value(settings))) { $0?[String($1)] }
        return found.flatMap { $0 == .null ? nil : $0.stringValue ?? JSONText.line($0) }
    }
}
