import ArgumentParser
import Glibc

/// Runs a command line and turns whatever ends it into words and an exit status.
package enum CommandLineEntry {
    /// - Returns: the status to exit with; everything was printed.
    @MainActor
    package static func run(_ arguments: [String]) async -> CLIExit {
        await run(arguments, environment: .process)
    }

    @MainActor
    static func run(_ arguments: [String], environment: CommandEnvironment) async -> CLIExit {
        // A reader that went away shows as a failed write, not as the end of the process and of its services.
        signal(SIGPIPE, SIG_IGN)
        let arguments = GlobalFlags.moved(arguments)
        var environment = environment
        environment.printed = PrintedCommands(arguments, environment.variables)
        let completing = environment
        return await CommandEnvironment.$current.withValue(completing) { await end(arguments, completing) }
    }

    @MainActor
    private static func end(_ arguments: [String], _ environment: CommandEnvironment) async -> CLIExit {
        do {
            var command = try await StorebusCommand.asyncParseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return .success
        } catch let exit as QuietExit {
            return exit.status
        } catch let error as CLIError {
            return report(error, arguments, environment)
        } catch {
            return parserEnd(error, arguments, environment)
        }
    }

    private static func report(
        _ error: CLIError, _ arguments: [String], _ environment: CommandEnvironment
    ) -> CLIExit {
        let error = error.completed(environment.printed)
        if GlobalFlags.format(arguments).isJSON {
            environment.console.narrate(error.json + "\n")
        } else {
            let terminal = environment.terminal
            let isOn = GlobalFlags.color(arguments).isOn(
                onTerminal: terminal.isError, isDumb: terminal.isDumb, variables: environment.variables)
            environment.console.narrate(error.text(Style(isOn: isOn)))
        }
        return error.status
    }

    /// Help and the version end a command line too; everything else the parser throws is a wrong one.
    private static func parserEnd(
        _ error: any Error, _ arguments: [String], _ environment: CommandEnvironment
    ) -> CLIExit {
        if StorebusCommand.exitCode(for: error) == .success {
            environment.console.result(StorebusCommand.fullMessage(for: error) + "\n")
            return .success
        }
        guard StorebusCommand.exitCode(for: error) == .validationFailure else {
            // The error's own text names Swift types, which say nothing to a user.
            let isDeep = GlobalFlags.verbosity(arguments) > 1
            let fault = CLIError(
                .internal, isDeep ? "a fault of Storebus: \(error)" : "a fault of Storebus ended the command",
                hints: ["please report it, with what the same command says with -vv"])
            return report(fault, arguments, environment)
        }
        return report(usageError(StorebusCommand.message(for: error), arguments), arguments, environment)
    }

    /// The parser's sentence in the form of every other error, with the command that was meant.
    static func usageError(_ message: String, _ arguments: [String]) -> CLIError {
        let lines = message.split(separator: "\n")
        var sentence = String(lines.first ?? "wrong command line")
        if sentence.hasSuffix(".") { sentence.removeLast() }
        if let unknown = CommandTree.root.unknown(arguments) {
            // Whatever the parser stumbled over first, this is what is wrong.
            sentence = "there is no command 'storebus \(unknown.joined(separator: " "))'"
        }
        var hints = arguments.first.flatMap { CommandTree.absent[$0] } ?? []
        if hints.isEmpty, let command = CommandTree.root.meant(arguments) {
            hints.append("did you mean 'storebus \(command.joined(separator: " "))'?")
        }
        let path = (["storebus"] + CommandTree.root.path(arguments)).joined(separator: " ")
        return CLIError(.usage, sentence, hints: hints + ["help: \(path) --help"])
    }
}
