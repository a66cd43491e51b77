/// The state of the gateway and the services.
package enum MonitoringRoutes {
    package static let frontPage = HTTPRoute(.get, "/", .open)
    package static let health = HTTPRoute(.get, "/healthz", .open)
    package static let readiness = HTTPRoute(.get, "/readyz", .open)
    package static let metrics = HTTPRoute(.get, "/metrics", .open)
    package static let openAPI = HTTPRoute(.get, "/openapi.json", .open)
    package static let services = HTTPRoute(.get, "/admin/v1/services", .admin)

    static let all: [HTTPRoute] = [frontPage, health, readiness, metrics, openAPI, services]
}
