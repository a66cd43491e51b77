import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

/// A part of the API: handlers with the parts they need.
package protocol Area: Sendable {
    /// The routes of its handlers, in any order.
    var routes: [Route] { get }
}

/// An entry of the gateway's route table. Router, authentication, access log and metrics read it.
package struct Route: Sendable {
    /// Answers a request, or throws its problem.
    package typealias Handler = @Sendable (Call) async throws -> Response

    enum Action: Sendable {
        case handled(Handler)
        /// The operation is not implemented: the gateway responds 501 with this sentence.
        case notBuilt(String)
    }

    /// Method, path and query names, shared with the clients.
    let operation: HTTPRoute
    let method: HTTPRequest.Method
    /// The path's template, such as `/v1/transactions/{id}/finish`.
    package var path: String { operation.path.description }
    /// Method and template, as the access log names the endpoint.
    let logName: String
    /// Whether it is the operator's, about the data that an isolated store has for itself.
    let isOfStore: Bool
    /// Whether the path has an account or a family, which may be a person's name, or an offer code.
    let hasPrivatePath: Bool
    /// The callers admitted. Configuration may change the endpoint's own.
    let access: Access
    /// Names the query may have.
    var query: Set<String> { operation.query }
    let action: Action
    /// The errors of the service's endpoint that a forward passes on, besides the general ones. Nil for other routes.
    private(set) var passesOn: [StoreErrorCode]?

    /// Creates the route of an endpoint, whose handler returns the body of a 200.
    package init<Request, Body: Encodable>(
        _ endpoint: HTTPEndpoint<Request, Body>, _ handler: @escaping @Sendable (Call) async throws -> Body
    ) {
        self.init(endpoint) { try Reply(try await handler($0)) }
    }

    /// Creates the route of an endpoint, whose handler returns status, headers and body.
    /// - Parameter access: The callers admitted, where configuration decides. Nil for the endpoint's own.
    package init<Request, Body>(
        _ endpoint: HTTPEndpoint<Request, Body>, access: Access? = nil,
        _ handler: @escaping @Sendable (Call) async throws -> Reply<Body>
    ) {
        self.init(endpoint.route, access ?? endpoint.route.access, .handled { try await handler($0).response })
    }

    /// Creates the route of two endpoints, whose handler decides by the query.
    /// - Precondition: Both have the same route.
    package init<Request, First, Second>(
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
    package init(passing endpoint: some HTTPOperation, _ handler: @escaping Handler) {
        self.init(endpoint.route, endpoint.route.access, .handled(handler))
    }

    /// Creates a route that this version does not implement.
    /// - Parameter sentence: The problem's text, which names the alternative.
    package init(notBuilt operation: HTTPRoute, _ sentence: String) {
        self.init(operation, operation.access, .notBuilt(sentence))
    }

    private init(_ operation: HTTPRoute, _ access: Access, _ action: Action) {
        self.operation = operation
        self.method = HTTPRequest.Method(operation.method)
        isOfStore = access == .admin && IsolatedStoreRoutes.isOwn(operation)
        hasPrivatePath = operation.path.parameters.contains { [.account, .code, .family].contains($0) }
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

/// The routes as a tree of path segments. The cost of a match depends on the path's length, not on the number of
/// routes. Paths without parameters are found as a whole.
struct RouteTable: Sendable {
    enum Match: Sendable {
        case found(Route, parameters: [PathParameter: String])
        /// The path exists, but only with these methods.
        case wrongMethod(allowed: [HTTPRequest.Method])
        case notFound
    }

    private struct Node: Sendable {
        var literals: [String: Node] = [:]
        /// At most one node. It is a list because a recursive struct requires indirection.
        var parameter: [Node] = []
        var routes: [HTTPRequest.Method: Route] = [:]
    }

    let routes: [Route]
    private var root = Node()
    /// The routes of paths without parameters.
    private var literal: [ExactText: [HTTPRequest.Method: Route]] = [:]

    /// - Precondition: No two routes have the same method and path.
    init(_ routes: [Route]) {
        self.routes = routes
        for route in routes {
            Self.insert(route, route.operation.path.segments[...], into: &root)
            if route.operation.path.parameters.isEmpty {
                literal[route.path, default: [:]][route.method] = route
            }
        }
    }

    /// Finds the route of a request.
    /// - Parameter path: The path of the request line, percent-encoded.
    func match(_ method: HTTPRequest.Method, _ path: String) -> Match {
        let path = Self.withoutLastSlash(path)
        if let route = literal[path]?[method] { return .found(route, parameters: [:]) }
        guard path.first == "/" else { return .notFound }
        var node = root
        var values: [String] = []
        for raw in Self.segments(path[...]) {
            guard let segment = PercentEncoding.decode(raw) else { return .notFound }
            if let next = node.literals[segment] {
                node = next
            } else if let next = node.parameter.first, !segment.isEmpty {
                values.append(segment)
                node = next
            } else {
                return .notFound
            }
        }
        guard !node.routes.isEmpty else { return .notFound }
        guard let route = node.routes[method] else {
            return .wrongMethod(allowed: node.routes.keys.sorted { $0.rawValue < $1.rawValue })
        }
        let names = route.operation.path.parameters
        return .found(route, parameters: Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first }))
    }

    /// Returns a path of the App Store Server API without the slash at its end, which older libraries write.
    private static func withoutLastSlash(_ path: String) -> String {
        guard path.utf8.last == UInt8(ascii: "/"), path.utf8.starts(with: AppStoreServerRoutes.pathPrefix.utf8) else {
            return path
        }
        return String(Substring(path.utf8.dropLast()))
    }

    private static func segments(_ path: Substring) -> [Substring] {
        path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Substring.init)
    }

    private static func insert(_ route: Route, _ rest: ArraySlice<HTTPPath.Segment>, into node: inout Node) {
        guard let segment = rest.first else {
            precondition(node.routes[route.method] == nil, "\(route.method) \(route.path) is twice in the table")
            node.routes[route.method] = route
            return
        }
        switch segment {
        case .parameter:
            if node.parameter.isEmpty { node.parameter = [Node()] }
            insert(route, rest.dropFirst(), into: &node.parameter[0])
        case .literal(let literal): insert(route, rest.dropFirst(), into: &node.literals[literal, default: Node()])
        }
    }
}
