import Dispatch
import EventLoop

/// Writes lines together, to save writes. The first after a silence is written as soon as possible, and those that
/// follow within ``gathersFor`` at once.
///
/// A write for each line cost a fifth of the cost of a request for products, and blocked the logging task
/// (docs/performance.md). An urgent line, and everything before it, is written before the call returns. A process that
/// is killed loses the lines of its last ``gathersFor``. Its acknowledged work is in databases, not in logs.
final class LineWriter: Sendable {
    /// How long lines are collected before a write.
    static let gathersFor = DispatchTimeInterval.milliseconds(20)
    /// Maximum number of bytes that wait for a reader. Beyond that the logging caller waits too, so that every line is
    /// kept.
    static let waitingMax = 256 * 1024

    /// The process's own, whose reader is a terminal, a file or `storebus up`.
    static let standardError = LineWriter { StandardError.write($0) }

    private struct State {
        var waiting: [UInt8] = []
        /// Whether a write of the waiting lines is scheduled.
        var isAwake = false
    }

    private let state = Locked(State())
    /// Held while lines are written, so that they stay in their order.
    private let turn = Locked(())
    private let queue = DispatchQueue(label: "storebus.log")
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter write: Writes whole lines. It may block.
    init(_ write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
    }

    /// Adds a line.
    ///
    /// - Parameter isUrgent: Whether the line has to be written before this returns.
    func add(_ line: [UInt8], isUrgent: Bool) {
        let (isFull, wakes) = state.withLock { state in
            state.waiting.append(contentsOf: line)
            defer { state.isAwake = true }
            return (state.waiting.count > Self.waitingMax, !state.isAwake)
        }
        if wakes { queue.async { self.work() } }
        if isUrgent || isFull { flush() }
    }

    /// Writes the waiting lines. The process calls it before it ends.
    func flush() {
        turn.withLock { _ in
            let lines = state.withLock { state in
                defer { state.waiting.removeAll(keepingCapacity: false) }
                return state.waiting
            }
            if !lines.isEmpty { write(lines) }
        }
    }

    private func work() {
        flush()
        queue.asyncAfter(deadline: .now() + Self.gathersFor) { [self] in
            let shouldWrite = state.withLock { state in
                state.isAwake = !state.waiting.isEmpty
                return state.isAwake
            }
            if shouldWrite { work() }
        }
    }
}
