import StoreModels

/// The state of the gateway and the services.
package enum MonitoringRoutes {
    /// The console for browsers; for others a text that names the API's entrances.
    package static let frontPage = HTTPEndpoint<Empty, RawBody>(.get, "/", .open)
    /// Whether the process runs; it asks no service.
    package static let liveness = HTTPEndpoint<Empty, LivenessResponse>(.get, "/healthz", .open, urgency: .unlimited)
    /// Whether purchases are accepted now, and which services they wait for.
    package static let readiness = HTTPEndpoint<Empty, ReadinessResponse>(.get, "/readyz", .open, urgency: .unlimited)
    /// Metrics in Prometheus' text format.
    package static let metrics = HTTPEndpoint<Empty, RawBody>(.get, "/metrics", .open, urgency: .unlimited)
    /// The document that describes this API.
    package static let openAPI = HTTPEndpoint<Empty, RawBody>(.get, "/openapi.json", .open)
    /// Lists the service instances on the bus with their endpoints.
    package static let services = HTTPEndpoint<Empty, ServicesResponse>(.get, "/admin/v1/services", .admin)
    /// Ends one instance gracefully; its supervisor starts it again.
    package static let drain = HTTPEndpoint<Empty, DrainResponse>(
        .post, "/admin/v1/services/{id}/drain", .admin, isBodyOptional: true)

    /// Lists what a program needs to verify the store's data and to call its API, as environment variables.
    package static let environment = HTTPEndpoint<Empty, StoreEnvironment>(
        .get, "/admin/v1/env", .admin, query: ["bundleId", "format"])
    /// The same as lines of a shell or of a file; `format` decides.
    package static let environmentLines = HTTPEndpoint<Empty, RawBody>(environment.route)

    static let all: [HTTPRoute] = [
        frontPage.route, liveness.route, readiness.route, metrics.route, openAPI.route, services.route, drain.route,
        environment.route,
    ]
}
