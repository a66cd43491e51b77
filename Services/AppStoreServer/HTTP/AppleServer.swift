import BusService
import EventLoop
import Logging
import ServiceDatabase
import Signing
import StoreHTTP
import StoreModels

/// Answers the requests that Apple's server answers.
///
/// It has the parts that handlers need. Each area is an extension with its handlers and a list of its routes.
struct AppleServer: Sendable {
    /// Calls PaymentQueue and Catalog, and retries safe requests.
    let services: ServiceCaller
    let keys: KeyStore
    let serverApps: ServerApps
    let serverAPIFaults: ServerAPIFaults
    let signing: SigningKeys
    let storefronts: StorefrontDirectory
    let notifications: NotificationCalls
    /// The receipt environment.
    let environment: ReceiptEnvironment

    /// The wall clock, for tokens and certificates.
    var now: @Sendable () -> Timestamp { keys.now }

    /// All routes that the gateway passes on.
    var routes: [ServerRoute] {
        serverAPIRoutes + serverNotificationRoutes + serverWriteRoutes + receiptRoutes + settingsRoutes + faultRoutes
            + signingRoutes + signedRoutes + triggerRoutes
    }

    /// Reads the time by an app's clock.
    func clock(of bundleId: String, _ context: CallContext) async throws(StoreError) -> Timestamp {
        try await services.call(SubscriptionEndpoints.getClock, AppRequest(bundleId: bundleId), context: context).now
    }

    // MARK: Apple's words

    /// Runs a function of this service, with its refusals in Apple's words.
    func server<Response>(
        _ errors: [StoreErrorCode: ServerAPIError], _ operation: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await operation()
        } catch let error as StoreError {
            throw errors[error.code].map { $0 as any Error } ?? error
        }
    }

    /// Calls a service, with its refusals in Apple's words.
    func server<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, _ call: ServerCall,
        _ errors: [StoreErrorCode: ServerAPIError]
    ) async throws -> Response {
        do {
            return try await services.call(endpoint, request, for: call)
        } catch {
            throw errors[error.code].map { $0 as any Error } ?? error
        }
    }
}

/// The functions for notifications that handlers of HTTP requests call.
struct NotificationCalls: Sendable {
    var get: @Sendable (NotificationRequest, ContinuousClock.Instant) async throws -> ServerNotification
    var history: @Sendable (NotificationHistoryRequest) async throws -> NotificationHistoryPage
    var test: @Sendable (AppRequest, ContinuousClock.Instant) async throws -> TestNotificationReply
    var trigger: @Sendable (TriggerNotificationRequest, ContinuousClock.Instant) async throws -> ServerNotification
    var endpoint: @Sendable (AppRequest) async throws -> NotificationEndpointReply
    var putEndpoint: @Sendable (PutNotificationEndpointRequest) async throws -> NotificationEndpointReply
}

/// Handles `http.read`, `http.change` and `http.rest`: clients' requests as the gateway passes them on.
struct HTTPHandlers: Sendable {
    private let server: AppleServer
    private let routes: [String: ServerRoute]  // keys: operations
    private let held: HeldReplies
    private let instance: String

    /// - Parameter instance: The instance's name on the bus.
    init(_ server: AppleServer, instance: String) {
        self.server = server
        self.instance = instance
        routes = Dictionary(uniqueKeysWithValues: server.routes.map { ($0.identifier, $0) })  // keys: operations
        held = HeldReplies(instance: instance)
    }

    func register(on service: BusService) {
        for endpoint in [AppStoreEndpoints.read, AppStoreEndpoints.change] {
            service.handle(endpoint) { request, context in
                try await withStoreErrors(of: AppStoreServerSchema.owner, logger: context.logger) {
                    try await reply(to: request, context)
                }
            }
        }
        service.handle(AppStoreEndpoints.rest(of: instance)) { request, _ in try held.part(request) }
    }

    private func reply(to request: HTTPExchangeRequest, _ context: RequestContext) async throws -> HTTPExchangeReply {
        guard let route = routes[request.operation] else {
            throw StoreError(.internal, "\(request.operation.prefix(64)) is not an operation of this service")
        }
        guard route.operation.access == .serverAPI else {
            let call = try call(request, route, context, nil)
            return exchanged(try await route.handler(call))
        }
        return await serverReply(to: request, route, context)
    }

    /// Answers an app's server. A fault becomes a response in Apple's words.
    private func serverReply(
        to request: HTTPExchangeRequest, _ route: ServerRoute, _ context: RequestContext
    ) async -> HTTPExchangeReply {
        let admission: ServerAPIAdmission
        do {
            admission = try await withStoreErrors(of: AppStoreServerSchema.owner, logger: context.logger) {
                try await server.admission(of: request)
            }
        } catch {
            return exchanged(refusal(error, context))
        }
        let reply: ServerReply
        do {
            reply = try await withStoreErrors(of: AppStoreServerSchema.owner, logger: context.logger) {
                let call = try call(request, route, context, admission)
                if let obstacle = try await server.obstacle(call, admission) { return obstacle }
                return try await route.handler(call)
            }
        } catch {
            reply = refusal(error, context)
        }
        return with(exchanged(reply)) { $0.bundleId = admission.key.bundleId }
    }

    private func refusal(_ error: any Error, _ context: RequestContext) -> ServerReply {
        switch error {
        case let error as ServerAPIToken.Rejection: .unauthenticated(error)
        case let error as ServerAPIError: .refusal(error)
        default: .refusal(problem(error, context))
        }
    }

    private func call(
        _ request: HTTPExchangeRequest, _ route: ServerRoute, _ context: RequestContext,
        _ admission: ServerAPIAdmission?
    ) throws(StoreError) -> ServerCall {
        var parameters: [PathParameter: String] = [:]
        for (name, value) in request.parameters {
            if let parameter = PathParameter(rawValue: name) {
                parameters[parameter] = String(decoding: value.bytes, as: UTF8.self)
            }
        }
        return ServerCall(
            request: request, route: route, parameters: parameters,
            query: try QueryParameters(
                request.query, names: route.operation.query, ignoresOthers: route.operation.access == .serverAPI),
            context: context.callContext, admission: admission)
    }

    /// Converts a fault, and logs one whose cause the client does not learn.
    private func problem(_ error: any Error, _ context: RequestContext) -> StoreError {
        let problem = error as? StoreError ?? StoreError(.internal, "something went wrong here")
        if problem.code == .internal {
            let cause = error is StoreError ? "\(error)" : "\(type(of: error))"
            context.logger.error("request failed", metadata: ["error": "\(cause)"])
        }
        return problem
    }

    private func exchanged(_ reply: ServerReply) -> HTTPExchangeReply {
        var (data, rest): (HTTPBytes?, HTTPExchangeReply.Rest?)
        switch reply.body {
        case .none: break
        case .json(let json) where json.bytes.count <= HeldReplies.partBytes: data = HTTPBytes(json: json)
        case .json(let json): (data, rest) = held.cut(Array(json.bytes))
        case .bytes(let bytes): (data, rest) = held.cut(bytes)
        }
        return HTTPExchangeReply(
            status: reply.status, headers: reply.headers, data: data, rest: rest, ending: reply.ending,
            reason: reply.reason)
    }
}

/// An operation of the HTTP API that this service answers for the gateway.
struct ServerRoute: Sendable {
    typealias Handler = @Sendable (ServerCall) async throws -> ServerReply

    /// The operation's identifier in `openapi.json`.
    let identifier: String
    /// Method, path and query names, shared with the gateway.
    let operation: HTTPRoute
    let handler: Handler

    /// The path's template, such as `/inApps/v1/transactions/{transactionId}`.
    var path: String { operation.path.description }

    /// Creates the route of an endpoint, whose handler returns the body of a 200.
    init<Request, Body: Encodable>(
        _ endpoint: HTTPEndpoint<Request, Body>, _ handler: @escaping @Sendable (ServerCall) async throws -> Body
    ) {
        self.init(reply: endpoint) { try ServerReply(try await handler($0)) }
    }

    /// Creates the route of an endpoint, whose handler returns status and body.
    init<Request, Body>(reply endpoint: HTTPEndpoint<Request, Body>, _ handler: @escaping Handler) {
        identifier = endpoint.notes.id
        operation = endpoint.route
        self.handler = handler
    }
}

/// A response, before it is cut into what fits a message.
struct ServerReply: Sendable {
    enum Body: Sendable {
        case none
        case json(RawJSON)
        case bytes([UInt8])
    }

    var status: Int
    var headers: [String: String] = [:]
    var body = Body.none
    var ending: HTTPExchangeReply.Ending?
    /// Why a token was refused, for the gateway's log.
    var reason: String?

    /// Responds with `value` as JSON.
    init(_ value: some Encodable, status: Int = 200) throws {
        self.status = status
        headers["Content-Type"] = "application/json"
        headers["Cache-Control"] = "no-store"
        body = .json(try RawJSON(encoding: value))
    }

    /// Responds with unchanged bytes.
    init(bytes: [UInt8], contentType: String, status: Int = 200) {
        self.status = status
        headers["Content-Type"] = contentType
        body = .bytes(bytes)
    }

    private init(status: Int) { self.status = status }

    /// Responds with a status and an empty body.
    static func empty(_ status: Int) -> ServerReply { ServerReply(status: status) }

    /// Has the gateway treat the connection in place of a response.
    static func ending(_ ending: HTTPExchangeReply.Ending) -> ServerReply {
        var reply = ServerReply(status: 500)
        reply.ending = ending
        return reply
    }
}

/// A client's HTTP request as its handler receives it.
struct ServerCall: Sendable {
    let request: HTTPExchangeRequest
    let route: ServerRoute
    /// The decoded values of `{transactionId}` and the like. No value is empty.
    let parameters: [PathParameter: String]
    let query: QueryParameters
    /// The context of calls to other services.
    let context: CallContext
    /// The app's server that calls. Nil where the gateway has authenticated.
    let admission: ServerAPIAdmission?

    /// The instant at which the client stops waiting.
    var deadline: ContinuousClock.Instant { context.deadline }

    /// The context for services that the response does not require.
    var optionalContext: CallContext { with(context) { $0.deadline = deadline.forOptionalServices } }

    /// The isolated store that the request names.
    var store: IsolatedApp? { request.store.flatMap { IsolatedApp($0) } }

    /// The app that the path names. The gateway has checked that it exists.
    /// - Throws: `internal` for a request without one.
    func bundleId() throws(StoreError) -> String {
        guard let bundleId = request.bundleId else { throw StoreError(.internal, "\(route.path) came without its app") }
        return bundleId
    }

    /// The customer whose session the gateway has verified.
    /// - Throws: `internal` for a request without one.
    func customer() throws(StoreError) -> ExchangeCustomer {
        guard let customer = request.customer else {
            throw StoreError(.internal, "\(route.path) came without its customer")
        }
        return customer
    }

    /// Returns a parameter of the path, checked.
    /// - Parameter what: The object that it identifies, for the problem's text.
    /// - Throws: `notFound` for text that cannot be an identifier, `internal` for a request without the parameter.
    func parameter(_ name: PathParameter, of what: String = "object") throws(StoreError) -> String {
        guard let value = parameters[name] else {
            throw StoreError(.internal, "\(route.path) came without its \(name.rawValue)")
        }
        guard IdentifierRule.fault(in: value, lengthMax: Self.identifierLengthMax) == nil else {
            throw .notFound(what)
        }
        return value
    }

    /// Maximum length of an identifier, in characters, as at the gateway.
    private static let identifierLengthMax = 255

    /// The body's bytes, for handlers that read them as Apple does.
    func bodyBytes() -> [UInt8] { request.data?.bytes ?? [] }

    /// Decodes the body of an endpoint. A member that its type lacks is rejected, and a ``CheckedBody`` is checked.
    func body<Request: Decodable, Response>(
        of endpoint: HTTPEndpoint<Request, Response>
    ) throws(StoreError) -> Request {
        let body = try StoreJSON.decodeStrictly(Request.self, from: bodyBytes())
        try (body as? any CheckedBody)?.validate()
        return body
    }
}

extension ServiceCaller {
    /// Calls an endpoint for a client's request, until the request's deadline.
    func call<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, for call: ServerCall
    ) async throws(StoreError) -> Response {
        try await self.call(endpoint, request, context: call.context)
    }
}

extension ServerReply {
    /// The response to a request that Apple refuses. Libraries read the body only when the type is exactly this.
    static func refusal(_ error: ServerAPIError) -> ServerReply {
        let body = ServerAPIErrorResponse(errorCode: error.code, errorMessage: error.message)
        // Encoding a number and a sentence cannot fail; if it does, the client still gets the status.
        return (try? ServerReply(body, status: error.status)) ?? .empty(error.status)
    }

    /// The response to a problem of this service or another one, in Apple's words.
    static func refusal(_ problem: StoreError) -> ServerReply {
        var reply = refusal(ServerAPIError(problem))
        if let retryAfterMs = problem.retryAfterMs { reply.headers["Retry-After"] = "\((retryAfterMs + 999) / 1000)" }
        return reply
    }

    /// The response to a request too many.
    /// - Parameter next: When the server may ask again. Apple writes it in milliseconds since 1970.
    static func rateLimitExceeded(until next: Timestamp) -> ServerReply {
        var reply = refusal(.rateLimitExceeded)
        reply.headers["Retry-After"] = "\(next.milliseconds)"
        return reply
    }

    /// The response to a token that is not accepted, as Apple writes it. The reason is in `WWW-Authenticate`.
    static func unauthenticated(_ rejection: ServerAPIToken.Rejection) -> ServerReply {
        var reply = ServerReply(bytes: Array("Unauthenticated\n".utf8), contentType: "text/plain", status: 401)
        reply.headers["Cache-Control"] = "no-store"
        reply.headers["WWW-Authenticate"] =
            rejection.isMissing
            ? "Bearer realm=\"storebus\""
            : "Bearer error=\"invalid_token\", error_description=\"\(rejection.reason)\""
        reply.reason = rejection.reason
        return reply
    }
}

/// The rests of bodies that did not fit into a reply, until the gateway has read them.
///
/// A rest lives five seconds. Beyond the bounds the oldest goes first, and its client repeats the request.
final class HeldReplies: Sendable {
    /// Bytes in one part, so that the message stays below 512 KiB in Base64.
    static let partBytes = 256 << 10
    /// Maximum number of bytes of all rests: some twenty of the largest responses.
    static let bytesMax = 64 << 20
    /// How long a rest is kept. The gateway reads it at once.
    static let lifetime = Duration.seconds(5)

    private struct Held {
        var identifier: String
        var bytes: ArraySlice<UInt8>
        var end: ContinuousClock.Instant
    }

    private let held = Locked<[Held]>([])
    private let instance: String
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter instance: The instance's name on the bus.
    init(instance: String, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.instance = instance
        self.now = now
    }

    /// Cuts a body into the part that fits, and keeps the rest.
    func cut(_ bytes: [UInt8]) -> (data: HTTPBytes, rest: HTTPExchangeReply.Rest?) {
        let (first, rest) = (bytes.prefix(Self.partBytes), bytes.dropFirst(Self.partBytes))
        guard !rest.isEmpty else { return (HTTPBytes(bytes), nil) }
        let identifier = RandomIdentifier.hex(digits: 24)
        let now = now()
        held.withLock { held in
            held.removeAll { $0.end <= now }
            held.append(Held(identifier: identifier, bytes: rest, end: now + Self.lifetime))
            while held.count > 1, held.reduce(0, { $0 + $1.bytes.count }) > Self.bytesMax { held.removeFirst() }
        }
        return (
            HTTPBytes(part: first),
            HTTPExchangeReply.Rest(instance: instance, identifier: identifier, count: rest.count)
        )
    }

    /// Reads the part at an offset. The last one ends the rest.
    /// - Throws: `notFound` for a rest that has been given up.
    func part(_ request: HTTPRestRequest) throws(StoreError) -> HTTPRestReply {
        let now = now()
        let part = held.withLock { held -> ArraySlice<UInt8>? in
            held.removeAll { $0.end <= now }
            guard let index = held.firstIndex(where: { $0.identifier.isExactly(request.identifier) }),
                (0..<held[index].bytes.count).contains(request.offset)
            else { return nil }
            let left = held[index].bytes.dropFirst(request.offset)
            if left.count <= Self.partBytes { held.remove(at: index) }
            return left.prefix(Self.partBytes)
        }
        guard let part else { throw .notFound("rest of a response; repeat the request") }
        return HTTPRestReply(data: HTTPBytes(part: part))
    }
}
