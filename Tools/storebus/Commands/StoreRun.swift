import ArgumentParser
import EventLoop
import Glibc
import StoreHTTP
import StoreModels

extension StoreCommand {
    /// `storebus store run`
    struct Run: OneAppCommand, InstallationCommand, TerminalCommand {
        static let configuration = CommandConfiguration(
            "run", "Make a store, run a program in it, and remove the store.",
            """
            storebus store run -- npm test
            storebus store run --catalogue Tests/App.storekit --clock 2026-01-01T00:00:00Z -- pytest

            The program gets the variables of storebus store create --env. Its exit status is the command's, and \
            128 and the signal's number if a signal ended it. When the program fails, the store stays until its \
            time is over, and the last line names it. Ctrl-C ends the program and removes the store. The store \
            delivers notifications only after the program sets an endpoint: storebus notifications endpoint URL.
            """)

        @Argument(
            parsing: .postTerminator, help: ArgumentHelp("Behind --: the program to run.", valueName: "command"))
        var command: [String] = []
        @OptionGroup var new: NewStoreOptions
        @Flag(help: "Keep the store afterwards.") var keep = false
        @OptionGroup var customer: ProgramOptions
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            if command.isEmpty { throw ValidationError("the program is missing: storebus store run -- npm test") }
        }

        func context() async throws(CLIError) -> CommandContext { try await installation() }

        func run(_ context: CommandContext) async throws {
            let relay = SignalRelay(isInForeground: context.environment.isInForeground)
            let signals = context.environment.onSignal { relay.pass(on: $0) }
            defer { withExtendedLifetime(signals) {} }
            let made = try await new.make(context)
            let store = context.at(made.store, origin: "store run")
            let variables = StoreVariables(store.settings, customer.installation(store), made: made.value)
            let end: Termination?
            do throws(CLIError) {
                end = try await relay.run(Program(command, variables, context.environment))
            } catch {
                await remove(made.store, context)
                throw error
            }
            let isOver = relay.received != nil || end == .signalled(SIGINT) || end == .exited(0)
            if keep || !isOver {
                let until = Format.time(made.expiresAt)
                let seen: Advice = "see it: storebus tx list --store \(made.store)"
                let opened: Advice = "open it: storebus open --store \(made.store)"
                let removed: Advice = "remove it: storebus store delete \(made.store) --yes"
                context.narrate("kept  \(made.store) until \(until)  \(seen)  \(opened)  \(removed)\n", always: !isOver)
            } else {
                await remove(made.store, context)
            }
            let result = end ?? .signalled(relay.received ?? SIGINT)
            if result != .exited(0) { throw ProgramExit(status: result.shellStatus) }
        }

        /// Removes the store. A failure does not change the program's result.
        private func remove(_ store: String, _ context: CommandContext) async {
            do throws(CLIError) {
                try await ifFound { () throws(CLIError) in try await context.removeStore(store) }
            } catch {
                context.narrate(
                    "note: \(store) was not removed (\(error.message)): storebus store delete \(store) --yes\n")
            }
        }
    }
}

/// Passes signals on to a program while it runs.
private final class SignalRelay: Sendable {
    private struct State {
        var child: ChildProcess?
        /// The first signal.
        var received: Int32?
    }

    private let state = Locked(State())
    private let isInForeground: @Sendable () -> Bool

    init(isInForeground: @escaping @Sendable () -> Bool) { self.isInForeground = isInForeground }

    /// The first signal that came, before the program began or while it ran.
    var received: Int32? { state.withLock { $0.received } }

    /// The terminal itself sends Ctrl-C to the program.
    func pass(on signal: Int32) {
        let isSent = signal == SIGINT && isInForeground()
        state.withLock { state in
            state.received = state.received ?? signal
            if !isSent { state.child?.send(signal) }
        }
    }

    /// Runs a program to its end.
    /// - Returns: Nil if a signal came before the program began, which is then not started.
    /// - Throws: `commandFailed` for a program that cannot be run.
    func run(_ program: Program) async throws(CLIError) -> Termination? {
        let ended = AsyncStream.makeStream(of: Termination.self)
        let isStarted = try state.withLock { state throws(CLIError) -> Bool in
            guard state.received == nil else { return false }
            state.child = try program.start { [self] end in
                self.state.withLock { $0.child = nil }
                ended.continuation.yield(end)
                ended.continuation.finish()
            }
            return true
        }
        guard isStarted else { return nil }
        for await end in ended.stream { return end }
        return nil
    }
}
