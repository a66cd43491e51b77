import StoreHTTP
import StoreModels

extension ServerReply {
    /// The response to a request that Apple refuses. Libraries read the body only when the type is exactly this.
    static func refusal(_ error: ServerAPIError) -> ServerReply {
        let body = ServerAPIErrorResponse(errorCode: error.code, errorMessage: error.message)
        // Encoding a number and a sentence cannot fail; if it does, the client still gets the status.
        return (try? ServerReply(body, status: error.status)) ?? .empty(error.status)
    }

    /// The response to a problem of this service or another one, in Apple's words.
    static func refusal(_ problem: StoreError) -> ServerReply {
        var reply = refusal(ServerAPIError(problem))
        if let retryAfterMs = problem.retryAfterMs { reply.headers["Retry-After"] = "\((retryAfterMs + 999) / 1000)" }
        return reply
    }

    /// The response to a request too many.
    /// - Parameter next: When the server may ask again. Apple writes it in milliseconds since 1970.
    static func rateLimitExceeded(until next: Timestamp) -> ServerReply {
        var reply = refusal(.rateLimitExceeded)
        reply.headers["Retry-After"] = "\(next.milliseconds)"
        return reply
    }

    /// The response to a token that is not accepted, as Apple writes it. The reason is in `WWW-Authenticate`.
    static func unauthenticated(_ rejection: ServerAPITokens.Rejection) -> ServerReply {
        var reply = ServerReply(bytes: Array("Unauthenticated\n".utf8), contentType: "text/plain", status: 401)
        reply.headers["Cache-Control"] = "no-store"
        reply.headers["WWW-Authenticate"] =
            rejection.isMissing
            ? "Bearer realm=\"storebus\""
            : "Bearer error=\"invalid_token\", error_description=\"\(rejection.reason)\""
        reply.reason = rejection.reason
        return reply
    }
}
