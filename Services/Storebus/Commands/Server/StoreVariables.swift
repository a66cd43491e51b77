import StoreModels

/// The environment variables that lead a program to the store: those that `storebus` itself reads, and those that say to
/// StoreKitClient who the app is there.
struct StoreVariables: Hashable, Sendable {
    /// In the order they are printed.
    private(set) var values: [Variable] = []

    struct Variable: Hashable, Sendable {
        var name: String
        var value: String
    }

    static let account = "STOREBUS_ACCOUNT"
    static let device = "STOREBUS_DEVICE_ID"

    init(_ settings: EffectiveSettings, _ installation: Installation) {
        values.append(Variable(name: "STOREBUS_URL", value: settings.url.text))
        values.append(Variable(name: "STOREBUS_BUNDLE_ID", value: settings.bundleId.text))
        values.append(Variable(name: Self.account, value: installation.account))
        values.append(Variable(name: Self.device, value: installation.deviceId))
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
