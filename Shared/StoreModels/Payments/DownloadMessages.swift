/// An app's action on a download, named as StoreKit's calls. `finish` and `fail` are the client library's report of the
/// transfer's end.
public enum DownloadAction: String, CaseIterable, Sendable, Codable {
    case start, pause, resume, cancel, finish, fail
}

/// `{"bundleId":"…","customerIdentifier":"c_…","deviceId":"alice-1","downloadId":"d_…","action":"start"}`
public struct UpdateDownloadRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The device whose state of the download changes.
    public var deviceId: String
    /// As ``Download/id``.
    public var downloadId: String
    /// An action that the state does not allow is `downloadStateInvalid`.
    public var action: DownloadAction
    /// The error of `fail`. Nil means `unknown`.
    public var error: SKErrorCode?
}

/// Asks for a download of an unfinished transaction, as it is for one device. Any other is `notFound`.
public struct DownloadRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The device whose state of the download is read.
    public var deviceId: String
    /// As ``Download/id``.
    public var downloadId: String
}

/// The download, and the product whose content it is. The caller asks Catalog for the product.
public struct DownloadReply: Hashable, Sendable, Codable {
    /// The download after the action, as it is for the device.
    public var download: Download
    /// The product whose content it is. `contentIdentifier` is the same text.
    public var productIdentifier: String
}
