import StoreModels

/// The business clock of an app.
package enum ClockRoutes {
    package static let get = HTTPEndpoint<Empty, AppClockState>(
        .get, "/admin/v1/apps/{bundleId}/clock", .admin)
    package static let put = HTTPEndpoint<ClockSetting, AppClockState>(
        .put, "/admin/v1/apps/{bundleId}/clock", .admin)
    package static let advance = HTTPEndpoint<ClockMove, ClockAdvanceAnswer>(
        .post, "/admin/v1/apps/{bundleId}/clock/advance", .admin, idempotencyKey: .required)
    package static let progress = HTTPEndpoint<Empty, ClockAdvanceAnswer>(
        .get, "/admin/v1/apps/{bundleId}/clock/advances/{id}", .admin)

    static let all: [HTTPRoute] = [
        get.route, put.route, advance.route, progress.route,
    ]
}
