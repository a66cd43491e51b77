import Foundation
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
        let members = (try? StrictJSON.parse(body))?.objectValue ?? [:]
        self.status = status
        code = members["code"]?.stringValue ?? ""
        detail = members["detail"]?.stringValue ?? "the store answered with status \(status)"
        isRetryable = members["retryable"]?.boolValue ?? (status >= 500)
        retryAfter = members["retryAfterMs"]?.intValue.map { .milliseconds($0) }
        traceId = members["traceId"]?.stringValue
        storeKitError = members["error"].flatMap {
            try? StoreJSON.decode(TransactionError.self, from: StoreJSON.encode($0))
        }
    }
}
