import StoreModels
import Synchronization

/// The last line of a terminal, where something that takes long says that it goes on. Whatever else is printed stands
/// above it.
final class ProgressLine: Sendable {
    private let shown = Mutex<String?>(nil)
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
