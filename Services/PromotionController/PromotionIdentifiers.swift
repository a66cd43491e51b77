import ServiceDatabase
import StoreModels

/// Makes identifiers that are opaque to clients and sort by age.
enum PromotionIdentifiers {
    /// Returns `i_` and 26 characters.
    static func intent(wall: Timestamp) -> String { sortable("i_", wall) }

    /// Returns `ap_` and 26 characters. PaymentQueue's prompts begin with `p_`.
    static func prompt(wall: Timestamp) -> String { sortable("ap_", wall) }

    /// Returns `ie_` and 26 characters: a position among the events of intents.
    static func event(_ position: EventPosition) -> String { position.identifier(eventPrefix) }

    static let eventPrefix = "ie_"

    private static func sortable(_ prefix: String, _ wall: Timestamp) -> String {
        var random = SystemRandomNumberGenerator()
        return SortableIdentifier.make(prefix, wall: wall, random: &random)
    }
}
