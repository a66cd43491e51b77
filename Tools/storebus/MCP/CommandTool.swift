import ArgumentParser
import StoreModels

/// A command that changes nothing in the store. `storebus mcp` offers it without `--write`, and never with options that
/// name a file to write.
protocol ReadingCommand: ParsableCommand {}

/// A command for a person or a script: it runs until Ctrl-C, runs a program, or prints a key. Agents do not get it.
protocol TerminalCommand: ParsableCommand {}

/// One command as a tool of the Model Context Protocol. All but its access comes from the parser.
struct CommandTool: Sendable {
    /// The words behind `storebus`.
    let path: [String]
    let isReading: Bool
    let description: String
    /// By their names: those of options without dashes, of arguments as the help shows them.
    let arguments: [String: Argument]
    /// The names of all options, also those that a call cannot set.
    private let options: Set<String>

    struct Argument: Sendable {
        let kind: ParserDump.Argument.Kind
        /// The position among the command's arguments.
        let order: Int
        let isRequired: Bool
        let isRepeating: Bool
        /// The schema of its value.
        let schema: JSONValue
        let isPageLength: Bool
    }

    var name: String { path.joined(separator: "_") }

    /// Entries of a page that does not say how many. Five hundred rows, as on a terminal, would fill an agent's memory.
    static let pageLength = "50"

    /// Every command but those of ``TerminalCommand`` and groups without a command of their own.
    static let all: [CommandTool] = tools(in: ParserDump.root, [])

    private static func tools(in command: ParserDump.Command, _ path: [String]) -> [CommandTool] {
        let below = (command.subcommands ?? []).flatMap { tools(in: $0, path + [$0.commandName]) }
        guard below.isEmpty, let type = StorebusCommand.type(of: path), !(type is any TerminalCommand.Type) else {
            return below
        }
        return [CommandTool(command, path, type)]
    }

    private init(_ command: ParserDump.Command, _ path: [String], _ type: any ParsableCommand.Type) {
        self.path = path
        isReading = type is any ReadingCommand.Type
        description = [command.abstract, command.discussion].compactMap(\.self).joined(separator: "\n\n")
        let isOfInstallation = type is any InstallationCommand.Type
        let known = (command.arguments ?? []).filter { argument in
            argument.shouldDisplay && !(isOfInstallation && argument.kind == .option && argument.name == "store")
        }
        options = Set(known.filter { $0.kind == .option }.map(\.name))
        var arguments: [String: Argument] = [:]
        for (order, argument) in known.enumerated() {
            // The words of an argument precede an option of its name, and a command that reads asks nothing.
            guard argument.kind == .positional || !Self.hidden.contains(argument.name), arguments[argument.name] == nil,
                !(isReading && argument.name == "yes")
            else { continue }
            arguments[argument.name] = Argument(
                kind: argument.kind, order: order, isRequired: !argument.isOptional,
                isRepeating: argument.isRepeating, schema: argument.schema, isPageLength: argument.isPageLength)
        }
        self.arguments = arguments
    }

    /// Options that no call sets.
    ///
    /// Some are about a terminal. Others are the server's own, let a command go on until Ctrl-C, write a file, or send a
    /// token's file to another bus.
    private static let hidden: Set = [
        "output", "quiet", "verbose", "color", "help", "version", "url", "data", "follow", "watch", "bus-url",
        "bus-token-file", "out", "svg", "junit", "html", "fixtures",
    ]

    /// The tool as `tools/list` shows it.
    var listed: JSONValue {
        let required = arguments.filter(\.value.isRequired).map(\.key).sorted()
        return [
            "name": .string(name), "description": .string(description),
            "inputSchema": [
                "type": "object", "properties": .object(arguments.mapValues(\.schema)),
                "required": .array(required.map { .string($0) }), "additionalProperties": .bool(false),
            ],
            "annotations": ["readOnlyHint": .bool(isReading), "openWorldHint": .bool(false)],
        ]
    }

    /// Makes the command line of a call, behind `storebus`.
    ///
    /// - Parameter fixed: Values of options, by the options' names. A value in `given` precedes the one here.
    /// - Throws: `usage`, with the member that is wrong.
    func words(_ given: [String: JSONValue], fixed: [String: String]) throws(CLIError) -> [String] {
        let given = given.filter { $0.value != .null }
        var values = given
        if arguments["limit"]?.isPageLength == true, values["limit"] == nil {
            values["limit"] = .string(Self.pageLength)
        }
        var options: [String] = []
        var positional: [(order: Int, texts: [String])] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let argument = arguments[name] else {
                throw CLIError(
                    .usage, "\(self.name) has no argument '\(name)'",
                    hints: ["it has: \(arguments.keys.sorted().joined(separator: ", "))"])
            }
            switch argument.kind {
            case .flag:
                guard let isSet = value.boolValue else { throw wrong(name, "true or false", value) }
                if isSet { options.append("--\(name)") }
            case .option: options += try texts(of: value, name, argument).map { "--\(name)=\($0)" }
            case .positional: positional.append((argument.order, try texts(of: value, name, argument)))
            }
        }
        for (name, value) in fixed.sorted(by: { $0.key < $1.key }) where self.options.contains(name) {
            guard given[name] == nil || arguments[name]?.kind != .option else { continue }
            options.append("--\(name)=\(value)")
        }
        let words = positional.sorted { $0.order < $1.order }.flatMap(\.texts)
        return path + options + ["--output=json"] + (words.contains { $0.hasPrefix("-") } ? ["--"] : []) + words
    }

    /// The words of an argument or option. Agents write numbers where the command line has text.
    private func texts(
        of value: JSONValue, _ name: String, _ argument: Argument
    ) throws(CLIError) -> [String] {
        let values = argument.isRepeating ? value.arrayValue ?? [value] : [value]
        return try values.map { value throws(CLIError) in
            switch value {
            case .string(let text), .number(let text): text
            default: throw wrong(name, argument.isRepeating ? "a list of strings" : "a string", value)
            }
        }
    }

    private func wrong(_ name: String, _ expected: String, _ value: JSONValue) -> CLIError {
        CLIError(.usage, "'\(name)' of \(self.name) is \(expected), and not \(value.kind)", hints: [])
    }
}

/// The parser's description of the command line, as `--experimental-dump-help` prints it.
struct ParserDump: Decodable {
    struct Command: Decodable {
        var commandName: String
        var abstract: String?
        var discussion: String?
        var subcommands: [Command]?
        var arguments: [Argument]?
    }

    struct Argument: Decodable {
        enum Kind: String, Decodable, Sendable { case positional, option, flag }

        struct Name: Decodable {
            var kind: String
            var name: String
        }

        var kind: Kind
        var shouldDisplay: Bool
        var isOptional: Bool
        var isRepeating: Bool
        var names: [Name]?
        var valueName: String?
        var defaultValue: String?
        var allValues: [String]?
        var abstract: String?

        /// The long name of an option, or what the help calls an argument, in letters that clients' schemas admit.
        var name: String {
            if kind != .positional { return names?.first { $0.kind == "long" }?.name ?? "" }
            return String((valueName ?? "").map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        }

        /// Whether it is the length of a page, as ``PageOptions`` has it.
        var isPageLength: Bool { name == "limit" && defaultValue == "\(PageOptions.usualLimit)" }

        /// The JSON Schema of its value.
        var schema: JSONValue {
            if kind == .flag { return ["type": "boolean", "description": .string(abstract ?? "")] }
            let values = allValues.map { JSONValue.array($0.map { .string($0) }) }
            let item = (["type": "string"] as JSONValue).with(["enum": values])
            let schema: JSONValue = isRepeating ? ["type": "array", "items": item] : item
            let usual = isPageLength ? CommandTool.pageLength : defaultValue
            return schema.with(["description": .string(abstract ?? ""), "default": usual.map { .string($0) }])
        }
    }

    var command: Command

    static let root: Command = {
        do {
            return try StoreJSON.decode(ParserDump.self, from: Array(StorebusCommand._dumpHelp().utf8)).command
        } catch {
            preconditionFailure("the parser's description of itself has another form: \(error)")
        }
    }()
}
