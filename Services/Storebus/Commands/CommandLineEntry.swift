import ArgumentParser
import Glibc

/// Runs a command line and turns whatever ends it into words and an exit status.
package enum CommandLineEntry {
    /// - Returns: the status to exit with; everything was printed.
    @MainActor
    package static func run(_ arguments: [String], console: Console = .standard) async -> CLIExit {
        // A reader that went away shows as a failed write, not as the end of the process and of its services.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try StorebusCommand.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return .success
        } catch let exit as QuietExit {
            return exit.status
        } catch let error as CLIError {
            return report(error, arguments, console)
        } catch {
            return parserEnd(error, arguments, console)
        }
    }

    private static func report(_ error: CLIError, _ arguments: [String], _ console: Console) -> CLIExit {
        console.narrate(wantsJSON(arguments) ? error.json + "\n" : error.text)
        return error.status
    }

    /// Help and the version end a command line too; everything else the parser throws is a wrong one.
    private static func parserEnd(_ error: any Error, _ arguments: [String], _ console: Console) -> CLIExit {
        if StorebusCommand.exitCode(for: error) == .success {
            console.result(StorebusCommand.fullMessage(for: error) + "\n")
            return .success
        }
        guard StorebusCommand.exitCode(for: error) == .validationFailure else {
            return report(
                CLIError(.internal, "\(error)", hints: ["this is a bug in Storebus, please report it"]), arguments,
                console)
        }
        return report(usageError(StorebusCommand.message(for: error), arguments), arguments, console)
    }

    /// The parser's sentence in the form of every other error, with the command that was meant.
    package static func usageError(_ message: String, _ arguments: [String]) -> CLIError {
        let lines = message.split(separator: "\n")
        var sentence = String(lines.first ?? "wrong command line")
        if sentence.hasSuffix(".") { sentence.removeLast() }
        var hints: [String] = []
        if let command = meantCommand(arguments) { hints.append("did you mean 'storebus \(command)'?") }
        let command = path(arguments).map { " \($0.joined(separator: " "))" } ?? ""
        return CLIError(.usage, sentence, hints: hints + ["help: storebus\(command) --help"])
    }

    private static let commands: [String: [String]] = [
        "up": [], "status": [], "import": [], "product": ["list"], "buy": [], "watch": [], "finish": [],
        "tx": ["list"], "version": [],
    ]

    /// The longest beginning of the arguments that names a command; nil when the first does not.
    private static func path(_ arguments: [String]) -> [String]? {
        guard let first = arguments.first, let nested = commands[first] else { return nil }
        guard arguments.count > 1, nested.contains(arguments[1]) else { return [first] }
        return [first, arguments[1]]
    }

    /// The command a misspelt one is nearest to.
    private static func meantCommand(_ arguments: [String]) -> String? {
        guard let first = arguments.first, !first.hasPrefix("-") else { return nil }
        guard let nested = commands[first] else {
            return Suggestion.nearest(to: first, among: commands.keys.sorted())
        }
        guard arguments.count > 1, !arguments[1].hasPrefix("-"), !nested.contains(arguments[1]) else { return nil }
        return Suggestion.nearest(to: arguments[1], among: nested).map { "\(first) \($0)" }
    }

    /// Whether errors are to be JSON, even when the command line could not be understood.
    package static func wantsJSON(_ arguments: [String]) -> Bool {
        let joined = ["-ojson", "-o=json", "--output=json"]
        return arguments.contains(where: joined.contains)
            || zip(arguments, arguments.dropFirst()).contains { ["-o", "--output"].contains($0) && $1 == "json" }
    }
}
