import Foundation
internal import StoreHTTP
internal import StoreModels

/// A refusal by the gateway (RFC 9457). The underlying error of an ``SKError``.
public struct StoreProblem: LocalizedError, Equatable, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The contract's error code: `serviceUnavailable`, `requestInvalid`, … Empty when the response is not the
    /// gateway's.
    public let code: String
    /// One sentence for people.
    public let detail: String
    /// Whether the same request may be retried.
    public let isRetryable: Bool
    /// The delay before a retry; nil when unknown.
    public let retryAfter: Duration?
    /// The identifier that finds the request in the store's logs.
    public let traceId: String?
    /// What StoreKit would report, where the store says it.
    let storeKitError: TransactionError?

    public var errorDescription: String? { detail }
}

extension StoreProblem {
    /// Reads `application/problem+json`; any other body of an intermediary is reported by its status alone.
    init(status: Int, body: [UInt8]) {
        let problem = Problem(body: body)
        self.status = status
        code = problem?.code?.name ?? ""
        detail = problem?.detail ?? "the store answered with status \(status)"
        isRetryable = problem?.retryable ?? (status >= 500)
        retryAfter = problem?.retryAfterMs.map { .milliseconds($0) }
        traceId = problem?.traceId
        storeKitError = problem?.details["error"].flatMap {
            try? StoreJSON.decode(TransactionError.self, from: StoreJSON.encode($0))
        }
    }
}
