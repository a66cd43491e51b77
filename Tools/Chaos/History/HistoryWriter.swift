import Glibc
import StoreModels
import Synchronization

/// Writes `history.jsonl` line by line.
///
/// Numbers and times are given under one lock, so that the order of lines is the order in which the run saw them. Lines
/// are buffered up to 64 KiB, and ``flush()`` writes the rest.
package final class HistoryWriter: Sendable {
    private struct State {
        var lines = 0
        var buffer: [UInt8] = []
        /// The system's error number of the first write that failed.
        var fault: Int32?
    }

    private static let bufferMax = 64 * 1024

    private let descriptor: Int32
    private let clock: @Sendable () -> Int64
    private let onAppend: @Sendable (HistoryEntry) -> Void
    private let state = Mutex(State())

    /// Creates the file, or empties it.
    /// - Parameters:
    ///   - clock: Microseconds since the run began, never decreasing.
    ///   - onAppend: Called with each line, in order and under the lock.
    /// - Throws: ``HistoryFault`` with the system's reason.
    package init(
        path: String, onAppend: @escaping @Sendable (HistoryEntry) -> Void = { _ in },
        clock: @escaping @Sendable () -> Int64
    ) throws(HistoryFault) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        self.clock = clock
        self.onAppend = onAppend
        guard descriptor >= 0 else { throw Self.fault(path, errno) }
    }

    deinit { close(descriptor) }

    /// Appends a line with its number and time.
    /// - Returns: The line as written. The number of an `invoke` is the `of` of its end.
    @discardableResult
    package func append(_ entry: HistoryEntry) -> HistoryEntry {
        state.withLock { state in
            var entry = entry
            state.lines += 1
            entry.index = state.lines
            entry.time = clock()
            state.buffer += HistoryWriter.line(entry)
            if state.buffer.count >= Self.bufferMax { write(&state) }
            onAppend(entry)
            return entry
        }
    }

    /// Writes the buffered lines.
    /// - Throws: ``HistoryFault`` when this or an earlier write failed, such as on a full disk.
    package func flush() throws(HistoryFault) {
        let fault = state.withLock { state in
            write(&state)
            return state.fault
        }
        if let fault { throw Self.fault("history.jsonl", fault) }
    }

    /// The bytes of one line.
    package static func line(_ entry: HistoryEntry) -> [UInt8] {
        // A time that is not a number is the only value without JSON, and times are measured.
        ((try? StoreJSON.encode(entry)) ?? []) + [UInt8(ascii: "\n")]
    }

    private func write(_ state: inout State) {
        var written = 0
        while written < state.buffer.count, state.fault == nil {
            let count = state.buffer.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            }
            if count > 0 {
                written += count
            } else if errno != EINTR {
                state.fault = errno
            }
        }
        state.buffer.removeAll(keepingCapacity: true)
    }

    private static func fault(_ file: String, _ number: Int32) -> HistoryFault {
        HistoryFault(
            file: file, line: 0, reason: "cannot be written: \(String(cString: strerror(number)))",
            remedy: "name another directory, or free some space")
    }
}
