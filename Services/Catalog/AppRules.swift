import StoreModels

/// Checks for an app's identifier and settings.
enum AppRules {
    /// Checks a bundle identifier.
    ///
    /// - Throws: `requestInvalid` unless it has only letters, digits, dots and hyphens, as Apple's bundle identifiers
    ///   do.
    static func check(bundleId: String) throws(StoreError) {
        if let fault = IdentifierRule.bundle.fault(in: IsolatedApp.shown(bundleId)) { throw invalid("bundleId", fault) }
    }

    /// Checks an app's settings.
    ///
    /// - Throws: `requestInvalid` that names the member.
    static func check(_ settings: AppSettings) throws(StoreError) {
        guard settings.name.unicodeScalars.count <= AppSettings.nameScalarsMax else {
            throw invalid("name", "has at most \(AppSettings.nameScalarsMax) characters")
        }
        for (member, version) in [
            ("currentVersion", settings.currentVersion),
            ("promotionsSupportedSince", settings.promotionsSupportedSince ?? "1"),
        ] where !(1...AppSettings.versionScalarsMax).contains(version.unicodeScalars.count) {
            throw invalid(member, "has 1 to \(AppSettings.versionScalarsMax) characters")
        }
        if let limit = settings.unfinishedLimit, limit < 1 {
            throw invalid("unfinishedLimit", "must be 1 or more, or null")
        }
        if let price = settings.appPrice, price.minorUnits < 0 { throw invalid("appPrice", "must not be negative") }
    }

    /// Returns the name of an app that an import creates: the file's without its extension. For an empty name or
    /// `catalog` it is the bundle identifier.
    static func name(fileName: String, bundleId: String) -> String {
        let last = fileName.split(separator: "/").last.map(String.init) ?? ""
        let stem = last.lastIndex(of: ".").map { String(last[..<$0]) } ?? last
        return name(stem.isEmpty || stem == "catalog" ? bundleId : stem)
    }

    /// Returns the beginning of a text that an app's name may have.
    static func name(_ text: String) -> String { String(text.unicodeScalars.prefix(AppSettings.nameScalarsMax)) }

    private static func invalid(_ member: String, _ reason: String) -> StoreError {
        let path = "$.\(member)"
        return StoreError(.requestInvalid, "\(path): \(reason)", details: ["path": .string(path)])
    }
}
