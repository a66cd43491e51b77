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
}

/// The response of `GET /healthz`: `{"status":"pass"}`.
package struct LivenessResponse: Hashable, Sendable, Codable {
    /// Always `pass`: any response shows that the process lives.
    package var status = "pass"

    package init() {}
}

/// The response of `GET /readyz`:
///
/// ```json
/// {"ready":true,"bus":"connected","degraded":["payment-processor"],"services":{"catalog":"answering",…}}
/// ```
package struct ReadinessResponse: Hashable, Sendable, Codable {
    /// A file of `storebus up --init`, imported at the start of the store.
    package struct ImportedFile: Hashable, Sendable, Codable {
        /// The outcome of the import, or a word of a newer store.
        package struct Status: RawRepresentable, Hashable, Sendable, Codable {
            /// The file's turn has not come, or its import goes on.
            package static let waiting = Status(rawValue: "waiting")
            /// The file is the app's catalogue in force.
            package static let imported = Status(rawValue: "imported")
            /// The store has refused the file.
            package static let refused = Status(rawValue: "refused")
            /// JSON that is no catalogue.
            package static let skipped = Status(rawValue: "skipped")

            /// The word on the wire.
            package var rawValue: String

            package init(rawValue: String) { self.rawValue = rawValue }
        }

        /// Its name in the directory.
        package var file: String
        /// The app whose catalogue it is.
        package var bundleId: String
        /// The outcome of its import.
        package var status: Status
        /// The reason and the remedy of a refused file.
        package var error: String?
    }

    /// Whether the gateway accepts purchases: 200 when true, else 503.
    package var ready: Bool
    /// The gateway's own connection: `connected` or `away`.
    package let bus: String?
    /// Unavailable services that purchases wait for: payments are accepted and stay `purchasing`.
    package let degraded: [String]?
    /// `answering`, `away`, `slow` or `failing`, by the service's name.
    package let services: [String: String]?
    /// The files of `storebus up --init` in their order. Without it absent. `ready` waits for all of them.
    package let imports: [ImportedFile]?
}

/// The response of `GET /admin/v1/services`, with the health of instances on the bus. Statistics are counted since an
/// instance's start.
///
/// ```json
/// {"bus":"connected","missing":[],"services":[{"name":"catalog","id":"9f3c…","version":"0.1.0","status":"pass",
///  "checks":{"database":{"status":"pass"}},"startedAt":"2026-11-21T10:00:00.000Z",
///  "endpoints":[{"name":"products.query","subject":"sb.catalog.v1.products.query","requests":3,"errors":1,
///   "averageProcessingMs":0.041,"lastError":"404 notFound"}]}]}
/// ```
package struct ServicesResponse: Hashable, Sendable, Codable {
    /// One process of a service.
    package struct Instance: Hashable, Sendable, Codable {
        /// The service's name, such as `payment-queue`.
        package var name: String
        /// Random for each process start.
        package var id: String
        /// Semantic version of the program.
        package var version: String?
        /// The worst status of its checks, or `fail` without a health response in time.
        package var status: Health?
        /// Health checks by name.
        package var checks: [String: Check]
        /// Absent when the instance reported its health but no statistics in time.
        package var startedAt: Timestamp?
        /// Requests taken and not answered. Absent without a statistics response in time.
        package var inFlight: Int?
        /// Statistics by endpoint. Empty without a statistics response in time.
        package var endpoints: [Endpoint]

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(String.self, forKey: .name)
            id = try container.decodeIfPresent(String.self, forKey: .id) ?? "-"
            version = try container.decodeIfPresent(String.self, forKey: .version)
            status = try container.decodeIfPresent(Health.self, forKey: .status)
            checks = try container.decodeIfPresent([String: Check].self, forKey: .checks) ?? [:]
            startedAt = try container.decodeIfPresent(Timestamp.self, forKey: .startedAt)
            inFlight = try container.decodeIfPresent(Int.self, forKey: .inFlight)
            endpoints = try container.decodeIfPresent([Endpoint].self, forKey: .endpoints) ?? []
        }
    }

    /// The health of a process: `pass`, `warn`, `fail`, or a word of a newer gateway.
    package struct Health: RawRepresentable, Hashable, Sendable, Codable {
        /// The instance works.
        package static let pass = Health(rawValue: "pass")
        /// The instance works, with a condition for the operator to look at.
        package static let warn = Health(rawValue: "warn")
        /// The instance cannot work.
        package static let fail = Health(rawValue: "fail")

        /// The word on the wire.
        package var rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The result of one health check.
    package struct Check: Hashable, Sendable, Codable {
        /// The check's result.
        package var status: Health?
        /// A sentence for people. Absent when there is nothing to say.
        package var message: String?
    }

    /// The statistics of one subject.
    package struct Endpoint: Hashable, Sendable, Codable {
        /// The endpoint's name, such as `products.query`.
        package var name: String
        /// The literal subject that requests go to.
        package var subject: String?
        /// Requests since the instance's start, including failed ones.
        package var requests: Int?
        /// Requests that got an error since the instance's start.
        package var errors: Int?
        /// Mean processing time in milliseconds, to the microsecond.
        package var averageProcessingMs: Double?
        /// Status and code. Absent without an error.
        package var lastError: String?
    }

    /// The gateway's own connection: `connected` or `away`.
    package var bus: String?
    /// By name and then by instance.
    package var services: [Instance]
    /// The expected services that have no instance.
    package var missing: [String]

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        bus = try container.decodeIfPresent(String.self, forKey: .bus)
        services = try container.decodeIfPresent([Instance].self, forKey: .services) ?? []
        missing = try container.decodeIfPresent([String].self, forKey: .missing) ?? []
    }
}

/// The response of `GET /admin/v1/env`: the environment variables with which a program verifies the store's data and
/// calls its API. Variables without a value are left out.
package struct StoreEnvironment: Hashable, Sendable, Codable {
    /// The forms of `?format=`.
    package enum Format: String, CaseIterable, Sendable {
        /// An object of the names and values.
        case json
        /// `export NAME='value'` lines.
        case shell
        /// `NAME=value` lines.
        case dotenv
        /// `NAME=value` lines, for `$GITHUB_ENV`.
        case github
    }

    private enum CodingKeys: String, CodingKey {
        case url = "STOREBUS_URL"
        case bundleId = "STOREBUS_BUNDLE_ID"
        case issuerId = "STOREBUS_ISSUER_ID"
        case keyId = "STOREBUS_KEY_ID"
        case rootCertificate = "STOREBUS_ROOT_CERTIFICATE"
    }

    /// The gateway's address as clients reach it, with an isolated store's path.
    package var url: String
    package var bundleId: String
    /// The `iss` of the App Store Server API's tokens.
    package var issuerId: String
    /// The app's last In-App Purchase key. Absent for an app without one.
    package let keyId: String?
    /// Base64 of DER.
    package var rootCertificate: String

    /// Names and values in the order of printing.
    package var values: [(name: String, value: String)] {
        let values: [(CodingKeys, String?)] = [
            (.url, url), (.bundleId, bundleId), (.issuerId, issuerId), (.keyId, keyId),
            (.rootCertificate, rootCertificate),
        ]
        return values.compactMap { key, value in value.map { (key.rawValue, $0) } }
    }
}
