#if FAILPOINTS
    import Glibc
    import EventLoop
    import FoundationEssentials

    /// Carries out a ``FailpointPlan``, so that tests can examine the state after a kill.
    ///
    /// Only debug builds have it: no setting makes a production store fail on purpose.
    final class Failpoints: Sendable {
        /// Thrown by the action `error`.
        struct FailpointError: Error, CustomStringConvertible {
            let checkpoint: Checkpoint
            var description: String { "STOREBUS_FAIL has struck at \(checkpoint.rawValue)" }
        }

        /// The source of the plan.
        enum Source: Sendable {
            case plan(FailpointPlan)
            /// A file's text, read at each checkpoint.
            ///
            /// A process removes the file before it fails, so that the process that takes over lives. Passes count from
            /// when the file exists. A text that is not a plan has no effect.
            case file(String)
        }

        private let source: Source
        /// The number of passes of each checkpoint so far.
        private let passes = Locked<[Checkpoint: Int]>([:])

        init(_ source: Source) { self.source = source }

        /// Counts a pass and performs the plan's action for it.
        ///
        /// A delay blocks the calling thread, as a stopped machine would.
        func reach(_ checkpoint: Checkpoint) throws {
            guard let plan else { return }
            let pass = passes.withLock { passes in
                passes[checkpoint, default: 0] += 1
                return passes[checkpoint] ?? 0
            }
            guard let action = plan.action(at: checkpoint, pass: pass) else { return }
            if case .file(let path) = source { unlink(path) }
            switch action {
            case .kill: kill(getpid(), SIGKILL)
            case .error: throw FailpointError(checkpoint: checkpoint)
            case .delay(let milliseconds): usleep(UInt32(milliseconds) * 1000)
            }
        }

        private var plan: FailpointPlan? {
            switch source {
            case .plan(let plan): return plan
            case .file(let path):
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
                return try? FailpointPlan(text)
            }
        }
    }
#endif

/// Parses `STOREBUS_FAIL`: at which checkpoints a process dies, fails or pauses, and at which pass.
///
/// ```
/// STOREBUS_FAIL="afterCharge=kill@2,insideRestoreCommit=error,afterPublish=delay:200@3"
/// ```
/// `STOREBUS_FAIL=@/a/path` names a file with such a text, which may not exist yet. Without a pass it is the first one.
/// Each entry acts once. This type only parses the text, and only debug builds act on it.
struct FailpointPlan: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        /// The process ends immediately, as by SIGKILL.
        case kill
        /// The step ends with an error.
        case error
        /// The step continues after this many milliseconds.
        case delay(Int)
    }

    struct Entry: Hashable, Sendable {
        var checkpoint: Checkpoint
        var action: Action
        /// The pass that fails. 1 is the first.
        var pass: Int
    }

    /// Describes an error in the text to the operator.
    struct Mistake: Error, Hashable, CustomStringConvertible {
        /// The error in one sentence, with the entry.
        var description: String
    }

    /// Maximum delay in milliseconds.
    static let delayMax = 60_000

    var entries: [Entry]

    /// Parses the text.
    /// - Throws: ``Mistake`` naming the entry.
    init(_ text: String) throws(Mistake) {
        entries = []
        for part in text.split(separator: ",") { entries.append(try Self.entry(part)) }
    }

    /// Finds the action at the `pass`-th pass of a checkpoint.
    /// - Returns: The action, or nil when the plan has none there.
    func action(at checkpoint: Checkpoint, pass: Int) -> Action? {
        entries.first { $0.checkpoint == checkpoint && $0.pass == pass }?.action
    }

    private static func entry(_ text: Substring) throws(Mistake) -> Entry {
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2, let checkpoint = Checkpoint(rawValue: String(halves[0])) else {
            throw Mistake(description: "'\(text)' must be <checkpoint>=<action>[@<pass>] with a checkpoint there is")
        }
        let order = halves[1].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let action = action(order[0]) else {
            throw Mistake(description: "'\(text)': the action is kill, error or delay:<milliseconds up to \(delayMax)>")
        }
        guard let pass = order.count == 1 ? 1 : Int(order[1]), pass > 0 else {
            throw Mistake(description: "'\(text)': the pass is a number from 1 on")
        }
        return Entry(checkpoint: checkpoint, action: action, pass: pass)
    }

    private static func action(_ text: Substring) -> Action? {
        switch text {
        case "kill": return .kill
        case "error": return .error
        default:
            guard text.hasPrefix("delay:"), let time = Int(text.dropFirst("delay:".count)),
                (0...delayMax).contains(time)
            else { return nil }
            return .delay(time)
        }
    }
}
