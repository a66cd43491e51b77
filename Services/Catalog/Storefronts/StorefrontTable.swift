import StoreModels

/// The App Store's storefronts, compiled in from `Resources/storefronts.json`.
struct StorefrontTable: Sendable {
    /// The entries sorted by country code.
    let entries: [StorefrontEntry]
    private let positions: [ExactText: Int]

    /// The table compiled into the program. A test reads it, so an invalid table is never released.
    static let builtIn: StorefrontTable = {
        do {
            return try StorefrontTable(json: PackageResources.storefronts_json)
        } catch {
            preconditionFailure("Resources/storefronts.json: \(error)")
        }
    }()

    /// Reads a table.
    /// - Throws: `requestInvalid` that names the line's path when the table is malformed.
    init(json: [UInt8]) throws(StoreError) {
        entries = try StoreJSON.decode([StorefrontEntry].self, from: json)
        positions = Dictionary(
            exactly: entries.enumerated().map { ($0.element.storefront.countryCode, $0.offset) })
    }

    /// Returns the storefront of a country code, if it has one.
    subscript(countryCode: String) -> StorefrontEntry? { positions[countryCode].map { entries[$0] } }

    /// Returns the storefront of a country code.
    /// - Throws: `requestInvalid` for a storefront that is not in the table.
    func entry(_ countryCode: String) throws(StoreError) -> StorefrontEntry {
        guard let entry = self[countryCode] else {
            throw StoreError(
                .requestInvalid, "$.storefront: \(objection(to: countryCode))", details: ["path": "$.storefront"])
        }
        return entry
    }

    /// Returns the reason why `text` is not a storefront, with a suggestion such as "did you mean FRA?".
    func objection(to text: String) -> String {
        let hint = suggestion(for: text).map { "did you mean \($0)?" } ?? "it must be a country code such as USA"
        return "'\(text.prefix(20))' is not a storefront; \(hint)"
    }
}
