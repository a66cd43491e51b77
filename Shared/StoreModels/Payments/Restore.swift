/// A restore of completed transactions and its progress:
///
/// ```json
/// {"restoreIdentifier":"r_01m7ye06a9fztjwq7kqekddpc9","state":"finished","restored":2,
///  "applicationUsername":"u-17"}
/// ```
public struct Restore: Hashable, Sendable, Codable {
    /// The progress of a restore; the last two are final.
    public enum State: String, CaseIterable, Sendable, Codable {
        case running, finished, failed
    }

    /// Server-made, used in `/v1/restores/{restoreIdentifier}` and in the events of its end.
    public var restoreIdentifier: String
    /// A restore ends in `finished` or `failed` and stays there.
    public var state: State
    /// Non-null in failed and in no other state (M42).
    public var error: TransactionError?
    /// Transactions restored so far.
    public var restored: Int
    /// The app's value; it filters nothing.
    public var applicationUsername: String?
}

/// Begins a restore. A repeated key gives the same restore; with another username it is `keyReused`.
public struct StartRestoreRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// Restored transactions and the end go to this device and to no other.
    public var deviceId: String
    /// The idempotency key.
    public var requestIdentifier: String
    /// The app's value, at most 255 characters; it filters nothing.
    public var applicationUsername: String?
}

/// Names a restore of one customer. Another customer's is `notFound`.
public struct RestoreRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The device that began the restore; another one's is `notFound`.
    public var deviceId: String
    /// As ``Restore/restoreIdentifier``.
    public var restoreIdentifier: String
}
