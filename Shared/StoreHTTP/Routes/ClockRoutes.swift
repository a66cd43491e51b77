import StoreModels

/// The business clock of an app.
package enum ClockRoutes {
    /// Reads an app's clock.
    package static let get = HTTPEndpoint<Empty, AppClockState>(
        .get, "/admin/v1/apps/{bundleId}/clock", .admin)
    /// Sets an app's clock; what falls due happens soon after.
    package static let put = HTTPEndpoint<ClockSetting, AppClockState>(
        .put, "/admin/v1/apps/{bundleId}/clock", .admin)
    /// Moves an app's clock forward; the same key reports the progress.
    package static let advance = HTTPEndpoint<ClockMove, ClockAdvanceAnswer>(
        .post, "/admin/v1/apps/{bundleId}/clock/advance", .admin, idempotencyKey: .required)
    /// Reads the progress of a move.
    package static let progress = HTTPEndpoint<Empty, ClockAdvanceAnswer>(
        .get, "/admin/v1/apps/{bundleId}/clock/advances/{id}", .admin)

    static let all: [HTTPRoute] = [
        get.route, put.route, advance.route, progress.route,
    ]
}
