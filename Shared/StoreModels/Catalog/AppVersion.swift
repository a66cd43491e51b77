/// How far an app has come in Catalog: `{"catalogVersion":7,"settingsRevision":2}`. What was read at the same version
/// is as good as read now, but for products that become available by date.
public struct AppVersion: Hashable, Sendable, Codable {
    /// Grows with each import, and with each change of content and promotions; 0 before the first.
    public var catalogVersion: Int64
    /// Grows with each change of the app's settings; 0 for an app that does not exist.
    public var settingsRevision: Int64
    public init(catalogVersion: Int64, settingsRevision: Int64) {
        self.catalogVersion = catalogVersion
        self.settingsRevision = settingsRevision
    }
}

/// An app has another version now: `sb.evt.catalog.v1.app.changed`. Published before the operator's request is
/// answered.
public struct AppChanged: Hashable, Sendable, Codable {
    public var bundleId: String
    public init(bundleId: String) { self.bundleId = bundleId }
}

/// Catalog's events, hints that services without an answer of Catalog's act on.
public enum CatalogEvents {
    /// Carries ``AppChanged``.
    public static let appChanged = "sb.evt.catalog.v1.app.changed"
}
