import HTTPTypes
import Hummingbird

/// One entry of the gateway's table. Router, authentication, access log, metrics and the check of `openapi.json` read
/// it.
struct Route: Sendable {
    typealias Handler = @Sendable (Call) async throws -> Response

    enum Action: Sendable {
        case handled(Handler)
        /// Part of the contract, not implemented yet: responds 501 with this sentence.
        case notBuilt(String)
    }

    let method: HTTPRequest.Method
    /// `/v1/transactions/{id}/finish`
    let path: String
    let access: Access
    /// Names the query may have.
    let query: Set<String>
    let action: Action

    init(
        _ method: HTTPRequest.Method, _ path: String, _ access: Access, query: Set<String> = [],
        _ handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.query = query
        self.action = .handled(handler)
    }

    /// Creates a route of a later version. `sentence` says what is missing.
    init(notBuilt method: HTTPRequest.Method, _ path: String, _ access: Access, _ sentence: String) {
        self.method = method
        self.path = path
        self.access = access
        self.query = []
        self.action = .notBuilt(sentence)
    }

    var isBuilt: Bool {
        if case .handled = action { return true }
        return false
    }
}
