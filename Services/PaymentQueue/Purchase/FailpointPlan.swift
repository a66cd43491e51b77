/// What `STOREBUS_FAIL` asks for: at which checkpoints a process is to die, to fail or to dawdle, and at which pass.
///
/// ```
/// STOREBUS_FAIL="afterCharge=kill@2,insideRestoreCommit=error,afterPublish=delay:200@3"
/// ```
/// `STOREBUS_FAIL=@/a/path` names a file that holds such a text, or will. Without a pass it is the first one; each
/// entry strikes once. Only the text is understood here; what acts on it is in debug builds alone.
struct FailpointPlan: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        /// The process ends there and then, as by SIGKILL.
        case kill
        /// The step ends with an error.
        case error
        /// The step goes on later; milliseconds.
        case delay(Int)
    }

    struct Entry: Hashable, Sendable {
        var checkpoint: Checkpoint
        var action: Action
        /// 1 is the first pass.
        var pass: Int
    }

    /// What is wrong with the text, for the person who wrote it.
    struct Mistake: Error, Hashable, CustomStringConvertible {
        var description: String
    }

    static let delayMax = 60_000

    var entries: [Entry]

    /// - Throws: ``Mistake`` naming the entry.
    init(_ text: String) throws(Mistake) {
        entries = []
        for part in text.split(separator: ",") { entries.append(try Self.entry(part)) }
    }

    /// What happens at the `pass`-th pass of a checkpoint; nil is nothing.
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
