import ArgumentParser

/// The commands there are, read from the parser's own configuration, so that no list has to be kept.
struct CommandTree: Hashable, Sendable {
    var name: String
    var aliases: [String]
    var children: [CommandTree]
    /// Whether a word that names none of the children is an argument: `storebus intent PRODUCT`.
    var takesWords: Bool

    static let root = CommandTree(StorebusCommand.self)

    private init(_ command: any ParsableCommand.Type) {
        let configuration = command.configuration
        name = configuration.commandName ?? ""
        aliases = configuration.aliases
        takesWords = configuration.defaultSubcommand != nil
        children = (configuration.subcommands + configuration.groupedSubcommands.flatMap(\.subcommands))
            .reduce(into: [CommandTree]()) { children, next in
                let child = CommandTree(next)
                if !children.contains(child) { children.append(child) }
            }
    }

    func child(_ word: String) -> CommandTree? {
        children.first { $0.name == word || $0.aliases.contains(word) }
    }

    /// Every command's words, `["tx", "list"]`, those that only group others included.
    var paths: [[String]] {
        children.flatMap { child in [[child.name]] + child.paths.map { [child.name] + $0 } }
    }

    /// The longest beginning of the arguments that names a command, by its own name.
    func path(_ arguments: some Collection<String>) -> [String] {
        guard let first = arguments.first, let child = child(first) else { return [] }
        return [child.name] + child.path(arguments.dropFirst())
    }

    /// The first word that should name a command and names none, with the words before it.
    func unknown(_ arguments: some Collection<String>) -> [String]? {
        guard let first = arguments.first, !first.hasPrefix("-"), !children.isEmpty else { return nil }
        guard let child = child(first) else { return first == "help" || takesWords ? nil : [first] }
        return child.unknown(arguments.dropFirst()).map { [child.name] + $0 }
    }

    /// What other programs call the same.
    private static let otherWords = [
        "start": "up", "run": "up", "serve": "up", "stop": "down", "kill": "down", "purchase": "buy",
        "subscription": "sub", "subscriptions": "sub", "clock": "time", "user": "account", "users": "account",
        "customer": "account", "customers": "account", "ps": "status", "transaction": "tx", "transactions": "tx",
        "products": "product", "apps": "app", "log": "logs", "events": "wait", "delete": "reset", "load": "import",
    ]

    /// What there is in the place of a command of other programs that this one does not have.
    static let absent = [
        "listen": [
            "no webhooks are sent; wait for an event: storebus wait purchased --as ACCOUNT",
            "what an app is told: storebus watch --as ACCOUNT",
        ],
        "trigger": [
            "events are made by what causes them: storebus buy PRODUCT --as ACCOUNT",
            "renewals: storebus time next", "refunds: storebus refund TRANSACTION",
        ],
    ]

    /// The command a misspelt one is nearest to; nil when no word is misspelt or none is near.
    func meant(_ arguments: some Collection<String>) -> [String]? {
        guard let first = arguments.first, !first.hasPrefix("-"), !children.isEmpty else { return nil }
        if let child = child(first) { return child.meant(arguments.dropFirst()).map { [child.name] + $0 } }
        if let known = Self.otherWords[first], child(known) != nil { return [known] }
        return Suggestion.nearest(to: first, among: children.map(\.name).sorted()).map { [$0] }
    }
}
