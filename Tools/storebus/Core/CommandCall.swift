import EventLoop

/// A command that the program runs for an agent or a scenario, as a pipe would see it: without a terminal or an input.
enum CommandCall {
    struct Printout: Hashable, Sendable {
        /// Its standard output.
        var result = ""
        /// Its standard error.
        var narration = ""
        /// Identifiers in its result.
        var names: [String] = []
        /// The exit status.
        var status: Int32 = 0

        var isSuccess: Bool { status == CLIExit.success.rawValue }
    }

    /// The registration of signals that a command does not handle.
    private final class Unheard {}

    /// Runs a command line. Cancelling the task ends it.
    /// - Parameter words: The words behind `storebus`.
    static func run(_ words: [String], in environment: CommandEnvironment) async -> Printout {
        let outcome = Locked(Printout())
        var environment = environment
        environment.console = Console(
            result: { text in outcome.withLock { $0.result += text } },
            narration: { text in outcome.withLock { $0.narration += text } })
        environment.terminal = .none
        environment.answer = { nil }
        environment.takesPipes = false
        // Its caller ends it.
        environment.onStop = { _ in Unheard() }
        environment.onSignal = { _ in Unheard() }
        environment.takeNames = { names in outcome.withLock { $0.names += names } }
        let status = await CommandLineEntry.run(words, environment: environment)
        outcome.withLock { $0.status = status }
        return outcome.withLock(\.self)
    }
}
