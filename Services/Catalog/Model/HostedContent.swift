/// Content that the store keeps for a product, as a catalogue file refers to it:
/// `{"version":"1.0","lengths":[1048576]}`
struct HostedContent: Hashable, Sendable {
    /// Whole numbers with points between them, as `SKDownload.contentVersion`.
    let version: String
    /// Bytes of each package.
    let lengths: [Int64]
}
