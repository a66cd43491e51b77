import StoreModels

/// A command line for a POSIX shell, as words.
///
/// A literal writes it: `"storebus tx list --as \(account)"`. The literal's spaces separate words. Interpolated
/// text is one quoted word, also when it is empty, and never a flag.
struct ShellCommand: Hashable, Sendable {
    /// A word before quoting.
    struct Word: Hashable, Sendable {
        /// The author of the word's beginning.
        enum Origin: Hashable, Sendable {
            /// The literal, to its end. The shell gets it unchanged.
            case literal
            /// The literal before an interpolated text.
            case prefixed
            /// An interpolated text.
            case named
        }

        @ExactText var text: String
        var origin: Origin

        /// Whether the parser reads the word as an option.
        fileprivate var isOption: Bool { origin != .named && text.utf8.first == UInt8(ascii: "-") }
        /// Whether the parser would read a name as an option.
        fileprivate var looksLikeOption: Bool { origin == .named && text.utf8.first == UInt8(ascii: "-") }
        fileprivate var quoted: String { origin == .literal ? text : ShellWord.quoted(text) }
    }

    private(set) var words: [Word] = []

    /// Adds a flag.
    mutating func add(_ flag: String) { words.append(Word(text: flag, origin: .literal)) }

    /// Adds an option with a value.
    mutating func add(_ option: String, _ value: String) {
        words += [Word(text: option, origin: .literal), Word(text: value, origin: .named)]
    }

    /// The command as a user types it.
    ///
    /// A name that begins with `-` is joined to its option by `=`. As an argument it follows `--`, with
    /// the arguments that follow it.
    var text: String {
        var line: [String] = []
        var last: [String] = []
        var isValue = false
        for word in words {
            if word.isOption {
                line.append(word.quoted)
                isValue = word.origin == .literal
            } else if isValue {
                if word.looksLikeOption { line[line.count - 1] += "=" + word.quoted } else { line.append(word.quoted) }
                isValue = false
            } else if word.looksLikeOption || !last.isEmpty {
                last.append(word.quoted)
            } else {
                line.append(word.quoted)
            }
        }
        return (line + (last.isEmpty ? [] : ["--"] + last)).joined(separator: " ")
    }
}

extension ShellCommand: ExpressibleByStringInterpolation {
    init(stringLiteral value: String) {
        var writer = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        writer.appendLiteral(value)
        self.init(stringInterpolation: writer)
    }

    init(stringInterpolation: StringInterpolation) { words = stringInterpolation.words }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var words: [Word] = []
        /// Whether the next text belongs to the last word.
        private var isOpen = false

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) {
            for (index, part) in literal.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
                if index > 0 { isOpen = false }
                if !part.isEmpty { append(String(part), .literal) }
            }
        }

        /// Appends a name, which stays in one word.
        mutating func appendInterpolation(_ value: some CustomStringConvertible) { append(value.description, .named) }

        /// Appends words of their own.
        mutating func appendInterpolation(words texts: [String]) {
            words += texts.map { Word(text: $0, origin: .named) }
            isOpen = false
        }

        /// Appends the words of a command or a part of one.
        mutating func appendInterpolation(_ command: ShellCommand) {
            words += command.words
            isOpen = false
        }

        private mutating func append(_ text: String, _ origin: Word.Origin) {
            if isOpen, let last = words.indices.last {
                words[last].text += text
                if origin == .named, words[last].origin == .literal { words[last].origin = .prefixed }
            } else {
                words.append(Word(text: text, origin: origin))
            }
            isOpen = true
        }
    }
}

/// A fault of a typed line.
struct ShellFault: Error, Hashable, Sendable {
    var reason: String
}

/// Words of a POSIX shell.
enum ShellWord {
    /// Quotes a text as one word, scalar by scalar: a combining mark does not hide the quotation mark before it.
    ///
    /// Single quotes make everything literal but themselves. Control characters other than a line feed are
    /// printed by the shell, because a terminal into which the word is pasted would obey them.
    static func quoted(_ text: String) -> String {
        if isPlain(text) { return text }
        var word = "'"
        for scalar in text.unicodeScalars {
            if scalar == "'" {
                word += "'\\''"
            } else if scalar != "\n", Table.isControl(scalar) {
                word += "'\"$(printf '\(octal(scalar))')\"'"
            } else {
                word.unicodeScalars.append(scalar)
            }
        }
        return word + "'"
    }

    /// Divides a typed line into words, as a POSIX shell does without its expansions.
    static func split(_ line: String) throws(ShellFault) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if isEscaped {
                // Between quotation marks a backslash quotes only itself and the mark.
                if quote != nil, scalar != "\"", scalar != "\\" { word?.unicodeScalars.append("\\") }
                word = (word ?? "") + String(scalar)
                isEscaped = false
            } else if scalar == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if scalar == open { quote = nil } else { word?.unicodeScalars.append(scalar) }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
                word = word ?? ""
            } else if scalar.properties.isWhitespace {
                if let whole = word { words.append(whole) }
                word = nil
            } else {
                word = (word ?? "") + String(scalar)
            }
        }
        guard quote == nil else { throw ShellFault(reason: "a quotation mark has no second one") }
        guard !isEscaped else { throw ShellFault(reason: "a backslash quotes nothing") }
        return words + (word.map { [$0] } ?? [])
    }

    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
                    || "-_./:@%+,".unicodeScalars.contains($0)
            }
    }

    /// The bytes of a scalar in UTF-8, each as `\ooo`.
    private static func octal(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf8.map { byte in "\\" + [6, 3, 0].map { String(byte >> $0 & 7) }.joined() }.joined()
    }
}
