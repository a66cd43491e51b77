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
    /// An app's server, with an API key. No keys exist yet, and all of these paths answer 501 to anybody.
    case server
}
