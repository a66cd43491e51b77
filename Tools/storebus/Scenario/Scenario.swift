import ArgumentParser
import StoreModels

/// A test of a store, as a file says it: commands in their order, and what they have to print.
///
/// ```yaml
/// scenario: a subscription renews
/// store: { clock: 2026-01-01T00:00:00Z, seed: 1 }
/// steps:
///   - run: storebus buy com.example.pro.monthly --as alice
///     save: first
///   - storebus time advance 1mo
///   - run: storebus sub show ${first}
///     expect: { status: active }
/// ```
struct Scenario: Hashable, Sendable {
    struct Step: Hashable, Sendable {
        enum Action: Hashable, Sendable {
            /// The words behind `storebus`.
            case command([ScenarioText])
            case request(method: String, url: ScenarioText)
        }

        /// The line of its action.
        var line: Int
        /// The action as the file has it.
        var title: String
        var action: Action
        var expected: YAMLNode?
        /// Whether the command has to fail.
        var fails = false
        /// The code of the failure. Nil for any.
        var code: String?
        /// Places in the result by the names of variables. Nil for the identifier that the command names.
        var saved: [ExactText: String?] = [:]
        /// How long the step is repeated until it is as expected. Nil for once.
        var within: Duration?
    }

    static let endings = [".scenario.yaml", ".scenario.yml"]
    static let byteCountMax = 1024 * 1024

    var name: String
    /// The file as it was typed.
    var file: String
    /// The options of `storebus store create`.
    var store: [String] = []
    var steps: [Step] = []

    /// - Parameter variables: Those of the process, for `${env.NAME}`.
    init(_ bytes: [UInt8], file: String, variables: [String: String]) throws(YAMLFault) {
        let document = try YAMLNode.parse(bytes)
        let members = try document.members(of: "a scenario", ["scenario", "store", "steps"])
        guard let name = members["scenario"] else { throw document.fault("'scenario', its name, is missing") }
        guard let steps = members["steps"] else { throw document.fault("'steps' is missing") }
        self.name = try name.line(of: "scenario")
        self.file = file
        if let store = members["store"] { self.store = try Self.options(store, in: Self.directory(of: file)) }
        guard let entries = steps.entries, !entries.isEmpty else { throw steps.fault("'steps' is a list of commands") }
        var known = ScenarioNames(variables: variables)
        for entry in entries {
            let step = try Step(entry, known)
            known.saved.formUnion(step.saved.keys)
            self.steps.append(step)
        }
    }

    /// Whether a command works in one store, and leaves the installation and its other stores alone.
    static func isOfOneStore(_ path: [String], _ type: any ParsableCommand.Type) -> Bool {
        if type is any ReadingCommand.Type { return true }
        let isShared = ["scenario", "bus", "chaos"].contains(path.first) || path.first == "ca" && path.last != "issue"
        return !isShared && !(type is any InstallationCommand.Type)
    }

    /// The options of `storebus store create`. A file's own app, and its catalogue's place, precede the command's.
    func store(bundleId: String) -> [String] {
        let usual = ["--bundle-id=\(bundleId)", "--seed=0"]
        return store
            + usual.filter { option in
                let name = option.prefix { $0 != "=" } + "="
                return !store.contains { $0.hasPrefix(name) }
            }
    }

    /// The members of `store`, which are options of `storebus store create`.
    private static func options(_ node: YAMLNode, in directory: String) throws(YAMLFault) -> [String] {
        let members = try node.members(of: "'store'", ["catalogue", "clock", "seed", "bundle-id"])
        return try members.sorted { $0.key.text < $1.key.text }.map { member throws(YAMLFault) in
            let name = member.key.text
            let value = try member.value.line(of: name)
            return "--\(name)=" + (name == "catalogue" && !value.hasPrefix("/") ? directory + value : value)
        }
    }

    /// The directory of a file, with a slash at its end, or nothing for a file here.
    private static func directory(of file: String) -> String {
        file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }
}

extension Scenario.Step {
    private static let words = ["run", "http", "expect", "fails", "save", "within"]
    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    fileprivate init(_ node: YAMLNode, _ known: ScenarioNames) throws(YAMLFault) {
        if let text = node.text {
            self = try Self(command: text, at: node, known)
            return
        }
        let members = try node.members(of: "a step", Self.words)
        switch (members["run"], members["http"]) {
        case (let run?, nil): self = try Self(command: try run.line(of: "run"), at: run, known)
        case (nil, let http?): self = try Self(request: try http.line(of: "http"), at: http, known)
        default: throw node.fault("a step has either 'run', a command, or 'http', a request")
        }
        if let expected = members["expect"] {
            try known.check(expected)
            self.expected = expected
        }
        if let node = members["fails"] {
            guard case .command = action else { throw node.fault("'fails' belongs to a command; expect a status") }
            let text = try node.line(of: "fails")
            fails = text != "false"
            code = ["true", "false"].contains(text) ? nil : text
        }
        if let node = members["save"] { saved = try Self.saved(node, isRequest: members["http"] != nil) }
        if let node = members["within"] {
            guard isRepeatable else { throw node.fault("'within' repeats the step, and \(title) changes the store") }
            let text = try node.line(of: "within")
            guard let limit = TimeLimit(argument: text) else {
                throw node.fault("'within' is a time such as 5s, and not '\(text)'")
            }
            within = limit.duration
        }
    }

    private init(command text: String, at node: YAMLNode, _ known: ScenarioNames) throws(YAMLFault) {
        var words: [String]
        do throws(ShellFault) { words = try ShellWord.split(text) } catch { throw node.fault(error.reason) }
        if words.first == "storebus" { words.removeFirst() }
        guard GlobalFlags.value(["-o", "--output"], words) == nil else {
            throw node.fault("leave -o out: a scenario reads the JSON of each command")
        }
        // A step is about the scenario's own store. A line that was pasted may name another one.
        words = GlobalFlags.removed(words)
        if let unknown = CommandTree.root.unknown(words) {
            let near = CommandTree.root.meant(words).map { "; did you mean 'storebus \($0.joined(separator: " "))'?" }
            throw node.fault("there is no command 'storebus \(unknown.joined(separator: " "))'\(near ?? "")")
        }
        let path = CommandTree.root.path(words)
        guard let type = StorebusCommand.type(of: words), !words.isEmpty else {
            throw node.fault("'\(text)' is no whole command")
        }
        let goesOn = words.first { ["-f", "--follow", "--watch"].contains($0) }
        guard !(type is any TerminalCommand.Type), goesOn == nil else {
            throw node.fault(
                "'\((["storebus"] + path + [goesOn].compactMap(\.self)).joined(separator: " "))' is for a terminal")
        }
        guard Scenario.isOfOneStore(path, type) else {
            throw node.fault("'storebus \(path.joined(separator: " "))' is about the whole installation")
        }
        let texts = try words.map { word throws(YAMLFault) in try known.text(word, at: node) }
        let title = text.hasPrefix("storebus ") ? text : "storebus \(text)"
        self.init(line: node.line, title: title, action: .command(texts))
    }

    private init(request text: String, at node: YAMLNode, _ known: ScenarioNames) throws(YAMLFault) {
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 2, Self.methods.contains(words[0]) else {
            throw node.fault("'http' is a method and an address, such as GET http://localhost:3000/me/alice")
        }
        self.init(
            line: node.line, title: text,
            action: .request(method: words[0], url: try known.text(words[1], at: node)))
    }

    /// Whether a repetition changes nothing.
    private var isRepeatable: Bool {
        switch action {
        case .command(let words): StorebusCommand.type(of: words.map(\.typed)) is any ReadingCommand.Type
        case .request(let method, _): method == "GET"
        }
    }

    private static func saved(_ node: YAMLNode, isRequest: Bool) throws(YAMLFault) -> [ExactText: String?] {
        if node.text != nil, isRequest { throw node.fault("name the place: save: { name: body.id }") }
        let entries: [(name: String, place: String?)] =
            if let members = node.members {
                try members.map { member throws(YAMLFault) in
                    (name: member.name, place: try member.value.line(of: member.name))
                }
            } else {
                [(name: try node.line(of: "save"), place: nil)]
            }
        var saved: [ExactText: String?] = [:]
        for (name, place) in entries {
            guard ScenarioNames.isName(name) else {
                throw node.fault("'\(name)' is no name of a variable, which is of letters, digits and _")
            }
            saved[ExactText(name)] = .some(place)
        }
        return saved
    }
}

/// A text with variables, `sub show ${first}`. `$${` means `${` itself.
struct ScenarioText: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case text(String)
        case variable(String)
    }

    /// The text as the file has it.
    var typed: String
    private let parts: [Part]

    /// - Returns: Nil for a `${` without its end.
    init?(_ typed: String) {
        self.typed = typed
        var parts: [Part] = []
        var rest = typed[...]
        while let start = rest.firstRange(of: "${") {
            let before = rest[..<start.lowerBound]
            if before.last == "$" {
                parts.append(.text(before + "{"))
                rest = rest[start.upperBound...]
                continue
            }
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { return nil }
            if !before.isEmpty { parts.append(.text(String(before))) }
            parts.append(.variable(String(rest[start.upperBound..<end])))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    var variables: [String] {
        parts.compactMap { part in if case .variable(let name) = part { name } else { nil } }
    }

    /// Returns the text with the values of its variables. One without a value stays as it is typed.
    func filled(_ values: [ExactText: String]) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .variable(let name): values[ExactText(name)] ?? "${\(name)}"
            }
        }.joined()
    }
}

/// The variables that a step may name.
struct ScenarioNames: Sendable {
    /// Members of the made store.
    static let ofStore = [
        "store", "url", "bundleId", "issuerId", "keyId", "privateKey", "adminKey", "rootCertificate",
    ]

    /// Those of the process.
    let variables: [String: String]
    /// Those of the steps before.
    var saved: Set<ExactText> = []

    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    func text(_ typed: String, at node: YAMLNode) throws(YAMLFault) -> ScenarioText {
        guard let text = ScenarioText(typed) else { throw node.fault("'${' has no '}'") }
        for name in text.variables where !isKnown(name) {
            let known = saved.map(\.text) + Self.ofStore.map { "store.\($0)" }
            let reason =
                name.hasPrefix("env.")
                ? "the variable \(name.dropFirst(4)) is not set" : "no step before saves '\(name)'"
            throw node.fault(reason + Suggestion.suffix(for: name, among: known.sorted()))
        }
        return text
    }

    /// Checks the variables of an expectation.
    func check(_ expected: YAMLNode) throws(YAMLFault) {
        switch expected.content {
        case .scalar(let text, _): _ = try self.text(text, at: expected)
        case .list(let entries): for entry in entries { try check(entry) }
        case .mapping(let members): for member in members { try check(member.value) }
        }
    }

    private func isKnown(_ name: String) -> Bool {
        if name.hasPrefix("env.") { return variables[String(name.dropFirst(4))] != nil }
        if name.hasPrefix("store.") { return Self.ofStore.contains(String(name.dropFirst(6))) }
        return saved.contains(ExactText(name))
    }
}

extension YAMLNode {
    func fault(_ reason: String) -> YAMLFault { YAMLFault(line: line, reason: reason) }

    /// Returns the members by their names.
    /// - Throws: For a node that is no mapping, and a member that is not `known`.
    fileprivate func members(of place: String, _ known: [String]) throws(YAMLFault) -> [ExactText: YAMLNode] {
        guard let members else { throw fault("\(place) is a mapping, and not \(kind)") }
        var found: [ExactText: YAMLNode] = [:]
        for member in members {
            guard known.contains(member.name) else {
                throw YAMLFault(
                    line: member.line,
                    reason: "\(place) has no '\(member.name)', but \(known.joined(separator: ", "))"
                        + Suggestion.suffix(for: member.name, among: known))
            }
            found[ExactText(member.name)] = member.value
        }
        return found
    }

    /// Returns a text of one line.
    fileprivate func line(of name: String) throws(YAMLFault) -> String {
        guard let text, !text.isEmpty else {
            throw fault("'\(name)' is a text, and not \(text == nil ? kind : "empty")")
        }
        // Between quotation marks a command may have one.
        guard name == "run" || !text.contains(where: \.isNewline) else { throw fault("'\(name)' has one line") }
        return text
    }
}

extension [ExactText: YAMLNode] {
    fileprivate subscript(_ name: String) -> YAMLNode? { self[ExactText(name)] }
}
