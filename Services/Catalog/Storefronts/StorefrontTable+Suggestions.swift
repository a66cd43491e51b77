import StoreModels

extension StorefrontTable {
    /// Common codes that differ from the App Store's, as for the United Kingdom.
    private static let aliases = ["UK": "GBR", "ENG": "GBR", "XKX": "XKS", "XK": "XKS", "GER": "DEU", "SUI": "CHE"]

    /// Returns the code the user probably meant. The text may be in lower case, a code of two letters, a name, or have
    /// one wrong letter.
    /// - Returns: The alpha-3 code, or nil when no code is near.
    func suggestion(for text: String) -> String? {
        let wanted = text.uppercased()
        if let exact = self[wanted] ?? Self.aliases[wanted].flatMap({ self[$0] }) {
            return exact.storefront.countryCode
        }
        let named = entries.first { $0.regionCode == wanted || $0.name.uppercased() == wanted }
        return (named ?? mistyped(wanted))?.storefront.countryCode
    }

    /// Finds the storefront of a code with one error. The same first letter is preferred, because it is seldom wrong.
    private func mistyped(_ wanted: String) -> StorefrontEntry? {
        let near = entries.filter { Self.isOneLetterOff($0.storefront.countryCode, wanted) }
        return near.first { $0.storefront.countryCode.first == wanted.first } ?? near.first
    }

    /// Whether one letter was mistyped, or two neighbours were exchanged.
    private static func isOneLetterOff(_ code: String, _ text: String) -> Bool {
        let (left, right) = (Array(code.utf8), Array(text.utf8))
        guard left.count == right.count else { return false }
        let different = left.indices.filter { left[$0] != right[$0] }
        guard let first = different.first, let last = different.last else { return true }
        return first == last
            || (different.count == 2 && last == first + 1 && left[first] == right[last] && left[last] == right[first])
    }
}
