import StoreModels

/// The environment variables that lead a program to the store; the same that `storebus` itself reads.
struct StoreVariables: Hashable, Sendable {
    /// In the order they are printed.
    private(set) var values: [Variable] = []

    struct Variable: Hashable, Sendable {
        var name: String
        var value: String
    }

    init(_ settings: EffectiveSettings) {
        values.append(Variable(name: "STOREBUS_URL", value: settings.url.text))
        values.append(Variable(name: "STOREBUS_BUNDLE_ID", value: settings.bundleId.text))
        if let key = settings.adminKey { values.append(Variable(name: "STOREBUS_ADMIN_KEY", value: key.text)) }
    }

    var names: [String] { values.map(\.name) }

    var json: JSONValue { .object(Dictionary(uniqueKeysWithValues: values.map { ($0.name, .string($0.value)) })) }

    func text(_ form: EnvCommand.Form) -> String {
        switch form {
        case .shell: values.map { "export \($0.name)=\(ShellWord.quoted($0.value))\n" }.joined()
        case .dotenv: values.map { "\($0.name)=\(Self.quoteForDotenv($0.value))\n" }.joined()
        case .github: values.map { "\($0.name)=\(Table.onOneLine($0.value))\n" }.joined()
        case .json: JSONText.line(json) + "\n"
        }
    }

    /// Readers of these files differ; all of them take double quotes with backslashes.
    private static func quoteForDotenv(_ text: String) -> String {
        if ShellWord.isPlain(text) { return text }
        return "\""
            + text.map { character in
                switch character {
                case "\"", "\\", "$": "\\\(character)"
                case "\n": "\\n"
                default: "\(character)"
                }
            }.joined() + "\""
    }
}
