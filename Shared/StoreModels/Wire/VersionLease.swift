/// Times and names of leases on versions, which owners and readers share (ADR 0072).
public enum VersionLease {
    /// How long a lease is valid, counted from when its request was sent.
    public static let term: Duration = .seconds(1)
    /// How long an owner waits for leases from before a change. It exceeds ``term`` for clocks of different rates.
    public static let waitMax: Duration = .milliseconds(1_050)
    /// The length of a holder's identifier, in hexadecimal digits. Each process makes its own at its start.
    public static let holderLength = 24
    /// The name of all processes, also of those that the owner does not know. None acknowledges.
    public static let everyone = "all"

    /// Names the subject on which a holder receives an owner's recalls. Its reply is the acknowledgement.
    public static func recalled(by owner: ServiceName, holder: String) -> String {
        "sb.evt.\(owner.subjectToken).v1.lease.recalled.\(holder)"
    }
}

/// A version, and whether the requester may use it for ``VersionLease/term`` without asking again.
public struct LeasedVersion<Version: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    public var version: Version
    /// False for a request without a holder, and while the owner cannot grant leases.
    public var isLeased: Bool
}

/// The message that ends leases before their time: `{"bundleId":"com.example.app"}`.
public struct LeaseRecalled: Hashable, Sendable, Codable {
    /// The changed app. Nil ends all leases of the owner.
    public var bundleId: String?
}
