/// The business clock of an app.
package enum ClockRoutes {
    package static let get = HTTPRoute(.get, "/admin/v1/apps/{bundleId}/clock", .admin)
    package static let put = HTTPRoute(.put, "/admin/v1/apps/{bundleId}/clock", .admin)
    package static let advance = HTTPRoute(
        .post, "/admin/v1/apps/{bundleId}/clock/advance", .admin, idempotencyKey: .required)
    package static let progress = HTTPRoute(.get, "/admin/v1/apps/{bundleId}/clock/advances/{id}", .admin)

    static let all: [HTTPRoute] = [get, put, advance, progress]
}
