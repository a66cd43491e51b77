import ArgumentParser
import StoreModels

/// Names the refused part of a request as it was typed: `--quantity` for the member `$.quantity`.
enum TypedPlace {
    /// Members whose option or argument has another name.
    private static let others = [
        "account": "--as", "deviceId": "--device", "by": "<length>", "to": "<instant>", "now": "<instant>",
        "productIdentifiers": "<product>", "productIdentifier": "<product>", "appPrice": "--price",
        "promotionsSupportedSince": "--promotions-since", "subscriptionRenewalRate": "--renewal-rate",
        "simulatedErrors": "--simulate", "version": "--app-version", "days": "<days>", "url": "<url>",
        "notificationType": "<type>",
    ]

    /// Returns the error with the place and a remedy in the words of the command line.
    ///
    /// A refusal of another part keeps its sentence. The store's remedy is about a request's members, which a user of
    /// the command line does not see, so the command's help takes its place.
    static func named(in error: CLIError, _ arguments: [String]) -> CLIError {
        var error = error
        let path = CommandTree.root.path(arguments)
        if error.is(.notFound) || error.code == .usage, let meant = CommandTree.root.child(near: arguments) {
            error.hints.insert("did you mean 'storebus \(meant.joined(separator: " "))'?", at: 0)
        }
        let help = "help: \((["storebus"] + path).joined(separator: " ")) --help" as Advice
        if error.is(.idempotencyKeyInvalid) {
            error.message = "--idempotency-key must be 1 to 255 printable ASCII characters"
            error.hints = [help]
        }
        let generic = [StoreErrorCode.requestInvalid, .notFound, .transactionStateInvalid].map { [Advice($0.remedy)] }
        if generic.contains(error.hints) || error.code == .usage && error.hints.isEmpty { error.hints = [help] }
        guard error.is(.requestInvalid) else { return error }
        guard let place = error.details["path"]?.stringValue, let type = StorebusCommand.type(of: path),
            let typed = typed(place, type), error.message.hasPrefix(place)
        else { return error }
        var rest = error.message.dropFirst(place.count)
        if rest.first == ":" { rest.removeFirst() }
        error.message = typed + rest
        return error
    }

    /// - Returns: Nil for a member that is not typed.
    private static func typed(_ place: String, _ command: any ParsableCommand.Type) -> String? {
        let names = place.split(separator: ".").map { $0.prefix { $0 != "[" } }.filter { $0 != "$" }.map(String.init)
        guard let first = names.first?.split(separator: " ").last.map(String.init) else { return nil }
        let typed = others[first] ?? "--" + hyphened(first)
        return typed.hasPrefix("<") || command.longOptions.contains(typed) ? typed : nil
    }

    /// `osVersion` as `os-version`.
    private static func hyphened(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
    }
}

/// A sentence of the parser about a wrong command line.
struct ParserSentence: Hashable, Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Forms of values by the name that helps have for them.
    private static let forms = [
        "bool": "true or false", "n": "a whole number", "number": "a whole number", "days": "a whole number",
        "lines": "a whole number", "time": "a time of at most 24h, such as 500ms, 5s, 2m or 1h",
        "instant": "an instant in UTC, such as 2027-01-31 or 2027-01-31T10:00:00Z", "n|auto": "1 to 65535, or auto",
        "percent": "a percentage up to 100 with at most three decimals, such as 33.5",
    ]
    private static let affirmative: Set = ["yes", "y", "on", "1", "enable", "enabled"]
    private static let negative: Set = ["no", "n", "off", "0", "disable", "disabled"]

    /// Returns the sentence with the place and the form that belongs there, and remedies.
    /// - Parameter path: The words of the command.
    func explained(_ arguments: [String], _ path: [String]) -> (text: String, hints: [Advice]) {
        if let explained = negativeNumber(arguments, path) { return explained }
        let quoted = text.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        if text.hasPrefix("The value '"), quoted.count >= 5 { return wrongValue(quoted[1], quoted[3]) }
        if text.hasPrefix("Missing value for '"), quoted.count >= 3, let form = Self.form(quoted[1]) {
            return ("\(Self.place(quoted[1])) needs a value: \(form)", [])
        }
        if text.hasPrefix("Missing expected argument"), let example = CommandTree.root.example(path) {
            return (text, ["for example \(example)"])
        }
        if text.hasPrefix("Unknown option '"), quoted.count >= 3 { return unknownOption(quoted[1], path) }
        // `refund grant 0001 33`
        if text.hasPrefix("Unexpected argument '"), quoted.count >= 3, Percentage(argument: quoted[1]) != nil,
            StorebusCommand.type(of: path)?.longOptions.contains("--percent") == true
        {
            return (text, ["did you mean '--percent \(quoted[1])'?"])
        }
        return (text, [])
    }

    /// Suggests the nearest option of the command. The parser suggests one without regard to swapped letters.
    private func unknownOption(_ typed: String, _ path: [String]) -> (text: String, hints: [Advice]) {
        // Answering every question is never meant.
        let known = (StorebusCommand.type(of: path)?.longOptions ?? []).filter { $0 != "--yes" && $0.hasPrefix("--") }
        return ("Unknown option '\(typed)'", Suggestion.hints(for: typed, among: known.sorted()))
    }

    private func wrongValue(_ value: String, _ place: String) -> (text: String, hints: [Advice]) {
        guard let form = Self.form(place) else { return (text, []) }
        let meant =
            switch form {
            case Self.forms["bool"]:
                Self.affirmative.contains(value) ? "true" : Self.negative.contains(value) ? "false" : nil
            case Self.forms["percent"]: Percentage.ofFraction(value)
            default: nil as String?
            }
        return (
            "\(Self.place(place)) is \(form), not '\(value)'", meant.map { ["did you mean '\($0)'?"] } ?? []
        )
    }

    /// Options whose values are names.
    private static let names: Set = ["--as", "--account", "--device", "--product", "--after"]

    /// Explains a number that begins with a hyphen, which the parser reads as an option.
    private func negativeNumber(_ arguments: [String], _ path: [String]) -> (text: String, hints: [Advice])? {
        let own = Array(arguments.prefix { $0 != "--" })
        guard
            let index = own.firstIndex(where: {
                $0.first == "-" && $0.dropFirst().first.map { $0.isASCII && $0.isNumber } == true
            })
        else { return nil }
        let option = index > 0 && own[index - 1].hasPrefix("-") ? own[index - 1] : nil
        if let option, Self.names.contains(option) {
            return (
                "\(option) needs a value, and '\(own[index])' reads as an option", ["write \(option)=\(own[index])"]
            )
        }
        return (
            "\(option ?? "an argument") cannot be negative: '\(own[index])'",
            path == ["time", "advance"] ? ["a clock goes back with storebus time to 2026-01-01 --back"] : []
        )
    }

    /// `--quantity` of `--quantity <n>`, `<instant>` of itself.
    private static func place(_ text: String) -> String { String(text.split(separator: " ").first ?? text[...]) }

    private static func form(_ place: String) -> String? {
        guard let name = place.split(separator: "<").last?.dropLast(), place.hasSuffix(">") else { return nil }
        return forms[String(name)]
    }
}

/// Commands that have another name now.
enum FormerName {
    /// The words that a name was replaced by, before and behind the other arguments.
    private static let present: [[String]: (before: [String], behind: [String])] = [
        ["ready"]: (["status"], []), ["page"]: (["promo", "page"], []), ["tester"]: (["account"], []),
        ["account", "reset"]: (["account", "set"], ["--unset", "all"]), ["account", "clear"]: (["reset"], []),
        ["promo", "reset"]: (["promo", "default"], []),
    ]

    /// Returns the command line by its present name.
    /// - Parameter arguments: The words of the command, then its arguments.
    /// - Returns: Nil for words that never were a command.
    static func command(_ arguments: [String]) -> ShellCommand? {
        guard let once = replaced(arguments) else { return nil }
        var command: ShellCommand = "storebus"
        for word in replaced(once) ?? once {
            if word.hasPrefix("-"), let sign = word.firstIndex(of: "=") {
                command.add(String(word[..<sign]), String(word[word.index(after: sign)...]))
            } else if word.hasPrefix("-") || ShellWord.isPlain(word) {
                command.add(ShellWord.quoted(word))
            } else {
                command = "\(command) \(word)"
            }
        }
        return command
    }

    private static func replaced(_ arguments: [String]) -> [String]? {
        guard let name = [2, 1].map({ Array(arguments.prefix($0)) }).first(where: { present[$0] != nil }),
            let names = present[name]
        else { return nil }
        var rest = Array(arguments.dropFirst(name.count))
        // The account was an argument.
        if name == ["account", "clear"], let index = rest.firstIndex(where: { !$0.hasPrefix("-") }) {
            rest.insert("--as", at: index)
        }
        return names.before + rest + names.behind
    }
}
