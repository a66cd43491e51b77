import EventLoop
import Glibc
import StoreModels

/// Where the program's words go: results on standard output, everything told along the way on standard error.
struct Console: Sendable {
    private let writeResult: @Sendable (String) -> Void
    private let writeNarration: @Sendable (String) -> Void
    /// Of the terminal that standard error is, if it is one.
    private let progress: ProgressLine

    init(
        result: @escaping @Sendable (String) -> Void, narration: @escaping @Sendable (String) -> Void
    ) {
        writeResult = result
        writeNarration = narration
        progress = ProgressLine(narration)
    }

    func result(_ text: String) {
        if !text.isEmpty { progress.above { writeResult(text) } }
    }

    func narrate(_ text: String) {
        if !text.isEmpty { progress.above { writeNarration(text) } }
    }

    /// Shows, replaces or takes away the progress line; only for a terminal.
    func showProgress(_ text: String?) { progress.show(text) }

    /// The process's own. Unbuffered, so that what `watch` prints into a pipe arrives at once. A reader that went away
    /// is no error: `storebus tx list | head -1` ends well.
    static let standard = Console(
        result: { _ = FileAccess.writeAll(Array($0.utf8), to: STDOUT_FILENO) },
        narration: { _ = FileAccess.writeAll(Array($0.utf8), to: STDERR_FILENO) })
}

/// The last line of a terminal, where long work shows its progress. All other output is above it.
final class ProgressLine: Sendable {
    private let shown = Locked<String?>(nil)
    private let write: @Sendable (String) -> Void

    /// - Parameter write: to the terminal.
    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    private static let erase = "\r\u{1B}[K"

    /// Shows `text` in the place of what was shown before; nil takes the line away.
    func show(_ text: String?) {
        shown.withLock { shown in
            if shown != nil { write(Self.erase) }
            if let text { write(text) }
            shown = text
        }
    }

    /// Prints above the line.
    func above(_ print: () -> Void) {
        shown.withLock { shown in
            if shown != nil { write(Self.erase) }
            print()
            if let shown { write(shown) }
        }
    }
}
