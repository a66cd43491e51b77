import StoreModels

/// A service instance's name, identifier and version, part of every discovery response (NATS ADR-32).
package struct ServiceIdentity: Sendable, Equatable {
    /// `payment-queue`.
    package var name: String
    /// Random for each process start.
    package var id: String
    /// Semantic version of the program, `0.1.0`.
    package var version: String

    package init(name: String, id: String, version: String) {
        self.name = name
        self.id = id
        self.version = version
    }
}

/// The answer to `$SRV.PING`:
/// `{"id":"…","metadata":{},"name":"catalog","type":"io.nats.micro.v1.ping_response","version":"0.1.0"}`
package struct PingResponse: Sendable, Equatable, Codable {
    /// The type that NATS ADR-32 prescribes.
    package static let type = "io.nats.micro.v1.ping_response"
    /// Always ``type`` when this program writes it.
    package var type = PingResponse.type
    /// As ``ServiceIdentity/name``.
    package var name: String
    /// As ``ServiceIdentity/id``.
    package var id: String
    /// As ``ServiceIdentity/version``.
    package var version: String
    /// The store's and database's identities, where the service has a database.
    package var metadata: [String: String] = [:]

    /// Creates the answer of one instance.
    package init(_ identity: ServiceIdentity, metadata: [String: String] = [:]) {
        name = identity.name
        id = identity.id
        version = identity.version
        self.metadata = metadata
    }
}

/// The answer to `$SRV.INFO`: a ping's members, `description` and the endpoints.
package struct InfoResponse: Sendable, Equatable, Codable {
    /// `{"metadata":{},"name":"products.get","queue_group":"q","subject":"sb.catalog.v1.products.get"}`
    package struct EndpointInfo: Sendable, Equatable, Codable {
        /// The endpoint's name, `products.get`.
        package var name: String
        /// The literal subject that requests go to.
        package var subject: String
        /// Always `q` for services of Storebus.
        package var queueGroup: String
        /// Empty for services of Storebus.
        package var metadata: [String: String] = [:]

        private enum CodingKeys: String, CodingKey {
            case name, subject, metadata
            case queueGroup = "queue_group"
        }
    }

    /// The type that NATS ADR-32 prescribes.
    package static let type = "io.nats.micro.v1.info_response"
    /// Always ``type`` when this program writes it.
    package var type = InfoResponse.type
    /// As ``ServiceIdentity/name``.
    package var name: String
    /// As ``ServiceIdentity/id``.
    package var id: String
    /// As ``ServiceIdentity/version``.
    package var version: String
    /// As ``PingResponse/metadata``.
    package var metadata: [String: String] = [:]
    /// One sentence about the service, for people.
    package var description: String
    /// In the order in which the service registered them.
    package var endpoints: [EndpointInfo]

    init(_ identity: ServiceIdentity, metadata: [String: String], description: String, endpoints: [EndpointInfo]) {
        name = identity.name
        id = identity.id
        version = identity.version
        self.metadata = metadata
        self.description = description
        self.endpoints = endpoints
    }
}

/// The answer to `$SRV.STATS`: a ping's members, `started`, `in_flight` and the endpoints' counts. Times are
/// nanoseconds.
package struct StatsResponse: Sendable, Equatable, Codable {
    /// `{"average_processing_time":41000,"last_error":"","name":"products.get","num_errors":0,"num_requests":3,`
    /// `"processing_time":123000,"queue_group":"q","subject":"sb.catalog.v1.products.get"}`
    package struct EndpointStats: Sendable, Equatable, Codable {
        /// The endpoint's name, `products.get`.
        package var name: String
        /// The literal subject that requests go to.
        package var subject: String
        /// Always `q` for services of Storebus.
        package var queueGroup: String
        /// Requests since the instance started, answered with an error or not.
        package var requests: Int
        /// Requests answered with an error.
        package var errors: Int
        /// The last error's status and code, `404 notFound`. Empty without one.
        package var lastError: String
        /// Nanoseconds in handlers since the instance started, all requests together.
        package var processingTime: Int64
        /// Nanoseconds: `processingTime` divided by `requests`.
        package var averageProcessingTime: Int64

        private enum CodingKeys: String, CodingKey {
            case name, subject
            case queueGroup = "queue_group"
            case requests = "num_requests"
            case errors = "num_errors"
            case lastError = "last_error"
            case processingTime = "processing_time"
            case averageProcessingTime = "average_processing_time"
        }
    }

    /// The type that NATS ADR-32 prescribes.
    package static let type = "io.nats.micro.v1.stats_response"
    /// Always ``type`` when this program writes it.
    package var type = StatsResponse.type
    /// As ``ServiceIdentity/name``.
    package var name: String
    /// As ``ServiceIdentity/id``.
    package var id: String
    /// As ``ServiceIdentity/version``.
    package var version: String
    /// As ``PingResponse/metadata``.
    package var metadata: [String: String] = [:]
    /// Wall time at which the instance began to serve.
    package var started: Timestamp
    /// Requests that were taken and not answered. A member of Storebus's own, nil when left out.
    package var inFlight: Int?
    /// In the order in which the service registered them.
    package var endpoints: [EndpointStats]

    private enum CodingKeys: String, CodingKey {
        case type, name, id, version, metadata, started, endpoints
        case inFlight = "in_flight"
    }

    init(
        _ identity: ServiceIdentity, metadata: [String: String], started: Timestamp, inFlight: Int,
        endpoints: [EndpointStats]
    ) {
        self.inFlight = inFlight
        name = identity.name
        id = identity.id
        version = identity.version
        self.metadata = metadata
        self.started = started
        self.endpoints = endpoints
    }
}

/// The answer to `$SRV.HEALTH`: a ping's members, the worst status, and every check.
/// `{"checks":{"database":{"status":"pass"}},"id":"…","name":"catalog","status":"pass",`
/// `"type":"dev.storebus.micro.v1.health_response","version":"0.1.0"}`
package struct HealthResponse: Sendable, Equatable, Codable {
    /// Storebus's own type, because NATS ADR-32 has no health verb.
    package static let type = "dev.storebus.micro.v1.health_response"
    /// Always ``type`` when this program writes it.
    package var type = HealthResponse.type
    /// As ``ServiceIdentity/name``.
    package var name: String
    /// As ``ServiceIdentity/id``.
    package var id: String
    /// As ``ServiceIdentity/version``.
    package var version: String
    /// The worst status of `checks`, or `pass` without any check.
    package var status: HealthStatus
    /// The result of each check, by its name.
    package var checks: [String: HealthCheck]

    init(_ identity: ServiceIdentity, status: HealthStatus, checks: [String: HealthCheck]) {
        name = identity.name
        id = identity.id
        version = identity.version
        self.status = status
        self.checks = checks
    }
}

/// The answer to `$SRV.TRACE`, whose request is a ``SpanRequest``: a ping's members, and spans, the newest first.
package struct SpansResponse: Sendable, Equatable, Codable {
    /// Storebus's own type, because NATS ADR-32 has no verb for traces.
    package static let type = "dev.storebus.micro.v1.trace_response"
    /// Always ``type`` when this program writes it.
    package var type = SpansResponse.type
    /// As ``ServiceIdentity/name``.
    package var name: String
    /// As ``ServiceIdentity/id``.
    package var id: String
    /// As ``ServiceIdentity/version``.
    package var version: String
    /// As many as fit a reply. With `after` in the request the oldest first.
    package var spans: [TraceSpan]
    /// The number of the last one. Only for a request with `after`.
    package var last: Int64?
    /// How many were displaced before they were asked for. Only for a request with `after`.
    package var missed: Int64?

    package init(_ identity: ServiceIdentity, spans: [TraceSpan], last: Int64? = nil, missed: Int64? = nil) {
        self.last = last
        self.missed = missed
        name = identity.name
        id = identity.id
        version = identity.version
        self.spans = spans
    }
}
