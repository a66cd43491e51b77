/// An app's version in Catalog: `{"catalogVersion":7,"settingsRevision":2}`. Data read at the same version is current,
/// except that products become available by date.
public struct AppVersion: Hashable, Sendable, Codable {
    /// Grows with each import and each change of content or promotions. 0 before the first import.
    public var catalogVersion: Int64
    /// Grows with each change of the app's settings. 0 for an app that does not exist.
    public var settingsRevision: Int64
}

/// The event that an app has another version: `sb.evt.catalog.v1.app.changed`. Published before the operator's request
/// is answered.
public struct AppChanged: Hashable, Sendable, Codable {
    /// The app whose version or settings revision has grown.
    public var bundleId: String
}

/// Catalog's events. They are hints to services that cache Catalog's answers.
public enum CatalogEvents {
    /// The subject of ``AppChanged``.
    public static let appChanged = "sb.evt.catalog.v1.app.changed"
}
