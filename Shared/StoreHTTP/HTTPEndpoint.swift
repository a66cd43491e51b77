/// A route with the types of its request and its response.
///
/// Both are `Codable` types whose JSON is the body, or one of the kinds without JSON: ``RawBody``, ``NoContent``,
/// ``EventStream``. The gateway reads the request strictly and rejects a member that the type lacks; its handlers
/// return the response type. Clients read the response leniently, so that a newer gateway may add members.
package struct HTTPEndpoint<Request: Sendable, Response: Sendable>: Sendable {
    /// Method, path, admitted callers and query names.
    package let route: HTTPRoute
    /// Whether the body may be missing; the gateway then reads `{}`.
    package let isBodyOptional: Bool

    /// Creates the endpoint with its route; `isBodyOptional` is for requests without required members.
    package init(
        _ method: HTTPRoute.Method, _ path: HTTPPath, _ access: Access, query: Set<String> = [],
        idempotencyKey: HTTPRoute.IdempotencyKey = .none, isBodyOptional: Bool = false, urgency: Urgency = .query,
        body: HTTPRoute.Body = .small
    ) {
        route = HTTPRoute(
            method, path, access, query: query, idempotencyKey: idempotencyKey, urgency: urgency, body: body)
        self.isBodyOptional = isBodyOptional
    }

    /// Creates the endpoint of a route that has another one too, with another response.
    package init(_ route: HTTPRoute) {
        self.route = route
        isBodyOptional = false
    }
}

/// A request or response of bytes that are not the JSON of a type: a file, an image, a page.
package enum RawBody: Sendable {}

/// A response without a body, 204.
package enum NoContent: Sendable {}

/// A response that is a stream of server-sent events.
package enum EventStream: Sendable {}

/// A type with the same JSON as a `Body`, in another form.
///
/// The gateway writes one that forwards bytes of a service; a client reads one that has fewer members.
package protocol JSONForm<Body>: Sendable {
    associatedtype Body: Sendable
}
