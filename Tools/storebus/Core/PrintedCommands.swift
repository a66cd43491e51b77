import ArgumentParser
import StoreModels

/// Adds the running command's flags to printed commands, for the same store and app.
struct PrintedCommands: Hashable, Sendable {
    /// The flags as typed; nil for none.
    private var data: String?
    private var url: String?
    private var bundleId: String?
    /// The app of commands without `--bundle-id`, if the environment names one.
    private var unnamedApp = EffectiveSettings.defaultBundleId

    static let none = PrintedCommands()

    private init() {}

    /// - Parameter arguments: Arguments of the running command.
    init(_ arguments: [String], _ variables: [String: String]) {
        let named = GlobalFlags.value(["--data"], arguments)
        data = named == DataDirectory.defaultName ? nil : named
        url = GlobalFlags.value(["--url"], arguments)
        // With several apps, as in `import`, the next command has none.
        let apps = GlobalFlags.values("--bundle-id", arguments)
        bundleId = apps.count == 1 ? apps[0] : nil
        unnamedApp = variables["STOREBUS_BUNDLE_ID"] ?? unnamedApp
    }

    /// Returns a copy with another app for commands that name none.
    func unnamed(_ bundleId: String) -> PrintedCommands {
        var commands = self
        commands.unnamedApp = bundleId
        return commands
    }

    /// Completes the commands in a sentence: `all of them: storebus tx list --as alice --data DIR`.
    /// - Parameter app: App of the sentence; nil for the app that was typed.
    func complete(_ text: String, app: String? = nil) -> String {
        var (done, rest) = ("", text[...])
        while let range = Self.command(in: rest) {
            done += rest[..<range.lowerBound] + completed(String(rest[range]), app ?? bundleId)
            rest = rest[range.upperBound...]
        }
        return done + rest
    }

    /// Finds the first command in a text. It follows the start, a colon, a comma or a line feed, and ends
    /// with its part of the sentence or before a redirection.
    private static func command(in text: Substring) -> Range<Substring.Index>? {
        var search = text.startIndex
        while let start = text[search...].firstRange(of: "storebus ") {
            search = start.upperBound
            let before = text[..<start.lowerBound]
            guard before.isEmpty || [": ", ", ", "\n"].contains(where: before.hasSuffix) else { continue }
            let ends = [", storebus ", "; ", " > ", " (", "\n"].compactMap { text[search...].firstRange(of: $0) }
            return start.lowerBound..<(ends.map(\.lowerBound).min() ?? text.endIndex)
        }
        return nil
    }

    private func completed(_ command: String, _ app: String?) -> String {
        let words = command.split(separator: " ").map(String.init)
        guard !words.contains("--help"), let type = StorebusCommand.type(of: words.dropFirst()) else { return command }
        let known = type.longOptions
        // For `up` it is the app of an imported file.
        let hasApp = !known.contains("--import") || words.contains("--import")
        let app = hasApp && !unnamedApp.isExactly(app) ? app : nil
        var text = command
        for (flag, value) in [("--bundle-id", app), ("--data", data), ("--url", url)] {
            guard let value, known.contains(flag), !words.contains(flag) else { continue }
            text += " \(flag) \(ShellWord.quoted(value))"
        }
        return text
    }
}

extension StorebusCommand {
    /// Finds the command that `words` begin with; nil for none and for a group.
    fileprivate static func type(of words: some Collection<String>) -> (any ParsableCommand.Type)? {
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

extension ParsableCommand {
    /// The options of the command: `--data`, …
    fileprivate static var longOptions: Set<String> {
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

/// Quotes a text as one word of a POSIX shell.
enum ShellWord {
    /// Single quotes make every character literal but a single quote.
    static func quoted(_ text: String) -> String {
        isPlain(text)
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                    || "-_./:@%+,".unicodeScalars.contains($0)
            }
    }
}
