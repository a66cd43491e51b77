import StoreModels

/// A response of an operation that went well.
package struct SuccessResponse: Sendable {
    /// The content of a response's body where it is not the endpoint type's JSON.
    package enum Content: Sendable {
        /// The JSON of the endpoint's response type. No body for ``NoContent``.
        case ofType
        /// JSON of no type.
        case json(Schema)
        /// Text of these media types.
        case text([String])
        /// Bytes of these media types.
        case bytes([String])
        /// Several media types, with their schemas.
        case media([(String, Schema?)])
        /// Server-sent events.
        case events([StreamedEvent])
        /// No body, although the status is not 204.
        case none
    }

    package let status: Int
    /// The response's description. Nil for the comment of its type.
    package let description: String?
    package let content: Content
    package let headers: [ResponseHeader]
    package let links: [Link]

    private init(
        _ status: Int, _ description: String?, _ content: Content, _ headers: [ResponseHeader], _ links: [Link]
    ) {
        self.status = status
        self.description = description
        self.content = content
        self.headers = headers
        self.links = links
    }

    package static func ok(
        _ description: String? = nil, _ content: Content = .ofType, headers: [ResponseHeader] = [], links: [Link] = []
    ) -> SuccessResponse {
        SuccessResponse(200, description, content, headers, links)
    }

    package static func created(
        _ description: String? = nil, headers: [ResponseHeader] = [], links: [Link] = []
    ) -> SuccessResponse {
        SuccessResponse(201, description, .ofType, headers, links)
    }

    package static func accepted(
        _ description: String? = nil, _ content: Content = .ofType, headers: [ResponseHeader] = [], links: [Link] = []
    ) -> SuccessResponse {
        SuccessResponse(202, description, content, headers, links)
    }

    package static func noContent(_ description: String? = nil, headers: [ResponseHeader] = []) -> SuccessResponse {
        SuccessResponse(204, description, .none, headers, [])
    }

    package static func partialContent(
        _ description: String, _ content: Content, headers: [ResponseHeader]
    ) -> SuccessResponse {
        SuccessResponse(206, description, content, headers, [])
    }

    package static func notModified(_ description: String, headers: [ResponseHeader] = []) -> SuccessResponse {
        SuccessResponse(304, description, .none, headers, [])
    }

    /// The response of a readiness check that fails, with the body of one that succeeds.
    package static func notReady(_ description: String) -> SuccessResponse {
        SuccessResponse(503, description, .ofType, [], [])
    }
}

/// An operation that a response leads to, by values of the request or the response.
package struct Link: Sendable {
    package let name: String
    /// The operation's identifier.
    package let operation: String
    /// Path parameters by name, as runtime expressions: `$response.body#/id`.
    package let parameters: [(String, String)]
    package let description: String

    package init(
        _ name: String, to operation: String, _ parameters: KeyValuePairs<String, String>, _ description: String
    ) {
        self.name = name
        self.operation = operation
        self.parameters = parameters.map { ($0.key, $0.value) }
        self.description = description
    }
}

/// A header of a response.
package struct ResponseHeader: Sendable {
    package let name: String
    /// The name of its component in the document.
    package let component: String
    package let description: String
    package let schema: Schema
    /// Whether each response has it.
    package let isRequired: Bool

    init(_ name: String, component: String, _ description: String, _ schema: Schema, isRequired: Bool = true) {
        self.name = name
        self.component = component
        self.description = description
        self.schema = schema
        self.isRequired = isRequired
    }

    package static let retryAfter = ResponseHeader(
        "Retry-After", component: "RetryAfter", "Seconds; present when they are known.",
        ["type": "integer", "minimum": 0], isRequired: false)
    package static let authenticate = ResponseHeader(
        "WWW-Authenticate", component: "Authenticate", "RFC 9110.", .text(matching: "^Bearer "))
    package static let replayed = ResponseHeader(
        "Idempotent-Replayed", component: "Replayed", "true when the key was answered before.", ["const": "true"],
        isRequired: false)
    package static let catalogVersion = ResponseHeader(
        "ETag", component: "Version", "The catalogue's version.", .text(matching: "^\"[0-9]+\"$"))
    package static let fileTag = ResponseHeader(
        "ETag", component: "FileTag", "The digest of the file.", .text(matching: "^\"[0-9a-f]{32}\"$"))
    package static let contentTag = ResponseHeader(
        "ETag", component: "ContentTag", "The SHA-256 of the content.", .text(matching: "^\"[0-9a-f]{64}\"$"))
    package static let consoleCookie = ResponseHeader(
        "Set-Cookie", component: "ConsoleCookie",
        "\(ConsoleRoutes.cookie), for the whole host; Secure where the client speaks HTTPS.",
        .text(matching: "^\(ConsoleRoutes.cookie)="))
    package static let contentRange = ResponseHeader(
        "Content-Range", component: "ContentRange", "The bytes of the response, and how many there are in all.",
        .text(matching: "^bytes [0-9]+-[0-9]+/[0-9]+$"))
    package static let unsatisfiedRange = ResponseHeader(
        "Content-Range", component: "Unsatisfied", "How many bytes there are.",
        .text(matching: "^bytes \\*/[0-9]+$"))
    package static let acceptRanges = ResponseHeader(
        "Accept-Ranges", component: "AcceptRanges", "Single ranges of bytes.", ["const": "bytes"])
    package static let progressPath = ResponseHeader(
        "Location", component: "Location", "The path that reports the progress.",
        .text(matching: "^/admin/v1/apps/"))
    /// As Apple writes it.
    package static let nextRequestAt = ResponseHeader(
        "Retry-After", component: "NextRequestAt", "When to ask again, in milliseconds since 1970, as Apple writes it.",
        ["type": "integer", "format": "int64"], isRequired: false)
}

/// An event of a stream with the schema of its data.
package struct StreamedEvent: Sendable {
    package let name: String
    package let data: Schema
    /// The schema of the event's identifier. Nil for a stream without identifiers.
    package let id: Schema?
}

extension SuccessResponse.Content {
    /// The URL that starts a promoted purchase, or its QR code.
    static let testURL = SuccessResponse.Content.media([
        (
            "text/plain",
            [
                "type": "string",
                "examples": [
                    "itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=com.example.pro.monthly"
                ],
            ]
        ), ("image/svg+xml", nil),
    ])
    static let certificate = SuccessResponse.Content.media([
        ("application/x-pem-file", ["type": "string"]),
        ("application/pkix-cert", ["type": "string", "format": "binary"]),
    ])
}
