/// A route whose request and response are JSON, with the types of both.
///
/// The gateway reads the request strictly: a member the type lacks is refused. Clients read the response leniently, so
/// that a newer gateway may add members.
package struct HTTPEndpoint<Request: Codable & Sendable, Response: Sendable>: Sendable {
    /// The method, path and access that the router and clients read.
    package let route: HTTPRoute
    /// Whether the body may be missing; the gateway then reads `{}`.
    package let isBodyOptional: Bool

    /// Creates the endpoint with its route; `isBodyOptional` is for requests without required members.
    package init(
        _ method: HTTPRoute.Method, _ path: HTTPPath, _ access: Access, query: Set<String> = [],
        idempotencyKey: HTTPRoute.IdempotencyKey = .none, isBodyOptional: Bool = false
    ) {
        route = HTTPRoute(method, path, access, query: query, idempotencyKey: idempotencyKey)
        self.isBodyOptional = isBodyOptional
    }
}
