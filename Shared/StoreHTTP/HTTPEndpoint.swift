import StoreModels

/// A route with its request and response types, and with notes for the API's description.
///
/// Both are `Codable` types whose JSON is the body, or one of the kinds without JSON: ``RawBody``, ``NoContent``,
/// ``EventStream``. The gateway reads the request strictly and rejects a member that the type lacks. Its handlers
/// return the response type. Clients read the response leniently, so that a newer gateway may add members.
///
/// `openapi.json` is written from the endpoints. The first sentence of an endpoint's comment is the operation's summary,
/// the rest its description.
package struct HTTPEndpoint<Request: Sendable, Response: Sendable>: HTTPOperation {
    /// Method, path, admitted callers and query names.
    package let route: HTTPRoute
    /// Whether the body may be missing. The gateway then reads `{}`.
    package let isBodyOptional: Bool
    package let notes: OperationNotes
    package var request: any Sendable.Type { Request.self }
    package var response: any Sendable.Type { Response.self }

    /// Creates the endpoint with its route.
    /// - Parameters:
    ///   - id: The operation's identifier in `openapi.json`.
    ///   - parameters: Besides those of the path and `Sb-Timeout`.
    ///   - isBodyOptional: For requests without required members.
    ///   - summary: In place of the comment, of a declaration that makes several endpoints.
    ///   - tag: In place of the tags of the access.
    ///   - responses: Left out: 204 for ``NoContent``, else 200 with the response type.
    ///   - errors: Those that not every operation of this access has.
    package init(
        _ id: String, _ method: HTTPRoute.Method, _ path: HTTPPath, _ access: Access, parameters: [Parameter] = [],
        isBodyOptional: Bool = false, urgency: Urgency = .query, body: HTTPRoute.Body = .small,
        content: RequestContent = .ofType, summary: String? = nil, tag: String? = nil,
        needs: OperationNotes.Needs = .service, responses: [SuccessResponse] = [], errors: [ErrorResponse] = [],
        file: String = #fileID, line: Int = #line
    ) {
        let key = parameters.first { $0.name == "Idempotency-Key" }
        route = HTTPRoute(
            method, path, access, query: Set(parameters.filter { $0.location == .query }.map(\.name)),
            idempotencyKey: key.map { $0.isRequired ? .required : .optional } ?? .none, urgency: urgency, body: body)
        self.isBodyOptional = isBodyOptional
        notes = OperationNotes(
            id: id, summary: summary, tag: tag, needs: needs, parameters: parameters, content: content,
            responses: responses, errors: errors, file: file, line: line)
    }

    /// Creates the endpoint of another one's route, with another response.
    package init<Other>(_ other: HTTPEndpoint<Request, Other>, responses: [SuccessResponse] = []) {
        route = other.route
        isBodyOptional = other.isBodyOptional
        notes = OperationNotes(other.notes, responses: responses)
    }
}

/// An endpoint whose types are values.
package protocol HTTPOperation: Sendable {
    var route: HTTPRoute { get }
    var isBodyOptional: Bool { get }
    var notes: OperationNotes { get }
    var request: any Sendable.Type { get }
    var response: any Sendable.Type { get }
}

extension HTTPOperation {
    /// Whether this version implements the operation.
    package var isBuilt: Bool { response != NotBuilt.self }
}

/// A request or response of bytes that are not the JSON of a type: a file, an image, a page.
package enum RawBody: Sendable {}

/// A response without a body, 204.
package enum NoContent: Sendable {}

/// A response that is a stream of server-sent events.
package enum EventStream: Sendable {}

/// The response of an operation that this version does not implement, 501.
package enum NotBuilt: Sendable {}

/// A type with the same JSON as a `Body`, in another form.
///
/// The gateway writes one that forwards bytes of a service. A client reads one that has fewer members.
package protocol JSONForm<Body>: Sendable {
    associatedtype Body: Sendable
}

/// A body with rules beyond its types. Reading it checks them.
package protocol CheckedBody {
    /// - Throws: `requestInvalid` that names the member.
    func validate() throws(StoreError)
}
