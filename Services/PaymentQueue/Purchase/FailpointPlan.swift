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
