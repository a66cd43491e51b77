/// A package of hosted content that comes with a transaction, as `SKDownload`.
public struct Download: Hashable, Sendable, Codable {
    /// `SKDownloadState`; 0 to 5 in StoreKit, in this order.
    public enum State: String, CaseIterable, Sendable, Codable {
        case waiting, active, paused, finished, failed, cancelled
    }

    /// Server-made, used in `/v1/downloads/{id}`.
    public var id: String
    public var state: State
    public var contentIdentifier: String
    /// Dotted integers, `1.0`.
    public var contentVersion: String
    /// Bytes.
    public var contentLength: Int64

    public init(id: String, state: State, contentIdentifier: String, contentVersion: String, contentLength: Int64) {
        self.id = id
        self.state = state
        self.contentIdentifier = contentIdentifier
        self.contentVersion = contentVersion
        self.contentLength = contentLength
    }
}
