import EventLoop
import StorebusTesting

@testable import Storebus

/// Keeps what a program says.
final class Recorder: Sendable {
    private let texts = Locked((result: "", narration: ""))
    var result: String { texts.withLock { $0.result } }
    var narration: String { texts.withLock { $0.narration } }
    /// The exit status, also that of another program.
    private let ended = Locked<Int32?>(nil)
    var exit: Int32? { ended.withLock { $0 } }
    var console: Console {
        Console(
            result: { text in self.texts.withLock { $0.result += text } },
            narration: { text in self.texts.withLock { $0.narration += text } })
    }

    /// Ctrl-C is never pressed.
    static let neverStopped: @Sendable (@escaping @Sendable () -> Void) -> AnyObject = { _ in Recorder() }

    /// Runs a command line away from this machine's own store, environment and terminal.
    /// - Parameter transport: nil lets the command use the network.
    static func run(
        _ arguments: [String], variables: [String: String] = [:], terminal: Terminal = .none,
        directory: String = "/nowhere", transport: (any StoreTransport)? = nil, answer: String? = nil,
        onStop: @escaping @Sendable (@escaping @Sendable () -> Void) -> AnyObject = neverStopped,
        forwarder: (any NotificationForwarder)? = nil,
        onSignal: @escaping @Sendable (@escaping @Sendable (Int32) -> Void) -> AnyObject = { _ in Recorder() },
        isInForeground: Bool = false,
        openPage: @escaping @Sendable (_ address: String, _ variables: [String: String]) -> Bool = { _, _ in false }
    ) async -> (status: CLIExit, said: Recorder) {
        let recorder = Recorder()
        var environment = CommandEnvironment(
            console: recorder.console, variables: variables, currentDirectory: directory, terminal: terminal,
            transport: { transport ?? HTTPStoreTransport(baseURL: $0) }, answer: { answer }, onStop: onStop)
        if let forwarder { environment.forwarder = forwarder }
        environment.openPage = openPage
        environment.onSignal = onSignal
        environment.isInForeground = { isInForeground }
        // How busy the machine is, is no part of what is tested.
        environment.completionTimeout = .seconds(3600)
        let exit = await CommandLineEntry.run(arguments, environment: environment)
        recorder.ended.withLock { $0 = exit }
        return (CLIExit(rawValue: exit) ?? .bug, recorder)
    }
}
