import Dispatch
import Glibc

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Everything outside the command line that a command depends on. Tests set their own; a process has its own.
struct CommandEnvironment: Sendable {
    var console: Console
    /// Without the empty ones, which is how shells and CI systems unset a variable.
    var variables: [String: String]
    var currentDirectory: String
    var terminal: Terminal
    /// Makes the way to the store at an address.
    var transport: @Sendable (_ baseURL: String) -> any StoreTransport
    /// One line of the answer to a question; nil at the end of the input.
    var answer: @Sendable () -> String?
    /// Calls back at Ctrl-C and its like, instead of the end of the process, for as long as the returned object lives.
    var onStop: @Sendable (@escaping @Sendable () -> Void) -> AnyObject

    /// What is printed as the next command carries the flags of this one.
    var printed = PrintedCommands.none

    /// How long a shell that completes a word waits for the store.
    var completionTimeout = Duration.milliseconds(500)

    init(
        console: Console, variables: [String: String] = [:],
        currentDirectory: String = FileManager.default.currentDirectoryPath, terminal: Terminal = .none,
        transport: @escaping @Sendable (_ baseURL: String) -> any StoreTransport = { HTTPTransport(baseURL: $0) },
        answer: @escaping @Sendable () -> String? = { nil },
        onStop: @escaping @Sendable (@escaping @Sendable () -> Void) -> AnyObject = { StopSignals($0) }
    ) {
        self.console = console
        self.variables = variables.filter { !$0.value.isEmpty }
        self.currentDirectory = currentDirectory
        self.terminal = terminal
        self.transport = transport
        self.answer = answer
        self.onStop = onStop
    }

    /// The environment of the command that runs. Task-local, because the parser makes the commands and hands them
    /// nothing but their arguments.
    @TaskLocal static var current = CommandEnvironment.process

    /// The process's own.
    static let process: CommandEnvironment = {
        let variables = ProcessInfo.processInfo.environment
        let terminal = Terminal.process(variables)
        return CommandEnvironment(
            console: .standard, variables: variables, terminal: terminal, answer: { readLine(strippingNewline: true) })
    }()
}

/// Which of the process's three streams are terminals.
struct Terminal: Hashable, Sendable {
    /// A question can be answered.
    var isInput: Bool
    var isOutput: Bool
    var isError: Bool
    /// `TERM=dumb`: a terminal that only prints.
    var isDumb: Bool = false

    /// Pipes all around, as in a script.
    static let none = Terminal(isInput: false, isOutput: false, isError: false)

    /// The process's own.
    static func process(_ variables: [String: String]) -> Terminal {
        Terminal(
            isInput: isatty(STDIN_FILENO) == 1, isOutput: isatty(STDOUT_FILENO) == 1,
            isError: isatty(STDERR_FILENO) == 1, isDumb: variables["TERM"] == "dumb")
    }
}

/// Turns SIGINT, SIGTERM and SIGHUP into calls for as long as the value lives.
final class StopSignals {
    private let sources: [any DispatchSourceSignal]

    init(_ onSignal: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // The default action would end the process before the source sees the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: onSignal)
            source.resume()
            return source
        }
    }

    deinit { sources.forEach { $0.cancel() } }
}
