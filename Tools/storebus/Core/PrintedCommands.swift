import ArgumentParser
import EventLoop
import StoreModels

/// Adds the running command's flags to printed commands, for the same store and app.
struct PrintedCommands: Hashable, Sendable {
    /// The flags as typed, or nil without a flag.
    private var data: String?
    private var url: String?
    private var store: String?
    private var bundleId: String?
    /// The app of commands without `--bundle-id`, if the environment names one.
    private var unnamedApp = EffectiveSettings.defaultBundleId

    /// The words of the running command: `sub`, `cancel`.
    private(set) var running: [String] = []

    static let none = PrintedCommands()

    private init() {}

    /// - Parameter arguments: Arguments of the running command.
    init(_ arguments: [String], _ variables: [String: String]) {
        let named = GlobalFlags.value(["--data"], arguments)
        data = named == DataDirectory.defaultName ? nil : named
        url = GlobalFlags.value(["--url"], arguments)
        store = GlobalFlags.value(["--store"], arguments)
        // With several apps, as in `import`, the next command has none.
        let apps = GlobalFlags.values("--bundle-id", arguments)
        bundleId = apps.count == 1 ? apps[0] : nil
        unnamedApp = variables["STOREBUS_BUNDLE_ID"] ?? unnamedApp
        running = CommandTree.root.path(arguments)
    }

    /// Returns a copy with another app for commands that name no app.
    func unnamed(_ bundleId: String) -> PrintedCommands {
        var commands = self
        commands.unnamedApp = bundleId
        return commands
    }

    /// Completes the commands in a sentence: `all of them: storebus tx list --as alice --data DIR`.
    /// - Parameter app: App of the sentence, or nil for the app that was typed.
    func complete(_ advice: Advice, app: String? = nil) -> Advice {
        advice.mapCommands { completed($0, app ?? bundleId) }
    }

    private func completed(_ command: ShellCommand, _ app: String?) -> ShellCommand {
        let words = command.words.prefix { $0.origin == .literal }.map(\.text)
        let flags = Set(command.words.filter { $0.origin == .literal }.map(\.text))
        guard !flags.contains("--help"), let type = StorebusCommand.type(of: words.dropFirst()) else { return command }
        let known = type.longOptions
        // For `up` it is the app of an imported file.
        let hasApp = !known.contains("--import") || flags.contains("--import")
        let app = hasApp && !unnamedApp.isExactly(app) ? app : nil
        let store = type is any InstallationCommand.Type ? nil : store
        // A command that names a store has it from the flag.
        let url = flags.contains("--store") ? url.map { StoreLocation($0).installation } : url
        var completed = command
        for (flag, value) in [("--bundle-id", app), ("--data", data), ("--url", url), ("--store", store)] {
            guard let value, known.contains(flag), !flags.contains(flag) else { continue }
            completed.add(flag, value)
        }
        return completed
    }
}

extension StorebusCommand {
    /// Finds the command that `words` begin with. Nil for no command and for a group.
    static func type(of words: some Collection<String>) -> (any ParsableCommand.Type)? {
        var type: any ParsableCommand.Type = StorebusCommand.self
        for word in words {
            let configuration = type.configuration
            let children = configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands)
            let child = children.first {
                $0.configuration.commandName == word || $0.configuration.aliases.contains(word)
            }
            guard let child else { break }
            type = child
        }
        if let byDefault = type.configuration.defaultSubcommand { type = byDefault }
        return type.configuration.subcommands.isEmpty && type != StorebusCommand.self ? type : nil
    }
}

/// The options found so far. A help text takes long to write.
private let optionsFound = Locked<[ObjectIdentifier: Set<String>]>([:])

extension ParsableCommand {
    /// The options of the command: `--data`, …
    static var longOptions: Set<String> {
        if let found = optionsFound.withLock({ $0[ObjectIdentifier(self)] }) { return found }
        let options = optionsOfHelp
        optionsFound.withLock { $0[ObjectIdentifier(self)] = options }
        return options
    }

    private static var optionsOfHelp: Set<String> {
        let lines = StorebusCommand.helpMessage(for: self, columns: 200).split(separator: "\n")
        return Set(
            lines.flatMap { line in
                let words = line.split(separator: " ")
                guard line.hasPrefix("  "), words.first?.hasPrefix("-") == true else { return [String]() }
                return words.prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }.map { word in
                    String(word.last == "," ? word.dropLast() : word)
                }
            })
    }
}
