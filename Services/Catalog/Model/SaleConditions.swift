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

/// App Store Connect's states of an in-app purchase, as in a catalogue file's `state`.
enum ProductState: String, CaseIterable, Sendable {
    case missingMetadata, readyToSubmit, waitingForReview, inReview, developerActionNeeded, pendingBinaryApproval
    case approved
    case removedFromSale, developerRemovedFromSale
    case rejected

    /// Whether it was for sale once and no longer is.
    var isRemovedFromSale: Bool { self == .removedFromSale || self == .developerRemovedFromSale }
}
