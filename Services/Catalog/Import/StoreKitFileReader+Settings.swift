import StoreModels

extension StoreKitFileReader {
    /// Reads `settings` of Xcode's StoreKit configuration editor. No setting rejects a file: unsupported ones are
    /// reported as ignored. A setting equal to StoreKit's default does not become a default of the app: Xcode always
    /// writes `"_storefront":"USA"`, which must not override a session's own storefront.
    mutating func readSettings(_ node: JSONNode) -> FileSettings {
        var settings = FileSettings()
        guard !node.isAbsent, findings.isObject(node) else { return settings }
        noteMisspeltSettings(node)
        var testers = TesterSettings()
        for (name, member) in node.members {
            let isApplied = apply(name, member, &settings, &testers)
            if isApplied { settings.applied.append(name) } else { settings.ignored.append(name) }
        }
        readErrors(node, &settings, &testers)
        if testers != TesterSettings() { settings.testerDefaults = testers }
        return settings
    }

    /// Notes probable misspellings. Other unknown settings are among the ignored ones.
    private mutating func noteMisspeltSettings(_ node: JSONNode) {
        let words = FileVocabulary.settings.words
        for (name, member) in node.members where !FileVocabulary.settings.knows(name) {
            guard let meant = Misspelling.correction(of: name, among: words) else { continue }
            findings.note("\(member.path) is unknown and has no effect; did you mean \(meant)?")
        }
    }

    /// Applies one setting.
    /// - Returns: Whether the setting took effect.
    private mutating func apply(
        _ name: String, _ node: JSONNode, _ settings: inout FileSettings, _ testers: inout TesterSettings
    ) -> Bool {
        switch name {
        case "_locale":
            settings.defaultLocale = node.value?.stringValue.flatMap(LocaleName.init)
            return settings.defaultLocale != nil
        case "_storefront": return applyStorefront(node, &testers)
        case "_askToBuyEnabled":
            if node.value?.boolValue == true { testers.askToBuy = true }
            return node.value?.boolValue != nil
        case "_billingGracePeriodEnabled":
            settings.billingGracePeriod = node.value?.boolValue
            return settings.billingGracePeriod != nil
        case "_timeRate": return applyRate(node, &settings, &testers)
        case "_failTransactionsEnabled": return node.value?.boolValue != nil
        case "_failTransactionError": return node.value?.stringValue != nil || node.value?.intValue != nil
        case "_storeKitErrors": return node.value?.arrayValue != nil
        default: return false
        }
    }

    private mutating func applyStorefront(_ node: JSONNode, _ testers: inout TesterSettings) -> Bool {
        guard let code = node.value?.stringValue else { return false }
        guard storefronts[code] != nil else {
            findings.note("\(node.path) has no effect: \(storefronts.objection(to: code))")
            return false
        }
        if code != TesterSettings.standard.storefront { testers.storefront = code }
        return true
    }

    private mutating func applyRate(
        _ node: JSONNode, _ settings: inout FileSettings, _ testers: inout TesterSettings
    ) -> Bool {
        guard let number = node.value?.intValue, let rate = SubscriptionRenewalRate(xcode: number) else {
            findings.note("\(node.path) has no effect: subscriptions renew in real time.")
            return false
        }
        guard rate != .realTime else { return true }
        testers.subscriptionRenewalRate = rate
        settings.timeRate = number
        return true
    }
}

extension SubscriptionRenewalRate {
    /// Converts Xcode's numbers of `SKTestSession.TimeRate`. Those that count by days are deprecated. Apple replaces
    /// two of them by monthly rates. 1 to 3, an hour to five minutes for each day, have no replacement.
    fileprivate init?(xcode number: Int) {
        switch number {
        case 0: self = .realTime
        case 4, 11: self = .oneRenewalEveryThirtyMinutes
        case 5, 12, 1_000: self = .oneRenewalEveryFifteenMinutes
        case 6: self = .oneSecondIsOneDay
        case 10: self = .monthlyRenewalEveryHour
        case 13: self = .monthlyRenewalEveryFiveMinutes
        case 15: self = .monthlyRenewalEveryThirtySeconds
        case 1_001: self = .oneRenewalEveryFiveMinutes
        case 1_002: self = .oneRenewalEveryMinute
        case 1_003: self = .oneRenewalEveryThirtySeconds
        case 1_004: self = .oneRenewalEveryTenSeconds
        case 1_005: self = .oneRenewalEveryTwoSeconds
        default: return nil
        }
    }
}

/// The settings of a file: the testers' defaults, and each name's effect.
struct FileSettings: Hashable, Sendable {
    /// The names that took effect, in their order.
    var applied: [String] = []
    /// The names without effect, which stay in the file.
    var ignored: [String] = []
    /// `_locale`: the language of texts if the storefront's languages are missing.
    var defaultLocale: LocaleName?
    /// The testers' defaults, if the file has any.
    var testerDefaults: TesterSettings?
    /// `_timeRate`, when it makes subscriptions renew faster than in real time.
    var timeRate: Int?
    /// `_billingGracePeriodEnabled`: the app's setting, when the file names it.
    var billingGracePeriod: Bool?
}
