/// The version of all testers' settings: `{"version":41}`. Data read of an account at the same version is current.
public struct TestersVersion: Hashable, Sendable, Codable {
    /// Grows with each change of any account's settings.
    public var version: Int64
}

/// Asks for the version of the testers' settings on a lease: `{"holder":"4f…"}`.
public struct TestersLeaseRequest: Hashable, Sendable, Codable {
    /// As ``VersionLease/holderLength`` has it. Nil for the version alone.
    public var holder: String?
}
