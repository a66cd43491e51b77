import StoreModels

/// The conditions of a product's sale, from a catalogue file. A `.storekit` file without these members gives
/// ``standard``.
struct SaleConditions: Hashable, Sendable {
    var state = ProductState.approved
    var isClearedForSale = true
    /// The start of sale in wall time, if restricted.
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
