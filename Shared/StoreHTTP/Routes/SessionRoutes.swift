import StoreModels

/// Sessions of apps and of the App Store app.
package enum SessionRoutes {
    /// Launches an app on a device, or opens the store there.
    ///
    /// It is open to every caller in the sandbox. With STOREBUS_ENVIRONMENT=production it takes an API key of the app:
    /// the app's server opens the session and hands the token to the app.
    package static let open = HTTPEndpoint<SessionRequest, SessionResponse>(
        "openSession", .post, "/v1/sessions", .open,
        urgency: .purchase, tag: "app",
        responses: [
            .created(
                "A token for this customer, app and device. An unknown device, account or installation is created.")
        ], errors: [.notFound, .sessionRefused])

    static let all: [any HTTPOperation] = [
        open
    ]
}
