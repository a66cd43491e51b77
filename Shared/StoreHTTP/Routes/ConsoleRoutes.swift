import StoreModels

/// The web console's files, and the operator's session in a browser.
package enum ConsoleRoutes {
    /// The cookie that carries a session's token.
    package static let cookie = "storebus_console"
    /// The header of a session's changes, with the `csrfToken` of ``ConsoleSession``.
    package static let csrfHeader = "Storebus-CSRF"
    /// The text before a ticket in the fragment of the console's address.
    package static let ticketFragment = "#ticket="

    /// Reads a file of the console; `/` is its first page.
    package static let file = HTTPEndpoint<Empty, RawBody>(.get, "/console/{file}", .open)
    /// The same, of a file in a folder.
    package static let fileInFolder = HTTPEndpoint<Empty, RawBody>(.get, "/console/{folder}/{file}", .open)
    /// Begins a session with the admin key or a ticket; the response sets its cookie.
    package static let signIn = HTTPEndpoint<ConsoleSignIn, ConsoleSession>(.post, "/console/session", .named)
    /// Reads the CSRF token of the cookie's session.
    package static let session = HTTPEndpoint<Empty, ConsoleSession>(.get, "/console/session", .console)
    /// Removes the session's cookie.
    package static let signOut = HTTPEndpoint<Empty, NoContent>(.delete, "/console/session", .console)
    /// Makes a ticket, with which a browser begins a session without knowing the admin key.
    package static let createTicket = HTTPEndpoint<Empty, ConsoleTicket>(.post, "/console/tickets", .admin)

    static let all: [HTTPRoute] = [
        file.route, fileInFolder.route, signIn.route, session.route, signOut.route, createTicket.route,
    ]
}
