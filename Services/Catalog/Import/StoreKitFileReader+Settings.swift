import StoreModels

extension StoreKitFileReader {
    /// What Xcode's StoreKit configuration editor keeps in `settings`. Nothing in it refuses a file: what cannot be
    /// acted on is reported as ignored. What says no more than StoreKit's own behaviour is in force without a default of
    /// the app: Xcode writes `"_storefront":"USA"` unasked, and that must not overrule a session that names another one.
    mutating func readSettings(_ place: JSONPlace) -> FileSettings {
        var settings = FileSettings()
        guard !place.isAbsent, findings.isObject(place) else { return settings }
        var testers = TesterSettings()
        for (name, member) in place.members {
            let isApplied = apply(name, member, &settings, &testers)
            if isApplied { settings.applied.append(name) } else { settings.ignored.append(name) }
        }
        readErrors(place, &settings, &testers)
        if testers != TesterSettings() { settings.testerDefaults = testers }
        return settings
    }

    /// - Returns: whether the setting is in force now.
    private mutating func apply(
        _ name: String, _ place: JSONPlace, _ settings: inout FileSettings, _ testers: inout TesterSettings
    ) -> Bool {
        switch name {
        case "_locale":
            settings.defaultLocale = place.value?.stringValue.flatMap(LocaleName.init)
            return settings.defaultLocale != nil
        case "_storefront": return applyStorefront(place, &testers)
        case "_askToBuyEnabled":
            if place.value?.boolValue == true { testers.askToBuy = true }
            return place.value?.boolValue != nil
        case "_billingGracePeriodEnabled":
            settings.billingGracePeriod = place.value?.boolValue
            return settings.billingGracePeriod != nil
        case "_timeRate": return isRealTime(place)
        case "_failTransactionsEnabled": return place.value?.boolValue != nil
        case "_failTransactionError": return place.value?.stringValue != nil || place.value?.intValue != nil
        case "_storeKitErrors": return place.value?.arrayValue != nil
        default: return false
        }
    }

    private mutating func applyStorefront(_ place: JSONPlace, _ testers: inout TesterSettings) -> Bool {
        guard let code = place.value?.stringValue else { return false }
        guard storefronts[code] != nil else {
            findings.note("\(place.path) has no effect: \(storefronts.objection(to: code))")
            return false
        }
        if code != TesterSettings.standard.storefront { testers.storefront = code }
        return true
    }

    /// Xcode numbers its rates; only 0, real time, is one the store's clock can run at.
    private mutating func isRealTime(_ place: JSONPlace) -> Bool {
        if place.value?.intValue == 0 { return true }
        findings.note("\(place.path) has no effect: time runs as on the wall clock in this version.")
        return false
    }
}
