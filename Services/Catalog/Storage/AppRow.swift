import StoreModels

/// An app as its row has it.
struct AppRow: Hashable, Sendable {
    let app: App
    /// Grows by one with each change of the settings.
    let settingsRevision: Int64
}
