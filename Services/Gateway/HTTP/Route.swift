import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

/// An entry of the gateway's route table. Router, authentication, access log and metrics read it.
struct Route: Sendable {
    typealias Handler = @Sendable (Call) async throws -> Response

    enum Action: Sendable {
        case handled(Handler)
        /// The operation is not implemented: the gateway responds 501 with this sentence.
        case notBuilt(String)
    }

    /// Method, path and query names, shared with the clients.
    let operation: HTTPRoute
    let method: HTTPRequest.Method
    /// The path's template, such as `/v1/transactions/{id}/finish`.
    var path: String { operation.path.description }
    /// Method and template, as the access log names the endpoint.
    let logName: String
    /// Whether the path has an account, which may be a person's name.
    let namesAccount: Bool
    /// The callers admitted. Configuration may change the endpoint's own.
    let access: Access
    /// Names the query may have.
    var query: Set<String> { operation.query }
    let action: Action
    /// The errors of the service's endpoint that a forward passes on, besides the general ones. Nil for other routes.
    private(set) var passesOn: [StoreErrorCode]?

    /// Creates the route of an endpoint, whose handler returns the body of a 200.
    init<Request, Body: Encodable>(
        _ endpoint: HTTPEndpoint<Request, Body>, _ handler: @escaping @Sendable (Call) async throws -> Body
    ) {
        self.init(endpoint) { try Reply(try await handler($0)) }
    }

    /// Creates the route of an endpoint, whose handler returns status, headers and body.
    /// - Parameter access: The callers admitted, where configuration decides. Nil for the endpoint's own.
    init<Request, Body>(
        _ endpoint: HTTPEndpoint<Request, Body>, access: Access? = nil,
        _ handler: @escaping @Sendable (Call) async throws -> Reply<Body>
    ) {
        self.init(endpoint.route, access ?? endpoint.route.access, .handled { try await handler($0).response })
    }

    /// Creates the route of two endpoints, whose handler decides by the query.
    /// - Precondition: Both have the same route.
    init<Request, First, Second>(
        _ first: HTTPEndpoint<Request, First>, _ second: HTTPEndpoint<Request, Second>,
        _ handler: @escaping @Sendable (Call) async throws -> EitherReply<First, Second>
    ) {
        precondition(first.route == second.route, "\(first.route.path) and \(second.route.path) are two routes")
        self.init(
            first.route, first.route.access,
            .handled {
                switch try await handler($0) {
                case .first(let reply): reply.response
                case .second(let reply): reply.response
                }
            })
    }

    /// Creates the route of an endpoint whose response is passed on as it came.
    init(passing endpoint: some HTTPOperation, _ handler: @escaping Handler) {
        self.init(endpoint.route, endpoint.route.access, .handled(handler))
    }

    /// Creates a route that this version does not implement.
    /// - Parameter sentence: The problem's text, which names the alternative.
    init(notBuilt operation: HTTPRoute, _ sentence: String) {
        self.init(operation, operation.access, .notBuilt(sentence))
    }

    private init(_ operation: HTTPRoute, _ access: Access, _ action: Action) {
        self.operation = operation
        self.method = HTTPRequest.Method(operation.method)
        namesAccount = operation.path.parameters.contains(.account)
        logName = "\(operation.method.rawValue) \(operation.path)"
        self.access = access
        self.action = action
    }

    /// Returns the same route as a forward to an endpoint of a service.
    func passingOn(_ errors: [StoreErrorCode]) -> Route { with(self) { $0.passesOn = errors } }

    var isBuilt: Bool {
        if case .handled = action { return true }
        return false
    }
}

extension HTTPRequest.Method {
    fileprivate init(_ method: HTTPRoute.Method) {
        self =
            switch method {
            case .get: .get
            case .post: .post
            case .put: .put
            case .delete: .delete
            }
    }
}
