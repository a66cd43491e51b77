import StoreModels

/// Reads a StoreKit configuration file (`.storekit`). It supports Xcode's versions 1 to 6, and the same members of
/// newer ones.
///
/// All problems are collected for one error. Unknown members are noted and never rejected: the file is stored and
/// exported unchanged. Members that Xcode may omit (`identifier`, `nonRenewingSubscriptions`, `settings`,
/// localizations) are optional.
struct StoreKitFileReader {
    /// Maximum number of products in an app, as in App Store Connect.
    static let productsMax = 10_000
    static let identifierCharactersMax = IdentifierRule.catalogued.lengthMax
    /// Maximum length of a text. It is far above App Store Connect's limits and only bounds replies on the bus.
    static let textCharactersMax = 4_000

    var findings = ImportFindings()
    var products: [CatalogProduct] = []
    /// The members without effect, noted at the end, each kind of node once.
    var unread = UnreadMembers()
    let storefronts = StorefrontTable.builtIn
    /// The parsed locales: a file has few of them, each many times.
    private var locales: [String: LocaleName] = [:]
    /// The path of the first occurrence of each product identifier, by its exact bytes.
    private var paths: [ExactText: String] = [:]

    /// The content of a valid file.
    struct Result: Sendable {
        var catalog: Catalog
        /// The format version, such as `4.0`.
        let fileVersion: String
        let settings: FileSettings
        let notes: [String]
    }

    /// Reads and validates a file.
    /// - Parameter fileName: The name used in the error.
    /// - Throws: `catalogInvalid` with every problem found.
    static func read(_ bytes: [UInt8], fileName: String) throws(StoreError) -> Result {
        var reader = StoreKitFileReader()
        let root: JSONNode
        do {
            root = JSONNode(value: try StrictJSON.parse(bytes))
        } catch {
            reader.findings.refuse(error.path, "\(error.reason) (byte \(error.offset))")
            throw reader.findings.error(fileName: fileName)
        }
        var result = try reader.read(root, fileName: fileName)
        if !root.member("subscriptionOffersKeyPair").isAbsent { result.catalog.secrets = FileSecrets.ranges(in: bytes) }
        return result
    }

    private mutating func read(_ root: JSONNode, fileName: String) throws(StoreError) -> Result {
        guard isConfiguration(root) else { throw findings.error(fileName: fileName) }
        noteUnread(root, .root)
        let version = fileVersion(root.member("version"))
        let settings = readSettings(root.member("settings"))
        readProducts(root.member("products"))
        readNonRenewing(root.member("nonRenewingSubscriptions"))
        let groups = readGroups(root.member("subscriptionGroups"))
        noteUnsoldGroups(root)
        let keys = readOfferKey(root.member("subscriptionOffersKeyPair")).map { [$0] } ?? []
        if products.count > Self.productsMax {
            findings.refuse("$", "has \(products.count) products; an app has at most \(Self.productsMax)")
        }
        guard findings.problemCount == 0 else { throw findings.error(fileName: fileName) }
        noteAssumptions()
        let catalog = Catalog(
            products: products, subscriptionGroupCount: groups, defaultLocale: settings.defaultLocale,
            testerDefaults: settings.testerDefaults, timeRate: settings.timeRate, offerKeys: keys)
        return Result(catalog: catalog, fileVersion: version, settings: settings, notes: findings.notes)
    }

    /// Checks that the file is a configuration: other JSON, such as a `package.json`, must not become an empty
    /// catalogue.
    private mutating func isConfiguration(_ root: JSONNode) -> Bool {
        guard findings.isObject(root) else { return false }
        let known = ["products", "nonRenewingSubscriptions", "subscriptionGroups"]
        guard known.contains(where: { !root.member($0).isAbsent }) else {
            findings.refuse("$", "is not a StoreKit configuration: it has none of the expected members", allowed: known)
            return false
        }
        return true
    }

    private mutating func fileVersion(_ node: JSONNode) -> String {
        guard !node.isAbsent else {
            findings.note("The file names no version; it was read as version 4.0.")
            return "4.0"
        }
        guard findings.isObject(node) else { return "" }
        noteUnread(node, .version)
        let major = findings.integer(node.member("major"), in: 1...999) ?? 0
        let minor = findings.integer(node.member("minor"), in: 0...999, orElse: 0) ?? 0
        if major > Self.majorMax {
            findings.note(
                "The file has version \(major).\(minor) of Xcode's format; it was read as far as version "
                    + "\(Self.majorMax) goes, the newest this Storebus knows.")
        }
        return "\(major).\(minor)"
    }

    /// The newest version of Xcode's format in the files examined.
    private static let majorMax = 6

    private mutating func noteAssumptions() {
        if products.isEmpty {
            findings.note("The file has no products, so nothing can be bought; add one in Xcode and import it again.")
        }
        notePrices()
        for note in unread.notes { findings.note(note) }
    }

    /// Notes which price applies in storefronts without a separate one, if there are any.
    private mutating func notePrices() {
        let shared = products.map(\.prices).filter { $0.own.count < storefronts.entries.count }
        guard !shared.isEmpty else { return }
        let withOwn = products.count { !$0.prices.own.isEmpty }
        findings.note(
            withOwn == 0
                ? "Each product has one price: every storefront uses the same number in its own currency."
                : "\(withOwn) of \(products.count) products have prices for some storefronts; "
                    + "every other storefront uses the product's displayPrice, the same number in its own currency.")
        let rounded = shared.count { $0.base.fractionDigits > 0 }
        if rounded > 0 {
            findings.note(
                "Currencies without cents round \(rounded) of the prices half-up, never to zero (1.99 is ¥2).")
        }
    }

    /// Parses a locale. Nil when `text` is not one.
    mutating func locale(_ text: String) -> LocaleName? {
        if let known = locales[text] { return known }
        let locale = LocaleName(text)
        locales[text] = locale
        return locale
    }

    /// Records the path of a product identifier. A duplicate is a problem that names both paths.
    mutating func claim(_ node: JSONNode) -> String? {
        guard let identifier = findings.identifier(node) else { return nil }
        if let first = paths[ExactText(identifier)] {
            findings.refuse(node.path, "is '\(identifier)', which is already used at \(first)")
            return nil
        }
        paths[ExactText(identifier)] = node.path
        return identifier
    }
}

/// The limits of imports.
enum ImportLimits {
    /// Maximum number of bytes of one file.
    static let fileBytesMax = 128 * 1024 * 1024
    /// Maximum number of bytes of all open imports, as announced. One of the largest fits, or many ordinary ones.
    static let openBytesMax = fileBytesMax
    /// Maximum number of open imports.
    static let openMax = 16
    /// Maximum number of finished imports whose reply is kept for a repeated commit.
    static let finishedMax = 1_000
    /// Maximum number of parts. A file in parts of 16 KiB still fits.
    static let partsMax = 8_192
    /// The time after which an uncommitted import is deleted.
    static let lifetime: Duration = .seconds(3_600)

    /// Returns the time before which begun imports are deleted.
    static func expiry(_ now: Timestamp) -> Timestamp { now + (.zero - lifetime) }

    /// Returns the time after which they are deleted as well. They were begun before the clock was set back.
    static func latest(_ now: Timestamp) -> Timestamp { now + lifetime }

    static let unknownImport = StoreError(
        .notFound, "no such import; it was finished or abandoned more than an hour ago. Begin it again")
}
