import ArgumentParser
import StoreModels

/// The result of a command, for every output format.
struct CommandResult: Sendable {
    /// The text output. It ends with a line feed unless it is empty.
    var text: @Sendable (Style) -> String
    /// The JSON output, a superset of `text`.
    var data: JSONValue
    /// Identifiers that other commands take as arguments.
    var names: [String]
    /// The suggested next command, without a full stop.
    var next: Advice?
    /// The command that continues a truncated list.
    var after: String?
    /// Notes for standard error, a sentence each.
    var notes: [Advice]
    /// App of ``next``, or nil for the one that was typed.
    var app: String?

    init(
        data: JSONValue, names: [String] = [], next: Advice? = nil, after: String? = nil, notes: [Advice] = [],
        text: @escaping @Sendable (Style) -> String
    ) {
        self.text = text
        self.data = data
        self.names = names
        self.next = next
        self.after = after
        self.notes = notes
    }

    /// Creates the result of a list as a table. An empty list prints `ifEmpty`.
    init(
        _ table: Table, items: [JSONValue], names: [String], next: Advice? = nil, after: String? = nil,
        notes: [Advice] = [], ifEmpty: String
    ) {
        self.init(data: .array(items), names: names, next: next, after: after, notes: notes) { style in
            table.rows.isEmpty ? "\(ifEmpty)\n" : table.text(style)
        }
    }

    /// Creates the result of a list: a row, an entry of the JSON and a name for each item.
    init<Item>(
        _ items: [Item], _ columns: [Table.Column], named name: (Item) -> String, json: (Item) -> JSONValue,
        next: Advice? = nil, after: String? = nil, notes: [Advice] = [], ifEmpty: String, cells: (Item) -> [String]
    ) {
        self.init(
            Table(columns, items, cells), items: items.map(json), names: items.map(name), next: next, after: after,
            notes: notes, ifEmpty: ifEmpty)
    }

    /// The same for items that are JSON by themselves.
    init<Item: Encodable>(
        _ items: [Item], _ columns: [Table.Column], named name: (Item) -> String, next: Advice? = nil,
        after: String? = nil, notes: [Advice] = [], ifEmpty: String, cells: (Item) -> [String]
    ) {
        self.init(
            items, columns, named: name, json: { JSONText.value($0) }, next: next, after: after, notes: notes,
            ifEmpty: ifEmpty, cells: cells)
    }

    /// Creates the result of facts about one thing.
    init(_ fields: FieldList, data: JSONValue, names: [String] = [], next: Advice? = nil, notes: [Advice] = []) {
        self.init(data: data, names: names, next: next, notes: notes) { fields.text($0) }
    }

    /// Text without colours.
    init(_ text: String, data: JSONValue, names: [String] = [], next: Advice? = nil, notes: [Advice] = []) {
        self.init(data: data, names: names, next: next, notes: notes) { _ in text }
    }

    /// Returns the result with the app of its commands.
    func about(_ bundleId: String?) -> CommandResult {
        var copy = self
        copy.app = bundleId
        return copy
    }

    /// Returns the result with completed commands.
    func completed(_ commands: PrintedCommands) -> CommandResult {
        var copy = self
        copy.next = next.map { commands.complete($0, app: app) }
        copy.notes = notes.map { commands.complete($0, app: app) }
        return copy
    }

    /// Formats the part for standard output.
    func output(_ format: OutputFormat, _ style: Style) -> String {
        switch format {
        case .human: return text(style)
        case .json:
            var members: [String: JSONValue] = ["data": data, "next": next.map { .string($0.text) } ?? .null]
            if let after { members["after"] = .string(after) }
            if !notes.isEmpty { members["notes"] = .array(notes.map { .string($0.text) }) }
            return JSONText.line(.object(members)) + "\n"
        case .jsonl: return (data.arrayValue ?? [data]).map { JSONText.line($0) + "\n" }.joined()
        case .names: return names.map { Table.onOneLine($0) + "\n" }.joined()
        }
    }

    /// Formats the part for standard error, in the text format only.
    func narration(_ format: OutputFormat) -> String {
        guard format == .human else { return "" }
        return notes.map { "note: \($0)\n" }.joined() + (next.map { "next: \($0)\n" } ?? "")
    }
}

/// The output format, `-o`.
enum OutputFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// Tables and sentences.
    case human
    /// One document, `{"data":…,"next":…}`, a superset of the table. A stream prints one event a line.
    case json
    /// The same data, one item of a list a line, without the document around it.
    case jsonl
    /// Identifiers only, one a line, as arguments of other commands.
    case names

    /// Whether errors are JSON too.
    var isJSON: Bool { self == .json || self == .jsonl }
}
