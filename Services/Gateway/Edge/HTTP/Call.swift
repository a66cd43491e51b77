import BusService
import EventLoop
import FoundationEssentials
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import StoreHTTP
import StoreModels

/// One authenticated request, as its handler receives it.
package struct Call: Sendable {
    /// The request as it arrived.
    package let request: Request
    package let route: Route
    /// The decoded values of `{id}` and the like. No value is empty.
    package let parameters: [PathParameter: String]
    /// The names of the query that the route knows.
    package let query: QueryParameters
    /// The caller, authenticated.
    package let principal: Principal
    let trace: TraceContext
    /// The time at which the client stops waiting, from `Sb-Timeout` or the gateway's default.
    package let deadline: ContinuousClock.Instant
    /// The connection.
    package let channel: any Channel
    /// Whether the client speaks HTTPS, with the gateway or with a proxy in front of it.
    package let isSecure: Bool
    /// The isolated store that the request is about. Nil for the installation.
    package var store: IsolatedApp?
    /// Receives the caller of Apple's paths, for the access log.
    let serverCaller: Locked<ServerCaller>

    /// Returns a parameter of the path, checked.
    /// - Parameter what: The object that it identifies, for the problem's text.
    /// - Throws: `notFound` for text that cannot be an identifier.
    package func parameter(_ name: PathParameter, of what: String = "object") throws(StoreError) -> String {
        guard let value = parameters[name] else { preconditionFailure("\(route.path) has no {\(name.rawValue)}") }
        do {
            try Identifier.check(value, at: name.rawValue)
        } catch {
            throw .notFound(what)
        }
        return value
    }

    /// Returns the object that the path names for the operator, in the store of the request.
    /// - Throws: As ``parameter(_:of:)``.
    package func scoped(_ name: PathParameter, of what: String) throws(StoreError) -> ScopedIdentifier {
        ScopedIdentifier(try parameter(name, of: what), in: scope)
    }

    /// Returns the page that the query names of a list, in the store of the request.
    /// - Throws: `requestInvalid`.
    package func page() throws(StoreError) -> PageRequest {
        PageRequest(in: scope, after: try after(), limit: try limit(HTTPLimits.adminPageMax))
    }

    /// The part of the installation that the request reaches.
    package var scope: IsolationScope { IsolationScope(store) }

    /// The customer's session.
    /// - Precondition: The authenticator has admitted a session, as for the access `app` and `appOrStore`.
    package var session: Session {
        guard case .session(let session) = principal else {
            preconditionFailure("\(route.path) is called without a session, but its handler needs one")
        }
        return session
    }

    /// The key of the calling app's server.
    /// - Precondition: The route's access is `server`.
    package var serverKey: AppKeyRecord {
        guard case .server(let key) = principal else {
            preconditionFailure("\(route.path) is called without an API key, but its handler needs one")
        }
        return key
    }

    /// Returns the context of a call to a service.
    package func context(deadline: ContinuousClock.Instant? = nil, requestIdentifier: String? = nil) -> CallContext {
        CallContext(
            deadline: deadline ?? self.deadline, traceparent: trace.traceparent, requestIdentifier: requestIdentifier,
            actor: principal.actor)
    }

    /// Decodes the body of an endpoint. A member that its type lacks is rejected, and a ``CheckedBody`` is checked.
    package func body<Request: Decodable, Response>(of endpoint: HTTPEndpoint<Request, Response>) async throws
        -> Request
    {
        let body = try await body(Request.self, isOptional: endpoint.isBodyOptional)
        try (body as? any CheckedBody)?.validate()
        return body
    }

    /// Decodes a body that several endpoints share.
    package func body<Value: Decodable>(_ type: Value.Type, isOptional: Bool) async throws -> Value {
        try await RequestBodyReader.json(type, from: request, isOptional: isOptional, max: bodyBytesMax)
    }

    /// Reads the raw body, for handlers that parse it themselves.
    /// - Throws: `bodyTooLarge`.
    package func bodyBytes() async throws -> [UInt8] {
        try await RequestBodyReader.bytes(of: request, max: bodyBytesMax)
    }

    private var bodyBytesMax: Int {
        guard case .whole(let max) = route.operation.body else {
            preconditionFailure("\(route.path) has a streamed body, but its handler reads it as a whole")
        }
        return max
    }
}

/// The context that Hummingbird passes to the responder with each request. It has the connection, which a stream needs
/// in order to cut a stalled reader.
package struct GatewayContext: InitializableFromSource {
    package let channel: any Channel
    let logger: Logger

    /// Takes the connection and the logger.
    package init(source: ApplicationRequestContextSource) {
        channel = source.channel
        logger = source.logger
    }
}

/// The `Idempotency-Key` header: exactly one, of 1 to 255 printable ASCII characters.
package enum IdempotencyKey {
    static let lengthMax = 255

    /// - Throws: `idempotencyKeyInvalid`.
    package static func read(_ headers: HTTPFields) throws(StoreError) -> String {
        let values = headers[values: .idempotencyKey]
        guard values.count == 1, let key = values.first else {
            throw StoreError(
                .idempotencyKeyInvalid,
                values.isEmpty ? "the Idempotency-Key header is missing" : "there is more than one Idempotency-Key")
        }
        guard (1...lengthMax).contains(key.utf8.count), key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw StoreError(.idempotencyKeyInvalid, "an Idempotency-Key is 1 to 255 printable ASCII characters")
        }
        return key
    }

    /// Reads the key of a request that may lack one.
    /// - Returns: Nil when there is none.
    /// - Throws: `idempotencyKeyInvalid`.
    package static func readIfPresent(_ headers: HTTPFields) throws(StoreError) -> String? {
        headers[values: .idempotencyKey].isEmpty ? nil : try read(headers)
    }

    /// Creates a unique key for a request that came without one.
    package static func make() -> String { "gateway-\(UUID().uuidString.lowercased())" }
}
