internal import StoreHTTP
internal import StoreModels

/// A refusal by the gateway (RFC 9457). The underlying error of an ``SKError``.
public struct StoreProblem: LocalizedError, Equatable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The store's error code, such as `serviceUnavailable` (docs/ERRORS.md). Empty when the gateway did not send the
    /// response.
    public let code: String
    /// One sentence for people.
    public let detail: String
    /// Whether the same request may be retried.
    public let isRetryable: Bool
    /// The delay before a retry, or nil if unknown.
    public let retryAfter: Duration?
    /// The identifier that finds the request in the store's logs.
    public let traceId: String?
    /// The request for a refund that is open already, where one is in the way.
    let refundRequestIdentifier: String?
    /// The StoreKit error, where the gateway names one.
    let storeKitError: TransactionError?

    /// The same as `detail`.
    public var errorDescription: String? { detail }
}

extension StoreProblem {
    /// Reads `application/problem+json`. From any other body it takes only the status.
    init(status: Int, body: [UInt8]) {
        let problem = Problem(body: body)
        self.status = status
        code = problem?.code?.name ?? ""
        detail = problem?.detail ?? "the store answered with status \(status)"
        isRetryable = problem?.retryable ?? (status >= 500)
        retryAfter = problem?.retryAfterMs.map { .milliseconds($0) }
        traceId = problem?.traceId
        refundRequestIdentifier = problem?.details["refundRequestIdentifier"]?.stringValue
        storeKitError = problem?.details["error"].flatMap {
            try? StoreJSON.decode(TransactionError.self, from: StoreJSON.encode($0))
        }
    }
}
