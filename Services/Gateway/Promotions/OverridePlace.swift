import StoreModels

/// The installation whose overrides a request concerns, and the storefront that prices its response.
struct OverridePlace: Sendable {
    var installation: InstallationReference
    /// Alpha-3 country code.
    var storefront: String

    var bundleId: String { installation.bundleId }
}
