/// The callers a route admits. There is no default: every route states it (S4).
enum Access: String, Sendable {
    /// Every caller, without credentials.
    case open
    /// A customer's app, with its session.
    case app
    /// The app, or the App Store app on the device (`client: "store"`).
    case appOrStore
    /// The operator, with the admin key.
    case admin
    /// An app's server, with the app's API key.
    case server
    /// A customer's app, or its server.
    case appOrServer
    /// Authenticated by the request itself, as Apple does. It has a shared secret in the body, or a token signed by the
    /// app's server. Paths of this kind that are not built yet respond 501 to every caller.
    case named
}
