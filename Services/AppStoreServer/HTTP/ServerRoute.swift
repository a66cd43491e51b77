import StoreHTTP
import StoreModels

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
