import StoreModels

/// An app as stored in its row.
struct AppRow: Hashable, Sendable {
    let app: App
    /// Grows by one with each change of the settings.
    let settingsRevision: Int64
}
