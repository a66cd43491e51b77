/// A restore of completed transactions and its progress:
///
/// ```json
/// {"restoreIdentifier":"r_01m7ye06a9fztjwq7kqekddpc9","state":"finished","restored":2,
///  "applicationUsername":"u-17"}
/// ```
public struct Restore: Hashable, Sendable, Codable {
    /// The progress of a restore. The last two are final.
    public enum State: String, CaseIterable, Sendable, Codable {
        case running, finished, failed
    }

    /// Made by the service, used in `/v1/restores/{restoreIdentifier}` and in the events of its end.
    public var restoreIdentifier: String
    /// A restore ends in `finished` or `failed` and stays there.
    public var state: State
    /// Non-null in failed only (M42).
    public var error: TransactionError?
    /// Transactions restored so far.
    public var restored: Int
    /// The app's value. It does not filter.
    public var applicationUsername: String?
}

/// Begins a restore. A repeated key gives the same restore, or `keyReused` with another username.
public struct StartRestoreRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The only device that gets the restored transactions and the end.
    public var deviceId: String
    /// The idempotency key.
    public var requestIdentifier: String
    /// The app's value, at most 255 characters. It does not filter.
    public var applicationUsername: String?
}

/// Names a restore of one customer. Another customer's is `notFound`.
public struct RestoreRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The device that began the restore. Another device gets `notFound`.
    public var deviceId: String
    /// As ``Restore/restoreIdentifier``.
    public var restoreIdentifier: String
}
