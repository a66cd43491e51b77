import Foundation
package import Testing

/// Marks tests that take long or start processes of the store. `make quick` leaves them out.
///
/// ```swift
/// @Suite(.process) struct KillTests { … }
/// @Test(.slow, arguments: …) func `…`() { … }
/// ```
package struct TestCost: SuiteTrait, TestTrait, TestScoping {
    /// Suites hand the mark to their tests, so that each case takes a turn.
    package let isRecursive = true
    /// Limits how many of these tests run at the same time. Nil sets no limit.
    fileprivate let turns: Turns?

    /// Skips the test in a quick run.
    package func prepare(for test: Test) async throws {
        let isQuick = ProcessInfo.processInfo.environment["STOREBUS_QUICK"] != nil
        try await ConditionTrait.disabled(if: isQuick, "a quick run leaves it out").prepare(for: test)
    }

    /// Runs one case, in its turn.
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard let turns else { return try await function() }
        try await turns.take(function)
    }
}

extension Trait where Self == TestCost {
    /// A test that starts a store of real processes. Two and a half for each core run at a time: a store is eight
    /// processes, and thirty that start together miss the deadlines of all of them.
    package static var process: Self { TestCost(turns: storeTurns) }

    /// A test that takes several seconds of a core.
    package static var slow: Self { TestCost(turns: nil) }
}

private let storeTurns = Turns(max(4, ProcessInfo.processInfo.activeProcessorCount * 5 / 2))
