import StoreModels

/// Sessions of apps and of the App Store app.
package enum SessionRoutes {
    /// Open to every caller in the sandbox; in production to the app's server only.
    package static let open = HTTPEndpoint<SessionRequest, SessionResponse>(
        .post, "/v1/sessions", .open, urgency: .purchase)

    static let all: [HTTPRoute] = [
        open.route
    ]
}
