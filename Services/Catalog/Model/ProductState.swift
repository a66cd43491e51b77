/// App Store Connect's states of an in-app purchase, as in a catalogue file's `state`.
enum ProductState: String, CaseIterable, Sendable {
    case missingMetadata, readyToSubmit, waitingForReview, inReview, developerActionNeeded, pendingBinaryApproval
    case approved
    case removedFromSale, developerRemovedFromSale
    case rejected

    /// Whether it was for sale once and no longer is.
    var isRemovedFromSale: Bool { self == .removedFromSale || self == .developerRemovedFromSale }
}
