import StoreModels

/// The state of the gateway and the services.
package enum MonitoringRoutes {
    package static let frontPage = HTTPEndpoint<Empty, RawBody>(.get, "/", .open)
    package static let liveness = HTTPEndpoint<Empty, LivenessResponse>(.get, "/healthz", .open)
    package static let readiness = HTTPEndpoint<Empty, ReadinessResponse>(.get, "/readyz", .open)
    package static let metrics = HTTPEndpoint<Empty, RawBody>(.get, "/metrics", .open)
    package static let openAPI = HTTPEndpoint<Empty, RawBody>(.get, "/openapi.json", .open)
    package static let services = HTTPEndpoint<Empty, ServicesResponse>(.get, "/admin/v1/services", .admin)

    static let all: [HTTPRoute] = [
        frontPage.route, liveness.route, readiness.route, metrics.route, openAPI.route, services.route,
    ]
}
