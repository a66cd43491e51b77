import StoreModels

/// What may be said of an app.
enum AppRules {
    static let bundleIdCharactersMax = 155
    static let nameCharactersMax = 64
    static let versionCharactersMax = 32

    /// - Throws: `requestInvalid` unless it is letters, digits, dots and hyphens, as Apple's bundle identifiers are.
    static func check(bundleId: String) throws(StoreError) {
        let isSound = bundleId.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard isSound, (1...bundleIdCharactersMax).contains(bundleId.utf8.count) else {
            throw invalid(
                "bundleId",
                "must be 1 to \(bundleIdCharactersMax) letters, digits, dots and hyphens, such as com.example.app")
        }
    }

    /// - Throws: `requestInvalid` naming the member.
    static func check(_ settings: AppSettings) throws(StoreError) {
        guard settings.name.count <= nameCharactersMax else {
            throw invalid("name", "has at most \(nameCharactersMax) characters")
        }
        for (member, version) in [
            ("currentVersion", settings.currentVersion),
            ("promotionsSupportedSince", settings.promotionsSupportedSince ?? "1"),
        ] where !(1...versionCharactersMax).contains(version.count) {
            throw invalid(member, "has 1 to \(versionCharactersMax) characters")
        }
        if let limit = settings.unfinishedLimit, limit < 1 {
            throw invalid("unfinishedLimit", "must be 1 or more, or null")
        }
        if let price = settings.appPrice, price.minorUnits < 0 { throw invalid("appPrice", "must not be negative") }
    }

    /// The name of an app that is created by an import: the file's without its ending, else the bundle identifier.
    static func name(fileName: String, bundleId: String) -> String {
        let last = fileName.split(separator: "/").last.map(String.init) ?? ""
        let stem = last.lastIndex(of: ".").map { String(last[..<$0]) } ?? last
        return String((stem.isEmpty || stem == "catalog" ? bundleId : stem).prefix(nameCharactersMax))
    }

    private static func invalid(_ member: String, _ reason: String) -> StoreError {
        let path = "$.\(member)"
        return StoreError(.requestInvalid, "\(path): \(reason)", details: ["path": .string(path)])
    }
}
