import StoreModels

/// The request of `POST /console/session`, with the admin key or a ticket. It is never logged.
///
/// ```json
/// {"key":"the-admin-key"}
/// ```
///
/// ```json
/// {"ticket":"AgAAAZ4x"}
/// ```
package struct ConsoleSignIn: Hashable, Sendable, Codable {
    /// The admin key.
    package var key: String?
    /// From `POST /console/tickets`.
    package var ticket: String?
}

/// A session of the console. Its token is in the cookie only.
package struct ConsoleSession: Hashable, Sendable, Codable {
    /// The value of `Storebus-CSRF` for this session's changes.
    package var csrfToken: String
}

/// The response of `POST /console/tickets`.
package struct ConsoleTicket: Hashable, Sendable, Codable {
    /// Begins one session. Never logged.
    package var ticket: String
    /// The wall time from which it is refused, a minute from now.
    package var expiresAt: Timestamp
}
