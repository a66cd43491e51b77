/// How far the testers' settings of all accounts have come: `{"version":41}`. What was read of an account at the same
/// version is as good as read now.
public struct TestersVersion: Hashable, Sendable, Codable {
    /// Grows with each change of any account's settings.
    public var version: Int64
    public init(version: Int64) { self.version = version }
}
