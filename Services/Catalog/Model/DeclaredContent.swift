/// Content that the store is to keep for a product, as a catalogue file declares it:
/// `{"version":"1.0","lengths":[1048576]}`
struct DeclaredContent: Hashable, Sendable {
    /// Whole numbers with points between them, as `SKDownload.contentVersion`.
    let version: String
    /// Bytes; a product has one package.
    let length: Int64
}
