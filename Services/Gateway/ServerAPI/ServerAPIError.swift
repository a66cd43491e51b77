import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

extension ServerAPIError {
    /// The HTTP status, which are the number's first three digits.
    var status: HTTPResponse.Status { .init(code: code / 10_000) }

    /// Converts a problem of the gateway or a service. Only a repeatable one is said to be so.
    init(_ problem: HTTPError) {
        switch problem.error.code {
        case .internal: self = .generalInternal
        // The path names an isolated store that is gone, or another one than the key's.
        case .notFound: self = .appNotFound
        case _ where problem.error.retryable || problem.error.leavesOutcomeUnknown: self = .generalInternalRetryable
        case _ where (400..<500).contains(problem.error.status): self = .generalBadRequest
        default: self = .generalInternal
        }
    }

    /// Apple's libraries read the body only when the type is exactly this.
    var response: Response {
        let body = ServerAPIErrorResponse(errorCode: code, errorMessage: message)
        // Encoding a number and a sentence cannot fail; if it does, the client still gets the status.
        let bytes = (try? StoreJSON.encode(body)) ?? []
        return Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// The response to a request too many.
    /// - Parameter next: When the server may ask again. Apple writes it in milliseconds since 1970.
    static func rateLimitExceeded(until next: Timestamp) -> Response {
        var response = rateLimitExceeded.response
        response.headers[.retryAfter] = "\(next.milliseconds)"
        return response
    }

    /// The response to a token that is not accepted, as Apple writes it. The reason is in `WWW-Authenticate`.
    static func unauthenticated(_ problem: HTTPError) -> Response {
        var headers = problem.headers
        headers[.contentType] = "text/plain"
        headers[.cacheControl] = "no-store"
        return Response(
            status: .unauthorized, headers: headers, body: .init(byteBuffer: ByteBuffer(string: "Unauthenticated\n")))
    }
}

extension HTTPError {
    /// The error's response where errors have Apple's shape.
    var serverAPIResponse: Response {
        guard error.code != .unauthenticated else { return ServerAPIError.unauthenticated(self) }
        var response = ServerAPIError(self).response
        if let retryAfterMs = error.retryAfterMs { response.headers[.retryAfter] = "\((retryAfterMs + 999) / 1000)" }
        return response
    }
}
