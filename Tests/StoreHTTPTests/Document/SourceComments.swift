import FoundationEssentials
import StoreModels

/// The documentation comments of the contract's types, read from their sources.
///
/// The sources are formatted by `swift format`, so a declaration begins its line and a comment stands directly before it.
struct SourceComments {
    /// What the comment before a declaration says.
    struct Comment {
        /// The text without examples and without what is for callers in Swift.
        var text = ""
        /// Values in JSON among the comment's code.
        var examples: [JSONValue] = []
    }

    /// By the declaration's path: `Prompt`, `Prompt.Kind`, `Prompt.Kind.sheet`, `AppRoutes.get`.
    private(set) var comments: [String: Comment] = [:]
    /// Names of members in Swift by the type's path and the name in JSON, where they differ.
    private var spellings: [String: String] = [:]
    /// Cases of enumerations in their order, by the type's path: name and raw value.
    private(set) var cases: [String: [(name: String, value: String)]] = [:]

    /// Reads every Swift file below the folders.
    init(folders: [String]) throws {
        for folder in folders {
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
            for file in files.sorted() {
                read(String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/\(file)")), as: UTF8.self))
            }
        }
    }

    /// The comment of a type.
    func comment(of type: String) -> Comment? { comments[type] }

    /// The comment of a type's member, by its name in JSON.
    func comment(of type: String, member: String) -> Comment? {
        comments["\(type).\(spellings["\(type).\(member)"] ?? member)"]
    }

    private mutating func read(_ source: String) {
        /// The types around the line, with the depth of braces before each.
        var types: [(name: String, depth: Int)] = []
        var depth = 0
        var comment: [Substring] = []
        for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
            var text = line.drop { $0 == " " }
            if text.hasPrefix("///") {
                comment.append(text.dropFirst(3).drop { $0 == " " })
                continue
            }
            if text.hasPrefix("@") {
                // An attribute before a declaration, or with the line for itself.
                let attribute = text.prefix { $0 != " " }
                text = attribute.contains("(") ? "" : text.dropFirst(attribute.count).drop { $0 == " " }
            }
            if text.isEmpty { continue }
            let path = types.map(\.name).joined(separator: ".")
            if let (keyword, name) = Self.declaration(text) {
                switch keyword {
                case "case":
                    let isDirect = types.last?.depth == depth - 1
                    if isDirect { add(cases: text, in: path, comment) }
                case "var", "let", "func":
                    if types.last.map({ $0.depth == depth - 1 }) ?? true { note(comment, for: "\(path).\(name)") }
                default:
                    let own = path.isEmpty || keyword == "extension" ? name : "\(path).\(name)"
                    if keyword != "extension" { note(comment, for: own) }
                    types.append((path.isEmpty || keyword == "extension" ? name : name, depth))
                    if keyword == "enum", let open = text.firstIndex(of: "{"), text.hasSuffix("}") {
                        let body = text[text.index(after: open)...].dropLast().drop { $0 == " " }
                        if body.hasPrefix("case") { add(cases: body, in: own, []) }
                    }
                }
            }
            comment = []
            let code = Self.withoutText(text)
            depth += code.count { $0 == "{" } - code.count { $0 == "}" }
            while let last = types.last, depth <= last.depth { types.removeLast() }
        }
    }

    /// The keyword and the name of a declaration that begins the line.
    private static func declaration(_ line: Substring) -> (keyword: String, name: String)? {
        var words = line.split(separator: " ", maxSplits: 8)
        let modifiers: Set<Substring> = [
            "public", "package", "private", "fileprivate", "internal", "static", "final", "indirect", "private(set)",
            "package(set)", "fileprivate(set)", "mutating", "nonisolated",
        ]
        while let first = words.first, modifiers.contains(first) { words.removeFirst() }
        let keywords: Set<Substring> = [
            "struct", "enum", "class", "actor", "protocol", "extension", "var", "let", "func", "case",
        ]
        guard let keyword = words.first, keywords.contains(keyword), words.count > 1 else { return nil }
        let name = words[1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." || $0 == "`" }
        return (String(keyword), name.filter { $0 != "`" })
    }

    /// A line without what stands between quotation marks and behind a comment's slashes.
    private static func withoutText(_ line: Substring) -> String {
        var code = ""
        var isText = false
        var isEscaped = false
        for character in line {
            if isText, isEscaped {
                isEscaped = false
            } else if isText, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isText.toggle()
            } else if !isText {
                code.append(character)
                if code.hasSuffix("//") { break }
            }
        }
        return code
    }

    /// - Parameter comment: It describes a case that has the line for itself.
    private mutating func add(cases line: Substring, in path: String, _ comment: [Substring]) {
        let isCodingKeys = path.hasSuffix("CodingKeys")
        let parts = line.dropFirst("case ".count).split(separator: ",")
        for part in parts {
            let sides = part.split(separator: "=", maxSplits: 1)
            let name = sides[0].filter { $0.isLetter || $0.isNumber || $0 == "_" }
            guard !name.isEmpty else { continue }
            let value = sides.count < 2 ? name : sides[1].filter { $0 != " " && $0 != "\"" }
            if isCodingKeys {
                let type = path.split(separator: ".").dropLast().joined(separator: ".")
                if value != name { spellings["\(type).\(value)"] = name }
            } else {
                cases[path, default: []].append((name, value))
                if parts.count == 1 { note(comment, for: "\(path).\(name)") }
            }
        }
    }

    private mutating func note(_ lines: [Substring], for path: String) {
        guard !lines.isEmpty, comments[path] == nil else { return }
        comments[path] = Self.comment(lines)
    }

    /// Makes text of a comment's lines.
    static func comment(_ lines: [Substring]) -> Comment {
        var comment = Comment()
        var paragraphs: [String] = [""]
        var code: String?
        for line in lines {
            if line.hasPrefix("```") {
                // The example stands elsewhere in the document.
                if let text = paragraphs.last, text.hasSuffix(":") {
                    paragraphs[paragraphs.count - 1] = text.dropLast() + "."
                }
                if let block = code { comment.examples += example(block) }
                code = code == nil ? "" : nil
            } else if let block = code {
                code = block + line
            } else if line.hasPrefix("- Parameter") || line.hasPrefix("- Returns") || line.hasPrefix("- Throws")
                || line.hasPrefix("- Precondition")
            {
                break
            } else if line.isEmpty {
                paragraphs.append("")
            } else {
                paragraphs[paragraphs.count - 1] += (paragraphs.last?.isEmpty == false ? " " : "") + line
            }
        }
        let text = paragraphs.filter { !$0.isEmpty }.joined(separator: "\n\n")
        for span in text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        where !span.offset.isMultiple(of: 2) {
            comment.examples += example(String(span.element))
        }
        // Names of symbols become names of components and their members; numbers of rules are for readers of the code.
        let plain = text.replacing(/\ \([A-Z][0-9]+(, [A-Z][0-9]+)*\)/, with: "")
        comment.text = plain.split(separator: "``", omittingEmptySubsequences: false).enumerated().map {
            $0.offset.isMultiple(of: 2) ? String($0.element) : String($0.element.replacing("/", with: "."))
        }.joined(separator: "`")
        return comment
    }

    /// A value in JSON with a member; nothing for other code, and for values with an ellipsis.
    private static func example(_ code: String) -> [JSONValue] {
        guard code.hasPrefix("{") || code.hasPrefix("["), !code.contains("…"),
            let value = try? StrictJSON.parse(Array(code.utf8)), value != .object([:]), value != .array([])
        else { return [] }
        return [value]
    }
}
