import StoreModels

/// A service instance's name, identifier and version, part of every discovery response (NATS ADR-32).
package struct ServiceIdentity: Sendable, Equatable {
    /// `payment-queue`.
    package var name: String
    /// Random for each process start.
    package var id: String
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
    package static let type = "io.nats.micro.v1.ping_response"
    package var type = PingResponse.type
    package var name: String
    package var id: String
    package var version: String
    package var metadata: [String: String] = [:]

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
        package var name: String
        package var subject: String
        package var queueGroup: String
        package var metadata: [String: String] = [:]

        private enum CodingKeys: String, CodingKey {
            case name, subject, metadata
            case queueGroup = "queue_group"
        }
    }

    package static let type = "io.nats.micro.v1.info_response"
    package var type = InfoResponse.type
    package var name: String
    package var id: String
    package var version: String
    package var metadata: [String: String] = [:]
    package var description: String
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

/// The answer to `$SRV.STATS`: a ping's members, `started` and the endpoints' counts. Times are nanoseconds.
package struct StatsResponse: Sendable, Equatable, Codable {
    /// `{"average_processing_time":41000,"last_error":"","name":"products.get","num_errors":0,"num_requests":3,`
    /// `"processing_time":123000,"queue_group":"q","subject":"sb.catalog.v1.products.get"}`
    package struct EndpointStats: Sendable, Equatable, Codable {
        package var name: String
        package var subject: String
        package var queueGroup: String
        package var requests: Int
        package var errors: Int
        /// The last error's status and code, `404 notFound`; empty without one.
        package var lastError: String
        package var processingTime: Int64
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

    package static let type = "io.nats.micro.v1.stats_response"
    package var type = StatsResponse.type
    package var name: String
    package var id: String
    package var version: String
    package var metadata: [String: String] = [:]
    package var started: Timestamp
    package var endpoints: [EndpointStats]

    init(_ identity: ServiceIdentity, metadata: [String: String], started: Timestamp, endpoints: [EndpointStats]) {
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
    package static let type = "dev.storebus.micro.v1.health_response"
    package var type = HealthResponse.type
    package var name: String
    package var id: String
    package var version: String
    package var status: HealthStatus
    package var checks: [String: HealthCheck]

    init(_ identity: ServiceIdentity, status: HealthStatus, checks: [String: HealthCheck]) {
        name = identity.name
        id = identity.id
        version = identity.version
        self.status = status
        self.checks = checks
    }
}
