import HTTPTypes
import Hummingbird
import StoreHTTP

/// One entry of the gateway's table. Router, authentication, access log, metrics and the check of `openapi.json` read
/// it.
struct Route: Sendable {
    typealias Handler = @Sendable (Call) async throws -> Response

    enum Action: Sendable {
        case handled(Handler)
        /// Part of the contract, not implemented yet: responds 501 with this sentence.
        case notBuilt(String)
    }

    /// The operation, as clients name it too.
    let operation: HTTPRoute
    let method: HTTPRequest.Method
    /// `/v1/transactions/{id}/finish`
    var path: String { operation.path.description }
    let access: Access
    /// Names the query may have.
    var query: Set<String> { operation.query }
    let action: Action

    /// - Parameter access: The callers admitted, where configuration decides; nil for the operation's own.
    init(_ operation: HTTPRoute, access: Access? = nil, _ handler: @escaping Handler) {
        self.init(operation, access ?? operation.access, .handled(handler))
    }

    /// - Parameter access: The callers admitted, where configuration decides; nil for the endpoint's own.
    init<Request, Response>(
        _ endpoint: HTTPEndpoint<Request, Response>, access: Access? = nil, _ handler: @escaping Handler
    ) {
        self.init(endpoint.route, access: access, handler)
    }

    /// Creates a route of a later version. `sentence` says what is missing.
    init(notBuilt operation: HTTPRoute, _ sentence: String) {
        self.init(operation, operation.access, .notBuilt(sentence))
    }

    private init(_ operation: HTTPRoute, _ access: Access, _ action: Action) {
        self.operation = operation
        self.method = HTTPRequest.Method(operation.method)
        self.access = access
        self.action = action
    }

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
