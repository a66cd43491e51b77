import EventLoop
package import Logging

/// Keeps every line a logger writes, message and metadata.
package final class LogCapture: Sendable {
    private let lines = Locked<[String]>([])
    /// Every line so far of all loggers of this capture, in order.
    package var all: [String] { lines.withLock { $0 } }

    /// Creates a capture without lines.
    package init() {}

    /// Makes the handler for a logger of the code under test.
    package func handler() -> any LogHandler { Handler(capture: self) }

    private func append(_ line: String) { lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let capture: LogCapture
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            capture.append("\(event.level) \(event.message) \(all.sorted { $0.key < $1.key })")
        }
    }
}
