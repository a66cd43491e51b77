import StoreModels

/// The web console's files, and the operator's session in a browser.
package enum ConsoleRoutes {
    /// The cookie that carries a session's token.
    package static let cookie = "storebus_console"
    /// The header of a session's changes, with the `csrfToken` of ``ConsoleSession``.
    package static let csrfHeader = "Storebus-CSRF"
    /// The text before a ticket in the fragment of the console's address.
    package static let ticketFragment = "#ticket="

    /// Returns the fragment that signs a browser in, and shows an isolated store if one is given.
    package static func fragment(ticket: String, store: IsolatedStore?) -> String {
        let page = store.map { "&/?app=\(PercentEncoding.encode($0.bundleId))&store=\($0.store)" } ?? ""
        return ticketFragment + ticket + page
    }

    /// Reads a file of the console, with a Content-Security-Policy.
    package static let file = HTTPEndpoint<Empty, RawBody>(
        "consoleFile", .get, "/console/{file}", .open,
        needs: .memory, responses: fileResponses)
    /// Reads a file in a folder of the console, with a Content-Security-Policy.
    package static let fileInFolder = HTTPEndpoint<Empty, RawBody>(
        "consoleFileInFolder", .get, "/console/{folder}/{file}", .open,
        needs: .memory, responses: fileResponses)
    private static let fileResponses: [SuccessResponse] = [
        .ok(
            "The file.", .text(["text/html", "text/javascript", "text/css", "image/svg+xml", "text/plain"]),
            headers: [.fileTag]), .notModified("The file is the one of If-None-Match.", headers: [.fileTag]),
    ]
    /// Begins a session with the admin key or a ticket. The response sets its cookie.
    ///
    /// The cookie is HttpOnly and SameSite=Strict and lasts 12 hours. It opens the operator's paths in place of the
    /// admin key. A change needs the `csrfToken` in Storebus-CSRF. Another admin key ends all sessions.
    package static let signIn = HTTPEndpoint<ConsoleSignIn, ConsoleSession>(
        "signIn", .post, "/console/session", .named,
        tag: "operator", needs: .gateway,
        responses: [.ok("The session has begun; Set-Cookie has its cookie.", headers: [.consoleCookie])],
        errors: [.unauthenticated])
    /// Reads the CSRF token of the cookie's session.
    package static let session = HTTPEndpoint<Empty, ConsoleSession>(
        "consoleSession", .get, "/console/session", .console,
        needs: .memory)
    /// Removes the session's cookie.
    package static let signOut = HTTPEndpoint<Empty, NoContent>(
        "signOut", .delete, "/console/session", .console,
        parameters: [.csrfToken], needs: .memory, responses: [.noContent(nil, headers: [.consoleCookie])])
    /// Makes a ticket, with which a browser begins a session without knowing the admin key.
    ///
    /// The browser does so within a minute, once at each gateway. `storebus open` puts the ticket into the fragment of
    /// the console's address.
    package static let createTicket = HTTPEndpoint<Empty, ConsoleTicket>(
        "createConsoleTicket", .post, "/console/tickets", .admin,
        needs: .gateway, responses: [.created()])
}

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
