import EventLoop
import Glibc
import StoreModels

/// The program's output: results on standard output, everything else on standard error.
struct Console: Sendable {
    private let writeResult: @Sendable (String) -> Void
    private let writeNarration: @Sendable (String) -> Void
    /// The progress line. Nil unless standard error is a terminal.
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

    /// Shows, replaces or removes the progress line of a terminal.
    func showProgress(_ text: String?) { progress.show(text) }

    /// The console of the process. Unbuffered, so that the output of `watch` reaches a pipe immediately. A closed pipe
    /// is not an error: `storebus tx list | head -1` succeeds.
    static let standard = Console(
        result: { _ = FileAccess.writeAll(Array($0.utf8), to: STDOUT_FILENO) },
        narration: { _ = FileAccess.writeAll(Array($0.utf8), to: STDERR_FILENO) })
}

/// The last line of a terminal, for progress. All other output is above it.
final class ProgressLine: Sendable {
    private let shown = Locked<String?>(nil)
    private let write: @Sendable (String) -> Void

    /// - Parameter write: Writes to the terminal.
    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    private static let erase = "\r\u{1B}[K"

    /// Replaces the line with `text`. Nil removes it.
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
