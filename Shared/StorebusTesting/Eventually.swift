/// A condition did not come true in time.
public struct NeverHappened: Error, CustomStringConvertible {
    /// The condition, as the test names it.
    public let what: String
    /// The time that the test waited.
    public let within: Duration
    /// The condition and the time, for the test's report.
    public var description: String { "\(what): not within \(within)" }
}

/// Waits for a condition that another task or process brings about. It is for conditions that cannot be awaited
/// directly. Checks immediately and then every few milliseconds. A test that passes never waits for the whole of
/// `within`.
///
/// - Throws: ``NeverHappened`` at the deadline, or an error of `condition`.
public func eventually(
    _ what: String, within: Duration = .seconds(120), _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let deadline = clock.now + within
    while try await !condition() {
        guard clock.now < deadline else { throw NeverHappened(what: what, within: within) }
        try await clock.sleep(for: .milliseconds(10))
    }
}
