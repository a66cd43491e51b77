import StoreModels

/// What a catalogue file says about when and where a product may be sold. A `.storekit` file says nothing, and then
/// ``standard`` counts.
struct SaleConditions: Hashable, Sendable {
    var state = ProductState.approved
    var isClearedForSale = true
    /// By the wall clock; nil: at once.
    var availableFrom: Timestamp?
    var storefronts = StorefrontSelection.all
    var hostedContent: DeclaredContent?

    static let standard = SaleConditions()
}
