/// Content that the store hosts for a product, as a catalogue file declares it: `{"version":"1.0","lengths":[1048576]}`
struct DeclaredContent: Hashable, Sendable {
    /// Integers separated by points, as `SKDownload.contentVersion`.
    let version: String
    /// Length in bytes; a product has one package.
    let length: Int64
}
