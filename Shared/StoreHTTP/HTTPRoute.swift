import StoreModels

/// An operation of the gateway's HTTP API, declared once for the gateway and its clients.
///
/// The gateway's router, the writer of `openapi.json`, the command line and StoreKitClient read it, so none of them
/// spells a path by hand. Its counterpart on the bus is `Endpoint`.
package struct HTTPRoute: Hashable, Sendable {
    /// The HTTP method, spelled as in the request line.
    package enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT", delete = "DELETE" }

    /// How a request's body reaches its handler.
    package enum Body: Hashable, Sendable {
        /// The request is begun when its whole body has arrived, at most this many bytes.
        case whole(max: Int)
        /// The handler reads the body piece by piece, after it has checked the caller.
        case streamed

        /// The body of every route without another: at most 64 KiB.
        package static let small = Body.whole(max: 64 * 1024)
        /// The body of a route that reads a receipt (S11). It crosses the bus in one message of at most 1 MiB.
        package static let receipt = Body.whole(max: 960 * 1024)
    }

    /// The use of the `Idempotency-Key` header.
    package enum IdempotencyKey: Sendable { case none, optional, required }

    /// One method. A path with several methods has a route for each.
    package let method: Method
    /// The path's template. ``target(_:query:)`` fills it in.
    package let path: HTTPPath
    /// The callers that the gateway admits. Others get 401 or 403.
    package let access: Access
    /// Names the query may have. A client may send no other.
    package let query: Set<String>
    /// Whether the gateway reads the header, and refuses requests without it.
    package let idempotencyKey: IdempotencyKey
    /// The class in which an overloaded gateway refuses the request.
    package let urgency: Urgency
    /// How the body reaches the handler, and its size.
    package let body: Body

    package init(
        _ method: Method, _ path: HTTPPath, _ access: Access, query: Set<String> = [],
        idempotencyKey: IdempotencyKey = .none, urgency: Urgency = .query, body: Body = .small
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.query = query
        self.idempotencyKey = idempotencyKey
        self.urgency = urgency
        self.body = body
    }

    /// Returns the request target: the path with its values and the query, percent-encoded.
    ///
    /// - Parameters:
    ///   - values: One for each parameter of the path.
    ///   - query: Names in any order. Those without a value are left out.
    /// - Precondition: The path has these parameters and the route knows these names.
    package func target(
        _ values: [PathParameter: String] = [:], query: KeyValuePairs<String, String?> = [:]
    ) -> String {
        var pairs: [String] = []
        for (name, value) in query {
            precondition(self.query.contains(name), "\(method.rawValue) \(path) has no query parameter \(name)")
            if let value { pairs.append("\(name)=\(PercentEncoding.encode(value))") }
        }
        return path.text(values) + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }
}

/// The callers a route admits. There is no default: every route states it (S4).
package enum Access: String, Sendable {
    /// Every caller, without credentials.
    case open
    /// A customer's app, with its session.
    case app
    /// The app, or the App Store app on the device (`client: "store"`).
    case appOrStore
    /// The operator with the admin key, or the console in a browser with its session.
    case admin
    /// The console in the operator's browser, with the cookie of its session and nothing else.
    case console
    /// An app's server, with the app's API key.
    case server
    /// A customer's app, or its server.
    case appOrServer
    /// An app's server, with a token that it has signed with the app's In-App Purchase key, as Apple's libraries do.
    /// Errors have Apple's shape, and unknown names in the query are ignored.
    case serverAPI
    /// Authenticated by the request itself, as Apple does. It has a shared secret in the body, a token signed by the
    /// app's server, or the admin key or a ticket for the console. Paths of this kind that are not built yet respond 501
    /// to every caller.
    case named
}

/// The order in which an overloaded gateway refuses requests: those of the first case first.
package enum Urgency: String, CaseIterable, Sendable {
    /// Reads, and everything without another urgency.
    case query
    /// Leads to a charge.
    case purchase
    /// Completes a purchase that is paid for: finish and restore.
    case completion
    /// Is never refused for overload: streams, waits and downloads, which have limits of their own, and monitoring.
    case unlimited
}
