import EventLoop
import Foundation
import Testing

/// Counts the conformance suite's cases per transport, printed when the process ends:
/// ```
/// conformance: inMemory  21 passed, 0 failed, 7 skipped
///              nats      24 passed, 0 failed, 4 skipped
/// ```
enum Conformance {
    private struct Sums {
        var passed = 0
        var failed = 0
        var skipped = 0
    }

    private static let sums = Locked<[BusTransport: Sums]>([:])
    private static let printing: Void = { atexit { Conformance.report() } }()

    /// The case that runs, for issues to be counted.
    @TaskLocal private static var hasIssue: Locked<Bool>?

    /// For the suite: an issue makes its case a failed one.
    static var trait: IssueHandlingTrait {
        .compactMapIssues { issue in
            hasIssue?.withLock { $0 = true }
            return issue
        }
    }

    /// Says what is not run, and why, and cancels the test of this transport.
    static func skip(_ name: String, on transport: BusTransport, _ reason: String) throws -> Never {
        let line = "skipped on \(transport.rawValue): \(name) (\(reason))"
        count(transport) { $0.skipped += 1 }
        print(line)
        try Test.cancel(Comment(rawValue: line))
    }

    static func run(_ name: String, on transport: BusTransport, _ body: () async throws -> Void) async throws {
        let issue = Locked(false)
        do {
            try await $hasIssue.withValue(issue) { try await body() }
        } catch {
            count(transport) { $0.failed += 1 }
            throw error
        }
        let failed = issue.withLock { $0 }
        count(transport) { if failed { $0.failed += 1 } else { $0.passed += 1 } }
    }

    private static func count(_ transport: BusTransport, _ change: (inout Sums) -> Void) {
        printing
        sums.withLock { sums in
            var mine = sums[transport, default: Sums()]
            change(&mine)
            sums[transport] = mine
        }
    }

    private static func report() {
        let sums = sums.withLock { $0 }
        for (index, transport) in BusTransport.allCases.enumerated() {
            let mine = sums[transport, default: Sums()]
            let head = index == 0 ? "conformance: " : "             "
            let name = transport.rawValue.padding(toLength: 15, withPad: " ", startingAt: 0)
            print("\(head)\(name)\(mine.passed) passed, \(mine.failed) failed, \(mine.skipped) skipped")
        }
    }
}
