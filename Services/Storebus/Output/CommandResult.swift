import ArgumentParser
import StoreModels

/// What a command found out, in every form it can be printed in.
struct CommandResult: Sendable {
    /// For people; ends with a line feed unless empty.
    var text: @Sendable (Style) -> String
    /// For programs: a superset of `text`.
    var data: JSONValue
    /// What another command takes as an argument.
    var names: [String]
    /// The next useful command, without a full stop.
    var next: String?
    /// Where a truncated list continues.
    var after: String?
    /// What is worth saying beside the result, a sentence each.
    var notes: [String]
    /// The app that ``next`` is about; nil: the one that was typed.
    var app: String?

    init(
        data: JSONValue, names: [String] = [], next: String? = nil, after: String? = nil, notes: [String] = [],
        text: @escaping @Sendable (Style) -> String
    ) {
        self.text = text
        self.data = data
        self.names = names
        self.next = next
        self.after = after
        self.notes = notes
    }

    /// A list as a table; an empty one says so with `ifEmpty`.
    init(
        _ table: Table, items: [JSONValue], names: [String], next: String? = nil, after: String? = nil,
        notes: [String] = [], ifEmpty: String
    ) {
        self.init(data: .array(items), names: names, next: next, after: after, notes: notes) { style in
            table.rows.isEmpty ? "\(ifEmpty)\n" : table.text(style)
        }
    }

    /// Text without colours.
    init(_ text: String, data: JSONValue, names: [String] = [], next: String? = nil, notes: [String] = []) {
        self.init(data: data, names: names, next: next, notes: notes) { _ in text }
    }

    /// The same, with the app that its commands are about.
    func about(_ bundleId: String?) -> CommandResult {
        var copy = self
        copy.app = bundleId
        return copy
    }

    /// The same, with commands that can be typed as they stand.
    func completed(_ commands: PrintedCommands) -> CommandResult {
        var copy = self
        copy.next = next.map { commands.complete($0, app: app) }
        copy.notes = notes.map { commands.complete($0, app: app) }
        return copy
    }

    /// Standard output's part.
    func output(_ format: OutputFormat, _ style: Style) -> String {
        switch format {
        case .human: return text(style)
        case .json:
            var members: [String: JSONValue] = ["data": data, "next": next.map { .string($0) } ?? .null]
            if let after { members["after"] = .string(after) }
            if !notes.isEmpty { members["notes"] = .array(notes.map { .string($0) }) }
            return JSONText.line(.object(members)) + "\n"
        case .jsonl: return (data.arrayValue ?? [data]).map { JSONText.line($0) + "\n" }.joined()
        case .names: return names.map { Table.onOneLine($0) + "\n" }.joined()
        }
    }

    /// Standard error's part, for people only.
    func narration(_ format: OutputFormat) -> String {
        guard format == .human else { return "" }
        return notes.map { "note: \(Table.onOneLine($0))\n" }.joined() + (next.map { "next: \($0)\n" } ?? "")
    }
}

/// `-o`.
enum OutputFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// Tables and sentences.
    case human
    /// One document, `{"data":…,"next":…}`, with everything the table shows and more; a stream prints one event a line.
    case json
    /// The same data, one item of a list a line, without the document around it.
    case jsonl
    /// Identifiers only, one a line: what another command takes.
    case names

    /// Whether errors are JSON too.
    var isJSON: Bool { self == .json || self == .jsonl }
}
