/// What an app does to a download, by the name of StoreKit's calls; `finish` and `fail` are the client library's report
/// of what became of the transfer.
public enum DownloadAction: String, CaseIterable, Sendable, Codable {
    case start, pause, resume, cancel, finish, fail
}

/// `{"bundleId":"…","customerIdentifier":"c_…","deviceId":"alice-1","downloadId":"d_…","action":"start"}`
public struct UpdateDownloadRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var customerIdentifier: String
    public var deviceId: String
    public var downloadId: String
    public var action: DownloadAction
    /// With `fail`: why; nil is `unknown`.
    public var error: SKErrorCode?
    public init(
        bundleId: String, customerIdentifier: String, deviceId: String, downloadId: String, action: DownloadAction,
        error: SKErrorCode? = nil
    ) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.deviceId = deviceId
        self.downloadId = downloadId
        self.action = action
        self.error = error
    }
}

/// A download of one customer's unfinished transaction, as it is for one device. Any other is `notFound`.
public struct DownloadRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var customerIdentifier: String
    public var deviceId: String
    public var downloadId: String
    public init(bundleId: String, customerIdentifier: String, deviceId: String, downloadId: String) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.deviceId = deviceId
        self.downloadId = downloadId
    }
}

/// The download, and the product whose content it is, which Catalog is asked for.
public struct DownloadReply: Hashable, Sendable, Codable {
    public var download: Download
    public var productIdentifier: String
    public init(download: Download, productIdentifier: String) {
        self.download = download
        self.productIdentifier = productIdentifier
    }
}
