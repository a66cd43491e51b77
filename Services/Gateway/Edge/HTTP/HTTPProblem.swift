import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

/// An error with the header fields of its response. The response's body is a `Problem`. With `retryAfterMs` it also has
/// a `Retry-After` header in seconds.
package struct HTTPProblem: Error {
    let error: StoreError
    /// The header fields of this response: `Allow`, `WWW-Authenticate`.
    var headers: HTTPFields = [:]

    /// - Parameter headers: `Allow`, `WWW-Authenticate` and the like.
    package init(_ error: StoreError, headers: HTTPFields = [:]) {
        self.error = error
        self.headers = headers
    }

    /// - Parameter store: The isolated store of the request, whose app the error names as clients do.
    func response(traceID: String, in store: IsolatedApp? = nil) -> Response {
        var headers = self.headers
        headers[.contentType] = "application/problem+json"
        headers[.cacheControl] = "no-store"
        if let retryAfterMs = error.retryAfterMs { headers[.retryAfter] = "\((retryAfterMs + 999) / 1000)" }
        var error = error
        if let store { error.message = error.message.replacing(store.bundleId, with: store.shownBundleId) }
        let problem = Problem(error, status: status.code, title: title, traceID: traceID)
        // Encoding strings, numbers and booleans cannot fail; if it does, the client still gets the status.
        let body = (try? StoreJSON.encode(problem)) ?? []
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    private var status: HTTPResponse.Status { .init(code: (400...599).contains(error.status) ? error.status : 500) }

    /// The status as text (RFC 9110 §15), for the statuses the gateway uses.
    private var title: String {
        switch status.code {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: status.code < 500 ? "Refused" : "Internal Server Error"
        }
    }
}

extension HTTPFields {
    /// The header of a stream of server-sent events. Detecting that the client hangs up requires the connection for
    /// itself.
    package static let eventStream: HTTPFields = [
        .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no", .connection: "close",
    ]
}

extension HTTPField.Name {
    // `Name(_:)` fails only for text that is not a token (RFC 9110 §5.1); a test checks each of these.
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
    /// `true` in a response that repeats an earlier one.
    package static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed")!
    static let sbTimeout = HTTPField.Name("Sb-Timeout")!
    static let storebusCSRF = HTTPField.Name(ConsoleRoutes.csrfHeader)!
    /// Whether a browser tells other pages the address.
    package static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
    /// The last event that a stream's client has read.
    package static let lastEventID = HTTPField.Name("Last-Event-ID")!
    static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")!
    static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
}

extension StoreError {
    /// The refusal of a gateway that stops.
    package static let stopping = StoreError(.serviceUnavailable, "this gateway is stopping", retryAfterMs: 100)
}

extension HTTPProblem {
    /// The error's response where errors have Apple's shape: one that AppStoreServer has not answered.
    var serverAPIResponse: Response {
        let apple = ServerAPIError(error)
        let body = ServerAPIErrorResponse(errorCode: apple.code, errorMessage: apple.message)
        // Encoding a number and a sentence cannot fail; if it does, the client still gets the status.
        let bytes = (try? StoreJSON.encode(body)) ?? []
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let retryAfterMs = error.retryAfterMs { headers[.retryAfter] = "\((retryAfterMs + 999) / 1000)" }
        return Response(
            status: .init(code: apple.status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
