/// Who may call a route. There is no default: a route cannot be written without saying it (S4).
enum Access: String, Sendable {
    /// Anybody.
    case open
    /// A customer's app, with a session of its own.
    case app
    /// The app, or the App Store app on the device (`client: "store"`).
    case appOrStore
    /// The operator, with the admin key.
    case admin
    /// An app's server, with the app's API key.
    case server
    /// A customer's app, or its server.
    case appOrServer
    /// Whoever the request itself names, in Apple's way: a shared secret in the body, a token signed by the app's
    /// server. What of these paths is not built yet answers 501 to anybody.
    case named
}
