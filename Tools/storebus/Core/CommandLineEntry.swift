import ArgumentParser
import EventLoop
import Glibc

/// Runs a command line and turns its end into a message and an exit status.
package enum CommandLineEntry {
    /// - Returns: The exit status, after everything was printed: a ``CLIExit``, or that of a program that ran.
    @MainActor
    package static func run(_ arguments: [String]) async -> Int32 {
        await run(arguments, environment: .process)
    }

    @MainActor
    static func run(_ arguments: [String], environment: CommandEnvironment) async -> Int32 {
        // A closed pipe becomes a failed write and does not end the process and its services.
        signal(SIGPIPE, SIG_IGN)
        let arguments = GlobalFlags.moved(arguments)
        var environment = environment
        environment.printed = PrintedCommands(arguments, environment.variables)
        if StorebusCommand.type(of: CommandTree.root.path(arguments)) is any InstallationCommand.Type {
            environment.variables[EffectiveSettings.storeVariable] = nil
        }
        let named = Locked<[String]>([])
        let takeNames = environment.takeNames
        environment.takeNames = { names in
            named.withLock { $0 += names }
            takeNames(names)
        }
        let completing = environment
        let status = await CommandEnvironment.$current.withValue(completing) { await end(arguments, completing) }
        guard completing.isRecorded else { return status }
        do throws(CLIError) {
            try ScenarioRecording.add(arguments, names: named.withLock(\.self), status: status, completing)
        } catch {
            completing.console.narrate("note: the command was not recorded: \(error.message)\n")
        }
        return status
    }

    @MainActor
    private static func end(_ arguments: [String], _ environment: CommandEnvironment) async -> Int32 {
        do {
            var command = try await StorebusCommand.asyncParseAsRoot(arguments)
            if command is any InstallationCommand, GlobalFlags.value(["--store"], arguments) != nil {
                throw CLIError(
                    .usage, "--store names one isolated store, and this command is about the installation",
                    hints: ["leave --store out"])
            }
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return CLIExit.success.rawValue
        } catch let exit as QuietExit {
            return exit.status.rawValue
        } catch let exit as ProgramExit {
            return exit.status
        } catch let error as CLIError {
            return report(error, arguments, environment).rawValue
        } catch {
            return parserEnd(error, arguments, environment).rawValue
        }
    }

    private static func report(
        _ error: CLIError, _ arguments: [String], _ environment: CommandEnvironment
    ) -> CLIExit {
        let error = TypedPlace.named(in: error, arguments).completed(environment.printed)
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

    /// Handles an error of the parser. Help and the version are exits without an error.
    private static func parserEnd(
        _ error: any Error, _ arguments: [String], _ environment: CommandEnvironment
    ) -> CLIExit {
        // The parser prints the help of a group also for an unknown command in it.
        let named = GlobalFlags.behind(arguments.first == "help" ? Array(arguments.dropFirst()) : arguments)
        if StorebusCommand.exitCode(for: error) == .success, CommandTree.root.unknown(named) == nil {
            environment.console.result(StorebusCommand.fullMessage(for: error) + "\n")
            return .success
        }
        guard [.validationFailure, .success].contains(StorebusCommand.exitCode(for: error)) else {
            // The error's text names Swift types, which do not help a user.
            let isDeep = GlobalFlags.verbosity(arguments) > 1
            let fault = CLIError(
                .internal, isDeep ? "a fault of Storebus: \(error)" : "a fault of Storebus ended the command",
                hints: ["please report it, with the output of the same command and -vv"])
            return report(fault, arguments, environment)
        }
        return report(usageError(StorebusCommand.message(for: error), named), arguments, environment)
    }

    /// Converts the parser's error, with the nearest command.
    static func usageError(_ message: String, _ typed: [String]) -> CLIError {
        let arguments = GlobalFlags.atEnd(typed)
        let path = CommandTree.root.path(arguments)
        let help = "help: \((["storebus"] + path).joined(separator: " ")) --help" as Advice
        if let unknown = CommandTree.root.unknown(arguments) {
            // The parser may report a later word; an unknown command is the cause.
            let hint =
                FormerName.command(arguments).map { ["use \($0)"] as [Advice] }
                ?? CommandTree.root.meant(arguments).map { ["did you mean 'storebus \($0.joined(separator: " "))'?"] }
            return CLIError(
                .usage, "there is no command 'storebus \(unknown.joined(separator: " "))'",
                hints: (hint ?? []) + [help])
        }
        var sentence = String(message.split(separator: "\n").first ?? "wrong command line")
        if sentence.hasSuffix(".") { sentence.removeLast() }
        let (text, hints) = ParserSentence(sentence).explained(arguments, path)
        return CLIError(.usage, text, hints: hints + [help])
    }
}

/// The tree of commands, read from the parser's own configuration.
struct CommandTree: Hashable, Sendable {
    var name: String
    var aliases: [String]
    var children: [CommandTree]
    /// Whether a word other than a child's name is an argument: `storebus intent PRODUCT`.
    var takesWords: Bool
    /// The first command line of the help.
    private var firstExample: String?

    static let root = CommandTree(StorebusCommand.self)

    private init(_ command: any ParsableCommand.Type) {
        let configuration = command.configuration
        name = configuration.commandName ?? ""
        aliases = configuration.aliases
        takesWords = configuration.defaultSubcommand != nil
        firstExample = configuration.discussion.split(separator: "\n").first { $0.hasPrefix("storebus ") }
            .map(String.init)
        children = (configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands))
            .reduce(into: [CommandTree]()) { children, next in
                let child = CommandTree(next)
                if !children.contains(child) { children.append(child) }
            }
    }

    func child(_ word: String) -> CommandTree? {
        children.first { $0.name == word || $0.aliases.contains(word) }
    }

    /// The words of every command and group, `["tx", "list"]`.
    var paths: [[String]] {
        children.flatMap { child in [[child.name]] + child.paths.map { [child.name] + $0 } }
    }

    /// Finds the command the arguments begin with, by its canonical name.
    func path(_ arguments: some Collection<String>) -> [String] {
        guard let first = arguments.first, let child = child(first) else { return [] }
        return [child.name] + child.path(arguments.dropFirst())
    }

    /// Returns an example of the command with these words.
    func example(_ words: some Collection<String>) -> String? {
        guard let first = words.first, let child = child(first) else { return firstExample }
        return child.example(words.dropFirst())
    }

    /// Finds the first unknown command, with the words before it.
    func unknown(_ arguments: some Collection<String>) -> [String]? {
        guard let first = arguments.first, !first.hasPrefix("-"), !children.isEmpty else { return nil }
        guard let child = child(first) else { return first == "help" || takesWords ? nil : [first] }
        return child.unknown(arguments.dropFirst()).map { [child.name] + $0 }
    }

    /// Commands by their names in other programs.
    private static let otherWords = [
        "start": "up", "run": "up", "serve": "up", "stop": "down", "kill": "down", "purchase": "buy",
        "subscription": "sub", "subscriptions": "sub", "clock": "time", "user": "account", "users": "account",
        "customer": "account", "customers": "account", "accounts": "account", "ps": "status", "transaction": "tx",
        "transactions": "tx", "inbox": "prompt", "tap": "trace", "listen": "sub",
        "notification": "notifications", "webhook": "listen", "webhooks": "listen", "forward": "listen",
        "products": "product", "apps": "app", "log": "logs", "events": "wait", "delete": "reset", "load": "import",
    ]

    /// Returns the command near a word that was read as an argument: `refund lst`.
    func child(near arguments: some Collection<String>) -> [String]? {
        guard let first = arguments.first else { return nil }
        if let child = child(first) { return child.child(near: arguments.dropFirst()).map { [child.name] + $0 } }
        return takesWords ? Suggestion.nearest(to: first, among: children.map(\.name).sorted()).map { [$0] } : nil
    }

    /// Suggests the nearest command. Nil if no word is misspelt or no command is near.
    func meant(_ arguments: some Collection<String>) -> [String]? {
        guard let first = arguments.first, !first.hasPrefix("-"), !children.isEmpty else { return nil }
        if let child = child(first) { return child.meant(arguments.dropFirst()).map { [child.name] + $0 } }
        if let known = Self.otherWords[first], child(known) != nil { return [known] }
        return Suggestion.nearest(to: first, among: children.map(\.name).sorted()).map { [$0] }
    }
}

/// Moves global flags behind the command, where the parser reads them: `storebus -o json tx list`.
enum GlobalFlags {
    private static let withValue: Set = ["-o", "--output", "--url", "--store", "--data", "--timeout", "--color"]
    private static let alone: Set = ["-q", "--quiet", "-v", "-vv", "--verbose", "--yes"]

    static func moved(_ arguments: [String]) -> [String] {
        let rest = behind(arguments)
        let flags = arguments.dropLast(rest.count)
        guard !flags.isEmpty else { return arguments }
        let length = CommandTree.root.path(rest).count
        guard length > 0 else { return arguments }
        return Array(rest.prefix(length)) + flags + rest.dropFirst(length)
    }

    /// The arguments with their global flags behind all others.
    static func atEnd(_ arguments: [String]) -> [String] {
        var words: [String] = []
        var flags: [String] = []
        var rest = arguments[...]
        while let first = rest.first, first != "--" {
            let next = behind(Array(rest))
            if next.count == rest.count {
                words.append(first)
                rest.removeFirst()
            } else {
                flags += rest.dropLast(next.count)
                rest = next[...]
            }
        }
        return words + flags + rest
    }

    /// The arguments behind the global flags with which they begin.
    static func behind(_ arguments: [String]) -> [String] {
        var rest = arguments[...]
        while let first = rest.first {
            if withValue.contains(first), rest.count > 1 {
                rest = rest.dropFirst(2)
            } else if alone.contains(first) || withValue.contains(where: { first.hasPrefix("\($0)=") }) {
                rest.removeFirst()
            } else {
                break
            }
        }
        return Array(rest)
    }

    /// The arguments without the flags of every command, but `--yes`.
    static func removed(_ arguments: [String]) -> [String] {
        var kept: [String] = []
        var rest = arguments[...]
        while let first = rest.first, first != "--" {
            let next = behind(Array(rest))
            if next.count == rest.count || first == "--yes" {
                kept.append(first)
                rest.removeFirst()
            } else {
                // `behind` may take several flags at once, and one of them may be --yes.
                kept += rest.dropLast(next.count).filter { $0 == "--yes" }
                rest = next[...]
            }
        }
        return kept + rest
    }

    /// The output format of errors, also for an invalid command line.
    static func format(_ arguments: [String]) -> OutputFormat {
        value(["-o", "--output"], arguments).flatMap(OutputFormat.init(rawValue:)) ?? .human
    }

    static func color(_ arguments: [String]) -> ColorChoice {
        value(["--color"], arguments).flatMap(ColorChoice.init(rawValue:)) ?? .auto
    }

    /// Number of `-v` flags.
    static func verbosity(_ arguments: [String]) -> Int {
        own(arguments).reduce(0) { count, argument in
            switch argument {
            case "-v", "--verbose": count + 1
            case "-vv": count + 2
            default: count
            }
        }
    }

    /// The arguments before `--`. Another program's follow it.
    private static func own(_ arguments: [String]) -> ArraySlice<String> { arguments.prefix { $0 != "--" } }

    /// All values of an option, in the order of the command line.
    static func values(_ name: String, _ arguments: [String]) -> [String] {
        let own = Array(own(arguments))
        return own.indices.compactMap { index in
            if own[index].hasPrefix("\(name)=") { return String(own[index].dropFirst(name.count + 1)) }
            return own[index] == name && index + 1 < own.count ? own[index + 1] : nil
        }
    }

    /// The first value of an option with these names.
    static func value(_ names: [String], _ arguments: [String]) -> String? {
        let own = own(arguments)
        for (index, argument) in own.enumerated() {
            for name in names {
                if argument == name { return own.dropFirst(index + 1).first }
                if argument.hasPrefix("\(name)=") { return String(argument.dropFirst(name.count + 1)) }
                if name.count == 2, argument.hasPrefix(name), argument.count > 2 {
                    return String(argument.dropFirst(2))
                }
            }
        }
        return nil
    }
}
