import StoreModels

/// When and where a product may be sold, from a catalogue file. A `.storekit` file without these members gives
/// ``standard``.
struct SaleConditions: Hashable, Sendable {
    var state = ProductState.approved
    var isClearedForSale = true
    /// Wall time of the start of sale; nil for no restriction.
    var availableFrom: Timestamp?
    var storefronts = StorefrontSelection.all
    var hostedContent: DeclaredContent?

    static let standard = SaleConditions()
}
