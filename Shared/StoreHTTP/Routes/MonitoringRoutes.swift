import StoreModels

/// The state of the gateway and the services.
package enum MonitoringRoutes {
    /// Reads the console's first page. A client that does not accept HTML gets a text that names the API's entrances.
    package static let frontPage = HTTPEndpoint<Empty, RawBody>(
        "frontPage", .get, "/", .open,
        needs: .memory,
        responses: [
            .ok(
                "The console's first page where Accept has text/html, else a short text.",
                .text(["text/plain", "text/html"])), .notModified("The page is the one of If-None-Match."),
        ])
    /// Checks that the process runs, without asking a service.
    package static let liveness = HTTPEndpoint<Empty, LivenessResponse>(
        "health", .get, "/healthz", .open,
        urgency: .unlimited, needs: .memory, responses: [.ok("The process runs.")])
    /// Checks whether the store takes purchases now, and which services they wait for.
    package static let readiness = HTTPEndpoint<Empty, ReadinessResponse>(
        "readiness", .get, "/readyz", .open,
        urgency: .unlimited, needs: .memory,
        responses: [
            .ok("The store takes purchases. `degraded` has the services they wait for; none means that they complete."),
            .notReady("The store takes no purchases; the body says which services are missing."),
        ])
    /// Reads metrics in Prometheus' text format.
    package static let metrics = HTTPEndpoint<Empty, RawBody>(
        "metrics", .get, "/metrics", .open,
        urgency: .unlimited, needs: .memory, responses: [.ok("Prometheus' text format.", .text(["text/plain"]))])
    /// Reads this document.
    package static let openAPI = HTTPEndpoint<Empty, RawBody>(
        "openapi", .get, "/openapi.json", .open,
        needs: .memory,
        responses: [
            .ok(
                "OpenAPI 3.1.",
                .json([
                    "type": "object", "properties": ["openapi": ["type": "string"], "paths": ["type": "object"]],
                    "required": ["openapi", "paths"],
                ]))
        ])
    /// Lists the service instances on the bus with their endpoints.
    package static let services = HTTPEndpoint<Empty, ServicesResponse>(
        "listServices", .get, "/admin/v1/services", .admin,
        needs: .storage)
    /// Ends one instance gracefully.
    ///
    /// It takes no more requests, finishes those it has, and ends. Its supervisor starts it again.
    package static let drain = HTTPEndpoint<Empty, DrainResponse>(
        "drainService", .post, "/admin/v1/services/{id}/drain", .admin,
        isBodyOptional: true, responses: [.accepted("The instance was asked to end.")])

    /// Lists the environment variables for programs that verify the store's data and call its API.
    ///
    /// The private key of STOREBUS_KEY_ID was shown once, with the key.
    package static let environment = HTTPEndpoint<Empty, StoreEnvironment>(
        "getEnvironment", .get, "/admin/v1/env", .admin,
        parameters: [.environmentApp, .environmentFormat], needs: .storage, responses: [.ok("The variables.")],
        errors: [.notFound])
    /// Lists the same variables as lines of a shell or a file, as `format` says.
    package static let environmentLines = HTTPEndpoint<Empty, RawBody>(
        environment, responses: [.ok("The variables.", .text(["text/plain"]))])

    static let all: [any HTTPOperation] = [
        frontPage, liveness, readiness, metrics, openAPI, services, drain,
        environment, environmentLines,
    ]
}
