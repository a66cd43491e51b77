/// The state of the gateway and the services.
package enum MonitoringRoutes {
    /// A page for people that names the API's entrances.
    package static let frontPage = HTTPRoute(.get, "/", .open)
    /// Whether the process runs; it asks no service.
    package static let health = HTTPRoute(.get, "/healthz", .open)
    /// Whether purchases are accepted now, and which services they wait for.
    package static let readiness = HTTPRoute(.get, "/readyz", .open)
    /// Metrics in Prometheus' text format.
    package static let metrics = HTTPRoute(.get, "/metrics", .open)
    /// The document that describes this API.
    package static let openAPI = HTTPRoute(.get, "/openapi.json", .open)
    /// Lists the service instances on the bus with their endpoints.
    package static let services = HTTPRoute(.get, "/admin/v1/services", .admin)

    static let all: [HTTPRoute] = [frontPage, health, readiness, metrics, openAPI, services]
}
