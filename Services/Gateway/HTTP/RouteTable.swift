import HTTPTypes
import StoreHTTP
import StoreModels

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

extension Gateway {
    /// The routes of Apple's server libraries that this version does not implement. Each responds 501 `notImplemented`
    /// and names the alternative, so that a client can distinguish a missing feature from a misspelt path.
    var appleServerRoutes: [Route] {
        AppStoreServerRoutes.messaging.map { endpoint in
            Route(
                notBuilt: endpoint.route,
                "this store has no retention messaging; the rest of the App Store Server API is built")
        }
    }
}
