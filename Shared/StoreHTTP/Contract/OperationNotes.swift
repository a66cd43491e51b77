/// What the API's description says of an operation besides its route, its types and its comment.
package struct OperationNotes: Sendable {
    /// What an operation needs, which decides the errors that it may have.
    package enum Needs: Sendable {
        /// A service, within the request's deadline.
        case service
        /// A service or a database; no deadline of the request ends the wait for it.
        case storage
        /// Only the gateway, which may have a fault.
        case gateway
        /// Only the gateway's memory.
        case memory
    }

    /// The operation's identifier, unique in the document.
    package let id: String
    /// In place of the comment's first sentence; nil for the comment.
    package let summary: String?
    /// In place of the tags that the route's access implies; nil for those.
    package let tag: String?
    package let needs: Needs
    /// Parameters besides those of the path and `Sb-Timeout`.
    package let parameters: [Parameter]
    package let content: RequestContent
    /// Every response but errors; empty for the one that the response type implies.
    package let responses: [SuccessResponse]
    /// Errors in place of those that every operation of its kind has at their statuses, and further ones.
    package let errors: [ErrorResponse]
    /// The file and line of the declaration, below its comment.
    package let file: String
    package let line: Int

    init(
        id: String, summary: String?, tag: String?, needs: Needs, parameters: [Parameter], content: RequestContent,
        responses: [SuccessResponse], errors: [ErrorResponse], file: String, line: Int
    ) {
        self.id = id
        self.summary = summary
        self.tag = tag
        self.needs = needs
        self.parameters = parameters
        self.content = content
        self.responses = responses
        self.errors = errors
        self.file = file
        self.line = line
    }

    /// Creates the notes of another endpoint of the same route.
    init(_ other: OperationNotes, responses: [SuccessResponse]) {
        self.init(
            id: other.id, summary: other.summary, tag: other.tag, needs: other.needs, parameters: other.parameters,
            content: other.content, responses: responses, errors: other.errors, file: other.file, line: other.line)
    }
}

/// What the body of a request is.
package enum RequestContent: Sendable {
    /// The JSON of the request type; no body for `Empty`, unless the body is optional.
    case ofType
    /// JSON that the handler reads by itself.
    case json(Schema)
    /// The JSON of the request type, narrowed.
    case narrowed(Schema)
    /// Bytes of a media type.
    case bytes(String)
    /// An object without members, although the handler's type has some.
    case nothing
}
