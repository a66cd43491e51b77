import Dispatch
import FoundationEssentials
import Glibc

/// The environment of a command besides its arguments. Tests provide their own.
struct CommandEnvironment: Sendable {
    var console: Console
    /// Variables without empty ones, because shells and CI systems unset them so.
    var variables: [String: String]
    /// All variables, also empty ones. The programs that a command runs inherit them.
    let inherited: [String: String]
    var currentDirectory: String
    var terminal: Terminal
    /// Creates the transport to the store at an address.
    var transport: @Sendable (_ baseURL: String) -> any StoreTransport
    /// Reads one line of the answer to a question. Nil at the end of the input.
    var answer: @Sendable () -> String?
    /// Handles SIGINT, SIGTERM and SIGHUP while the returned object lives.
    var onStop: @Sendable (@escaping @Sendable () -> Void) -> AnyObject
    /// Handles the same signals by their numbers.
    var onSignal: @Sendable (@escaping @Sendable (Int32) -> Void) -> AnyObject = { StopSignals($0) }
    /// Whether the terminal sends Ctrl-C to this process, and so to the programs it runs.
    var isInForeground: @Sendable () -> Bool = { Terminal.isForeground }
    /// Whether a file may be a pipe or a device. Reading one may never end.
    var takesPipes = true
    /// Posts to apps' servers.
    var forwarder: any NotificationForwarder = HTTPNotificationForwarder()

    /// Opens an address in a browser and returns whether it could, given the environment's variables.
    var openPage: @Sendable (_ address: String, _ variables: [String: String]) -> Bool = { _, _ in false }

    /// The size of the terminal on standard error.
    var terminalSize: @Sendable () -> TerminalSize = { .usual }

    /// Completes printed commands with the flags of this one.
    var printed = PrintedCommands.none

    /// Takes the identifiers in each printed result.
    var takeNames: @Sendable (_ names: [String]) -> Void = { _ in }

    /// Whether the recording of a scenario takes the command.
    var isRecorded = true

    /// Timeout of a request for shell completion.
    var completionTimeout = Duration.milliseconds(500)

    init(
        console: Console, variables: [String: String] = [:],
        currentDirectory: String = FileManager.default.currentDirectoryPath, terminal: Terminal = .none,
        transport: @escaping @Sendable (_ baseURL: String) -> any StoreTransport = { HTTPStoreTransport(baseURL: $0) },
        answer: @escaping @Sendable () -> String? = { nil },
        onStop: @escaping @Sendable (@escaping @Sendable () -> Void) -> AnyObject = { stop in
            StopSignals { _ in stop() }
        }
    ) {
        self.console = console
        self.variables = variables.filter { !$0.value.isEmpty }
        inherited = variables
        self.currentDirectory = currentDirectory
        self.terminal = terminal
        self.transport = transport
        self.answer = answer
        self.onStop = onStop
    }

    /// Runs a body that Ctrl-C cancels. It has a task of its own, so that later code is not cancelled.
    /// - Returns: Its result, and whether it was cancelled.
    func untilStopped<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(CLIError) -> Value
    ) async -> (result: Result<Value, CLIError>, wasStopped: Bool) {
        let caught = AsyncStream.makeStream(of: Void.self)
        let work = Task {
            // The first request waits until Ctrl-C is caught.
            for await _ in caught.stream {}
            return await Result.of(body)
        }
        let signals = onStop { work.cancel() }
        caught.continuation.finish()
        defer { withExtendedLifetime(signals) {} }
        let result = await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
        return (result, work.isCancelled)
    }

    /// The environment of the running command. Task-local, because the parser creates commands from arguments only.
    @TaskLocal static var current = CommandEnvironment.process

    /// The environment of the process.
    static let process: CommandEnvironment = {
        let variables = ProcessInfo.processInfo.environment
        let terminal = Terminal.process(variables)
        var environment = CommandEnvironment(
            console: .standard, variables: variables, terminal: terminal, answer: { readLine(strippingNewline: true) })
        environment.openPage = Browser.open
        environment.terminalSize = TerminalSize.process
        return environment
    }()
}

/// The standard streams that are terminals.
struct Terminal: Hashable, Sendable {
    /// Whether a question can be answered.
    var isInput: Bool
    var isOutput: Bool
    var isError: Bool
    /// Whether the terminal cannot move its cursor, `TERM=dumb`.
    var isDumb: Bool = false

    /// No terminals, as in a script.
    static let none = Terminal(isInput: false, isOutput: false, isError: false)

    /// Whether this process is in the foreground of its terminal.
    static var isForeground: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return false }
        defer { close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }

    /// The process's own.
    static func process(_ variables: [String: String]) -> Terminal {
        Terminal(
            isInput: isatty(STDIN_FILENO) == 1, isOutput: isatty(STDOUT_FILENO) == 1,
            isError: isatty(STDERR_FILENO) == 1, isDumb: variables["TERM"] == "dumb")
    }
}

/// The rows and columns of a terminal.
struct TerminalSize: Hashable, Sendable {
    var columns: Int
    var rows: Int

    /// The size of a terminal that does not tell it.
    static let usual = TerminalSize(columns: 80, rows: 24)

    /// The process's own, as it is now.
    @Sendable static func process() -> TerminalSize {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return .usual
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}

/// Turns SIGINT, SIGTERM and SIGHUP into calls while the object lives.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter onSignal: Gets the signal's number.
    init(_ onSignal: @escaping @Sendable (Int32) -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // The default action would end the process before the source sees the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { onSignal(number) }
            source.resume()
            return source
        }
    }

    deinit { sources.forEach { $0.cancel() } }
}
