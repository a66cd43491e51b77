import HTTPTypes
import Hummingbird
import NIOCore
import StoreModels

/// An error as an HTTP response (RFC 9457), `application/problem+json`:
///
/// ```json
/// {"type":"urn:storebus:problem:transactionNotFinishable","title":"Conflict","status":409,
///  "detail":"transaction t_01j… is purchasing","code":"transactionNotFinishable","retryable":false,
///  "traceId":"4bf92f3577b34da6a3ce929d0e0e4736","remedy":"Finish a transaction when it is purchased, …"}
/// ```
/// `code` is the contract. Details for programs (`problems`, `path`, `reason`) are separate members; `retryAfterMs` is
/// present when it is known, together with a `Retry-After` header in seconds.
struct Problem: Error {
    let error: StoreError
    /// Header fields this response needs: `Allow`, `WWW-Authenticate`.
    var headers: HTTPFields = [:]

    init(_ error: StoreError, headers: HTTPFields = [:]) {
        self.error = error
        self.headers = headers
    }

    func response(traceID: String) -> Response {
        var headers = self.headers
        headers[.contentType] = "application/problem+json"
        headers[.cacheControl] = "no-store"
        if let retryAfterMs = error.retryAfterMs { headers[.retryAfter] = "\((retryAfterMs + 999) / 1000)" }
        return Response(status: status, headers: headers, body: .init(byteBuffer: body(traceID: traceID)))
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

    private func body(traceID: String) -> ByteBuffer {
        var members = error.details
        members["type"] = .string("urn:storebus:problem:\(error.code)")
        members["title"] = .string(title)
        members["status"] = .integer(status.code)
        members["detail"] = .string(error.message)
        members["code"] = .string(error.code.name)
        members["retryable"] = .bool(error.retryable)
        members["retryAfterMs"] = error.retryAfterMs.map { .integer($0) }
        members["traceId"] = .string(traceID)
        members["remedy"] = .string(error.code.remedy)
        // Strings, numbers and booleans can always be encoded; if not, the client still gets the status.
        return ByteBuffer(bytes: (try? StoreJSON.encode(JSONValue.object(members))) ?? [])
    }
}

extension StoreError {
    /// Creates an error for an invalid request; `place` names where, `$.quantity` or `query limit`.
    static func invalid(_ place: String, _ reason: String, status: Int = 400) -> StoreError {
        var error = StoreError(.requestInvalid, "\(place): \(reason)", details: ["path": .string(place)])
        error.status = status
        return error
    }

    /// Creates the same error for a missing object and for another customer's or app's (S1).
    static func notFound(_ what: String) -> StoreError { StoreError(.notFound, "there is no such \(what)") }
}
