import StoreModels

/// Whose overrides a request is about, and where products are priced for its answer.
struct OverridePlace: Sendable {
    var installation: InstallationReference
    /// Alpha-3.
    var storefront: String

    var bundleId: String { installation.bundleId }
}
