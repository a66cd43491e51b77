import StoreModels

/// JSON whose members keep their order.
indirect enum DocumentNode {
    case value(JSONValue)
    case list([DocumentNode])
    case object([(String, DocumentNode)])

    /// Nil for another kind of node and for a member that is not there.
    subscript(name: String) -> DocumentNode? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.0 == name }?.1
    }

    var isEmpty: Bool {
        switch self {
        case .value: false
        case .list(let nodes): nodes.isEmpty
        case .object(let members): members.isEmpty
        }
    }

    /// Sets a member, at its place or behind the others.
    mutating func set(_ name: String, _ node: DocumentNode?) {
        guard case .object(var members) = self, let node else { return }
        if let index = members.firstIndex(where: { $0.0 == name }) {
            members[index].1 = node
        } else {
            members.append((name, node))
        }
        self = .object(members)
    }

    mutating func remove(_ name: String) {
        guard case .object(let members) = self else { return }
        self = .object(members.filter { $0.0 != name })
    }

    /// The node with the members of another; those of the other win.
    func merging(_ other: DocumentNode) -> DocumentNode {
        guard case .object = self, case .object(let more) = other else { return other }
        var merged = self
        for (name, node) in more { merged.set(name, self[name]?.merging(node) ?? node) }
        return merged
    }

    /// Text with lines of at most 120 characters, where an object or list on one line is shorter.
    var text: String {
        var text = ""
        write(to: &text, indent: 0, column: 0)
        return text + "\n"
    }

    private func write(to text: inout String, indent: Int, column: Int) {
        let line = self.line
        if column + line.count < 120 || isEmpty {
            text += line
            return
        }
        let space = String(repeating: " ", count: indent + 2)
        switch self {
        case .value: text += line
        case .list(let nodes):
            text += "[\n"
            for (index, node) in nodes.enumerated() {
                text += space
                node.write(to: &text, indent: indent + 2, column: indent + 3)
                text += index == nodes.count - 1 ? "\n" : ",\n"
            }
            text += String(repeating: " ", count: indent) + "]"
        case .object(let members):
            text += "{\n"
            for (index, member) in members.enumerated() {
                let key = "\(space)\(Self.quoted(member.0)): "
                text += key
                member.1.write(to: &text, indent: indent + 2, column: key.count + 1)
                text += index == members.count - 1 ? "\n" : ",\n"
            }
            text += String(repeating: " ", count: indent) + "}"
        }
    }

    private var line: String {
        switch self {
        case .value(.string(let text)): Self.quoted(text)
        case .value(.number(let text)): text
        case .value(.bool(let value)): value ? "true" : "false"
        case .value(.null): "null"
        case .value(let value): DocumentNode(value).line
        case .list(let nodes): "[" + nodes.map(\.line).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0.0)): \($0.1.line)" }.joined(separator: ", ") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: (try? StoreJSON.encode(text)) ?? [], as: UTF8.self)
    }
}

extension DocumentNode: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByDictionaryLiteral {
    init(stringLiteral value: String) { self = .value(.string(value)) }
    init(booleanLiteral value: Bool) { self = .value(.bool(value)) }
    init(dictionaryLiteral elements: (String, DocumentNode)...) { self = .object(elements) }

    /// Sorts the members of objects by their names.
    init(_ value: JSONValue) {
        switch value {
        case .array(let values): self = .list(values.map(DocumentNode.init))
        case .object(let members):
            self = .object(members.sorted { $0.key < $1.key }.map { ($0.key, DocumentNode($0.value)) })
        default: self = .value(value)
        }
    }
}
