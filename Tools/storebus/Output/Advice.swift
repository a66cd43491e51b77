import StoreModels

/// A sentence for the user with commands that can be pasted: a next command, a remedy, a note.
///
/// A literal writes it: `"all of them: storebus tx list --as \(account)"`. A command begins with `storebus` in the
/// literal, and ends with its part of the sentence or before a redirection. An interpolated value in it is one quoted
/// word (``ShellCommand``). Elsewhere it is text, without control characters.
struct Advice: Hashable, Sendable {
    enum Part: Sendable {
        case text(String)
        case command(ShellCommand)
    }

    private(set) var parts: [Part] = []

    /// Creates a sentence of foreign text. It contains no command.
    init(_ text: String) { parts = [.text(Table.onOneLine(text))] }

    init(command: ShellCommand) { parts = [.command(command)] }

    /// The printed sentence.
    var text: String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .command(let command): command.text
            }
        }.joined()
    }

    /// Returns a copy with other commands.
    func mapCommands(_ change: (ShellCommand) -> ShellCommand) -> Advice {
        var copy = self
        copy.parts = parts.map { part in
            guard case .command(let command) = part else { return part }
            return .command(change(command))
        }
        return copy
    }
}

/// Sentences are equal that print the same bytes.
extension Advice {
    static func == (left: Advice, right: Advice) -> Bool { left.text.isExactly(right.text) }

    func hash(into hasher: inout Hasher) { hasher.combine(ExactText(text)) }
}

extension Advice: CustomStringConvertible {
    var description: String { text }
}

extension Advice: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) {
        var writer = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        writer.appendLiteral(value)
        self.init(stringInterpolation: writer)
    }

    init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.finished }

    struct StringInterpolation: StringInterpolationProtocol {
        private var parts: [Part] = []
        /// The command that the literal has begun.
        private var command: ShellCommand.StringInterpolation?

        init(literalCapacity: Int, interpolationCount: Int) {}

        fileprivate var finished: [Part] {
            var copy = self
            copy.endCommand()
            return copy.parts
        }

        private static let program = "storebus "
        /// Ends of a command: the sentence goes on.
        private static let ends = [", ", "; ", " > ", " (", "\n"]

        mutating func appendLiteral(_ literal: String) {
            var rest = literal[...]
            while !rest.isEmpty {
                if command != nil {
                    let end = Self.ends.compactMap { rest.firstRange(of: $0)?.lowerBound }.min()
                    command?.appendLiteral(String(rest[..<(end ?? rest.endIndex)]))
                    rest = rest[(end ?? rest.endIndex)...]
                    if end != nil { endCommand() }
                } else {
                    let start = Self.start(in: rest)
                    parts.append(.text(String(rest[..<(start ?? rest.endIndex)])))
                    rest = rest[(start ?? rest.endIndex)...]
                    if start != nil { command = .init(literalCapacity: 0, interpolationCount: 0) }
                }
            }
        }

        /// Finds a command. One in quotation marks is a name.
        private static func start(in text: Substring) -> Substring.Index? {
            text.ranges(of: program).map(\.lowerBound).first { text[..<$0].last != "'" }
        }

        /// Appends a name: in a command one word, elsewhere text.
        mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            if command == nil {
                parts.append(.text(Table.onOneLine(value.description)))
            } else {
                command?.appendInterpolation(value)
            }
        }

        /// Appends words of their own to a command.
        mutating func appendInterpolation(words: [String]) { appendInterpolation("\(words: words)" as ShellCommand) }

        /// Appends a command, or words of one.
        mutating func appendInterpolation(_ words: ShellCommand) {
            if command == nil { parts.append(.command(words)) } else { command?.appendInterpolation(words) }
        }

        mutating func appendInterpolation(_ advice: Advice) {
            endCommand()
            parts += advice.parts
        }

        private mutating func endCommand() {
            if let command { parts.append(.command(ShellCommand(stringInterpolation: command))) }
            command = nil
        }
    }
}

extension Advice {
    static func + (left: Advice, right: Advice) -> Advice { "\(left)\(right)" }
}

extension Sequence<Advice> {
    func joined(separator: Advice) -> Advice {
        reduce(nil) { joined, next in joined.map { $0 + separator + next } ?? next } ?? ""
    }
}
