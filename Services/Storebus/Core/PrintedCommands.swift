import ArgumentParser
import StoreModels

/// Completes printed commands with the flags of this one. A hint then finds the same store and app when it is typed as
/// it is.
struct PrintedCommands: Hashable, Sendable {
    /// As they were typed; nil: not at all.
    private var data: String?
    private var url: String?
    private var bundleId: String?
    /// The app a command is about that names none, as far as the environment says so.
    private var unnamedApp = EffectiveSettings.defaultBundleId

    static let none = PrintedCommands()

    private init() {}

    /// - Parameter arguments: of the command that runs.
    init(_ arguments: [String], _ variables: [String: String]) {
        let named = GlobalFlags.value(["--data"], arguments)
        data = named == DataDirectory.defaultName ? nil : named
        url = GlobalFlags.value(["--url"], arguments)
        // Of several, as `import` takes them, none is the app of what comes next.
        let apps = GlobalFlags.values("--bundle-id", arguments)
        bundleId = apps.count == 1 ? apps[0] : nil
        unnamedApp = variables["STOREBUS_BUNDLE_ID"] ?? unnamedApp
    }

    /// The same, where commands that name no app are about another than the environment says.
    func unnamed(_ bundleId: String) -> PrintedCommands {
        var commands = self
        commands.unnamedApp = bundleId
        return commands
    }

    /// A sentence with the commands in it completed: `all of them: storebus tx list --as alice --data DIR`.
    /// - Parameter app: what the sentence is about; nil: the app that was typed.
    func complete(_ text: String, app: String? = nil) -> String {
        var (done, rest) = ("", text[...])
        while let range = Self.command(in: rest) {
            done += rest[..<range.lowerBound] + completed(String(rest[range]), app ?? bundleId)
            rest = rest[range.upperBound...]
        }
        return done + rest
    }

    /// Where the first command is: at the start, or behind a colon, a comma or a line's beginning; to the end of the
    /// sentence's part, or to where its output goes.
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
        // Of `up` it is the app of a file to import, and there is none.
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
    /// The command that `words` begin with; nil for none, and for one that only groups others.
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
    /// `--data`, …: what the command's help lists.
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

/// A text as a POSIX shell takes it for one word.
enum ShellWord {
    /// Nothing inside single quotes means anything, and a single quote cannot be among them.
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
