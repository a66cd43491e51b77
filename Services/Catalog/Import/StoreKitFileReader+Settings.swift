import StoreModels

extension StoreKitFileReader {
    /// What Xcode's StoreKit configuration editor keeps in `settings`. Nothing in it refuses a file: what cannot be
    /// acted on is reported as ignored.
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
            testers.askToBuy = place.value?.boolValue
            return testers.askToBuy != nil
        case "_billingGracePeriodEnabled":
            settings.billingGracePeriod = place.value?.boolValue
            return settings.billingGracePeriod != nil
        case "_timeRate": return applyTimeRate(place, &testers)
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
        testers.storefront = code
        return true
    }

    /// Xcode numbers its rates; only 0, real time, is one the store's clock can run at.
    private mutating func applyTimeRate(_ place: JSONPlace, _ testers: inout TesterSettings) -> Bool {
        guard place.value?.intValue == 0 else {
            findings.note("\(place.path) has no effect: time runs as on the wall clock in this version.")
            return false
        }
        testers.subscriptionRenewalRate = .realTime
        return true
    }
}
