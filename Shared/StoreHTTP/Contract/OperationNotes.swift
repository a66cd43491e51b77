/// Notes for the API's description of an operation, besides its route, types and comment.
package struct OperationNotes: Sendable {
    /// The needs of an operation, which decide the errors that it may have.
    package enum Needs: Sendable {
        /// A service, within the request's deadline.
        case service
        /// A service or a database. No deadline of the request ends the wait for it.
        case storage
        /// Only the gateway, which may have a fault.
        case gateway
        /// Only the gateway's memory.
        case memory
    }

    /// The operation's identifier, unique in the document.
    package let id: String
    /// The text in place of the comment's first sentence. Nil for the comment.
    package let summary: String?
    /// The tag in place of those that the route's access implies. Nil for those.
    package let tag: String?
    package let needs: Needs
    /// Parameters besides those of the path and `Sb-Timeout`.
    package let parameters: [Parameter]
    package let content: RequestContent
    /// Every response but errors. Empty for the one that the response type implies.
    package let responses: [SuccessResponse]
    /// Errors in place of those that every operation of its kind has at their statuses, and further ones.
    package let errors: [ErrorResponse]
    /// The file and line of the declaration, below its comment.
    package let file: String
    package let line: Int
}

extension OperationNotes {
    /// Creates the notes of another endpoint of the same route.
    init(_ other: OperationNotes, responses: [SuccessResponse]) {
        self.init(
            id: other.id, summary: other.summary, tag: other.tag, needs: other.needs, parameters: other.parameters,
            content: other.content, responses: responses, errors: other.errors, file: other.file, line: other.line)
    }
}

/// The content of a request's body.
package enum RequestContent: Sendable {
    /// The JSON of the request type. There is no body for `Empty`, unless the body is optional.
    case ofType
    /// JSON that the handler reads by itself, by the name of its schema in the document.
    case json(String)
    /// The JSON of the request type, narrowed.
    case narrowed(Schema)
    /// Bytes of a media type.
    case bytes(String)
    /// An object without members, although the handler's type has some.
    case nothing
}
