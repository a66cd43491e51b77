import EventLoop
import FoundationEssentials
import StoreModels

/// Notifies the process's starter that it serves, by the file of `--ready-file`. The caller logs a line, too.
///
/// ```json
/// {"host":"127.0.0.1","instance":"9f2c…","monitorPort":0,"pid":812,"port":7430,"service":"gateway"}
/// ```
/// `port` is 0 for a process that listens nowhere, `monitorPort` 0 without a monitoring port. Written to a temporary
/// file in the same directory and renamed, so a reader sees all of it or nothing.
package final class ReadyFileWriter: Sendable {
    /// The file's contents.
    package struct Contents: Codable, Sendable, Equatable {
        /// The service's name, `gateway`.
        package var service: String
        /// The process to signal.
        package var pid: Int32
        /// The address it listens on.
        package var host: String
        /// The real port. 0 for a process that listens nowhere.
        package var port: Int
        /// The real port of ``MonitorServer``. 0 without one.
        package var monitorPort: Int
        /// As ``ProcessEnvironment/instance``.
        package var instance: String
    }

    private struct State {
        var contents: Contents
        var expectsListener: Bool
        var isListening = false
        var isServing = false
        var isWritten = false
    }

    private let path: String?
    private let state: Locked<State>

    init(path: String?, service: String, instance: String, host: String, expectsListener: Bool) {
        self.path = path
        let contents = Contents(
            service: service, pid: ProcessInfo.processInfo.processIdentifier, host: host, port: 0, monitorPort: 0,
            instance: instance)
        state = Locked(State(contents: contents, expectsListener: expectsListener))
    }

    /// Keeps the process from being ready before ``listening(host:port:)``. Called while a process is built that
    /// listens on a port of its own.
    package func expectListener() { state.withLock { $0.expectsListener = true } }

    /// Sets the address on which the process listens.
    /// - Throws: `badConfiguration` when the ready file cannot be written.
    package func listening(host: String, port: Int) throws(StartupError) {
        state.withLock { state in
            state.contents.host = host
            state.contents.port = port
            state.isListening = true
        }
        try writeIfReady()
    }

    /// Notes that the process's requests are served.
    func serving(monitorPort: Int) throws(StartupError) {
        state.withLock { state in
            state.contents.monitorPort = monitorPort
            state.isServing = true
        }
        try writeIfReady()
    }

    /// Whether its requests are served, and it listens where that was expected.
    package var isReady: Bool { state.withLock { $0.isServing && ($0.isListening || !$0.expectsListener) } }

    /// Removes the file, because the process does not serve any more.
    func remove() {
        guard let path, state.withLock({ $0.isWritten }) else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    private func writeIfReady() throws(StartupError) {
        guard let path else { return }
        let contents: Contents? = state.withLock { state in
            guard state.isServing, state.isListening || !state.expectsListener, !state.isWritten else { return nil }
            state.isWritten = true
            return state.contents
        }
        guard let contents else { return }
        do {
            try Data(StoreJSON.encode(contents)).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw StartupError(.badConfiguration, "the file of --ready-file, \(path), cannot be written")
        }
    }
}
