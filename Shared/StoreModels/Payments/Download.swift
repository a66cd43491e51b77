/// A package of hosted content that comes with a transaction, as `SKDownload`.
///
/// ```json
/// {"id":"d_01m7ye06a9fztjwq7kqekddpc9","transactionId":"t_01m7ye06a9fztjwq7kqekddpc9","state":"waiting",
///  "contentIdentifier":"com.example.guide","contentVersion":"1.0","contentLength":73412}
/// ```
public struct Download: Hashable, Sendable, Codable {
    /// `SKDownloadState`, 0 to 5 in StoreKit, in this order.
    public enum State: String, CaseIterable, Sendable, Codable {
        case waiting, active, paused, finished, failed, cancelled
    }

    /// Made by the service, used in `/v1/downloads/{id}`.
    public var id: String
    /// The transaction it comes with, by `id`.
    public var transactionId: String
    /// The state on the requesting device. Other devices have their own.
    public var state: State
    /// The product's identifier, as in ``HostedContent/contentIdentifier``.
    public var contentIdentifier: String
    /// Dotted integers, `1.0`.
    public var contentVersion: String
    /// Bytes.
    public var contentLength: Int64
    /// Non-null in failed only.
    public var error: TransactionError?
}
