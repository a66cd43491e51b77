import ArgumentParser

@testable import Storebus

/// Every command's help, as `docs/cli.md` has it: the flags that every command takes are left out.
enum CommandReference {
    struct Entry {
        var path: [String]
        var command: any ParsableCommand.Type
        var isGroup: Bool
    }

    static let entries = children(of: StorebusCommand.self, [])

    private static func children(of command: any ParsableCommand.Type, _ path: [String]) -> [Entry] {
        let configuration = command.configuration
        let grouped = configuration.groupedSubcommands.flatMap(\.subcommands)
        let all = grouped.isEmpty ? configuration.subcommands : grouped
        return all.flatMap { child -> [Entry] in
            let path = path + [child.configuration.commandName ?? "?"]
            let below = children(of: child, path)
            return [Entry(path: path, command: child, isGroup: !below.isEmpty)] + below
        }
    }

    static func help(_ entry: Entry) -> String {
        StorebusCommand.helpMessage(for: entry.command, columns: 100)
    }

    static var text: String {
        entries.map { entry in
            let lines = withoutCommonFlags(help(entry)).split(separator: "\n", omittingEmptySubsequences: false)
            var trimmed = lines[...]
            while trimmed.last?.isEmpty == true { trimmed.removeLast() }
            return "### storebus \(entry.path.joined(separator: " "))\n\n```text\n"
                + trimmed.joined(separator: "\n") + "\n```\n"
        }.joined(separator: "\n")
    }

    /// Of the flags every command takes, the beginnings of the lines that describe them.
    private static let common = [
        "-o, --output", "-q, --quiet", "-v, --verbose", "--color <when>", "--url <url>", "--timeout <time>", "--yes ",
        "--version ", "-h, --help",
    ]

    private static let commonUsage = [
        " [--output <format>] [--quiet] [--verbose ...] [--color <when>]",
        " [--url <url>] [--data <dir>] [--timeout <time>] [--yes]",
    ]

    private static func isCommon(_ line: Substring) -> Bool {
        let flag = line.dropFirst(2)
        return common.contains { flag.hasPrefix($0) }
            || (flag.hasPrefix("--data <dir>") && flag.contains("The running store's"))
    }

    private static func withoutCommonFlags(_ help: String) -> String {
        var lines: [Substring] = []
        var isDropping = false
        for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("  -") {
                isDropping = isCommon(line)
            } else if !line.hasPrefix("   ") {
                isDropping = false
            }
            if !isDropping { lines.append(line) }
        }
        while lines.last?.isEmpty == true || lines.last == "OPTIONS:" { lines.removeLast() }
        // A group's options are only those of every command; its subcommands stand below them.
        if let index = lines.firstIndex(of: "OPTIONS:"), index + 1 < lines.count, lines[index + 1].isEmpty {
            lines.removeSubrange(index...(index + 1))
        }
        return commonUsage.reduce(lines.joined(separator: "\n")) { text, usage in
            text.removing(usage)
        }
    }
}

extension String {
    /// The text without `part`.
    fileprivate func removing(_ part: String) -> String {
        var rest = self[...]
        var kept = ""
        while let start = rest.indices.first(where: { rest[$0...].hasPrefix(part) }) {
            kept += rest[..<start]
            rest = rest[start...].dropFirst(part.count)
        }
        return kept + rest
    }
}
