import StoreModels

/// A value in a file with its path, for messages to the operator.
struct JSONNode: Sendable {
    /// The path of the object that contains this member, or of the value itself.
    private let base: String
    /// The member's name. Empty for an element and for the root.
    private let name: String
    /// The value. Nil when the member is missing.
    let value: JSONValue?

    init(path: String = "$", value: JSONValue?) {
        self.init(base: path, name: "", value: value)
    }

    private init(base: String, name: String, value: JSONValue?) {
        self.base = base
        self.name = name
        self.value = value
    }

    /// The path, such as `$.products[2].displayPrice`. It is built only for a message, because a large file has a
    /// hundred thousand places.
    var path: String { name.isEmpty ? base : "\(base).\(name)" }

    /// Whether the value is missing or null. Xcode writes both for "no value".
    var isAbsent: Bool {
        switch value {
        case nil, .null: true
        default: false
        }
    }

    func member(_ name: String) -> JSONNode { JSONNode(base: path, name: name, value: value?[name]) }

    /// The members of the object at this node, by name. Empty for another kind of value.
    var members: [(name: String, node: JSONNode)] {
        (value?.objectValue ?? [:]).keys.sorted().map { ($0, member($0)) }
    }

    /// Returns the reason "is missing", or the kind of value found.
    func mustBe(_ wanted: String) -> String {
        guard let value else { return "is missing; it must be \(wanted)" }
        return "must be \(wanted), not \(value.kind)"
    }
}

extension ImportFindings {
    /// Reads the text at `node`. Any other value is a problem.
    mutating func text(_ node: JSONNode, atMost count: Int) -> String? {
        guard let text = node.value?.stringValue else {
            refuse(node.path, node.mustBe("a string"))
            return nil
        }
        guard text.unicodeScalars.count <= count else {
            refuse(node.path, "is longer than \(count) characters")
            return nil
        }
        return text
    }

    /// Reads the identifier of a product or a subscription group at `node`.
    mutating func identifier(_ node: JSONNode) -> String? {
        let rule = IdentifierRule.catalogued
        guard let text = self.text(node, atMost: rule.lengthMax) else { return nil }
        guard let fault = rule.fault(in: text) else { return text }
        refuse(node.path, text.isEmpty ? "is empty; an identifier has 1 to \(rule.lengthMax) characters" : fault)
        return nil
    }

    /// Reads the text at `node`, empty when it is missing.
    mutating func optionalText(_ node: JSONNode, atMost count: Int) -> String {
        node.isAbsent ? "" : text(node, atMost: count) ?? ""
    }

    mutating func flag(_ node: JSONNode, orElse fallback: Bool = false) -> Bool {
        guard !node.isAbsent else { return fallback }
        guard let value = node.value?.boolValue else {
            refuse(node.path, node.mustBe("true or false"))
            return fallback
        }
        return value
    }

    mutating func integer(_ node: JSONNode, in range: ClosedRange<Int>, orElse fallback: Int? = nil) -> Int? {
        if let fallback, node.isAbsent { return fallback }
        guard case .number(let text)? = node.value else {
            refuse(node.path, node.mustBe("an integer"))
            return nil
        }
        guard let value = Int(text), range.contains(value) else {
            refuse(
                node.path,
                "is \(text.prefix(20)); it must be an integer from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return value
    }

    /// Reads the elements of the list at `node`, each with its path. Empty when it is missing.
    mutating func elements(_ node: JSONNode) -> [JSONNode] {
        guard !node.isAbsent else { return [] }
        guard let values = node.value?.arrayValue else {
            refuse(node.path, node.mustBe("a list"))
            return []
        }
        let path = node.path
        return values.enumerated().map { JSONNode(path: "\(path)[\($0.offset)]", value: $0.element) }
    }

    mutating func isObject(_ node: JSONNode) -> Bool {
        guard node.value?.objectValue == nil else { return true }
        refuse(node.path, node.mustBe("an object"))
        return false
    }

    /// Reads one of several words and converts it.
    mutating func word<Value>(_ node: JSONNode, _ words: some Collection<(key: String, value: Value)>) -> Value? {
        guard let text = node.value?.stringValue else {
            refuse(node.path, node.mustBe("a string"), allowed: words.map(\.key))
            return nil
        }
        guard let value = words.first(where: { $0.key == text })?.value else {
            refuse(node.path, "is '\(text.prefix(40))'", allowed: words.map(\.key))
            return nil
        }
        return value
    }

    /// Reads a price: a decimal number in a string, as Xcode writes it.
    mutating func price(_ node: JSONNode) -> DecimalAmount? {
        guard let text = node.value?.stringValue else {
            refuse(node.path, node.mustBe("a decimal number in a string, such as \"1.99\""))
            return nil
        }
        guard let amount = DecimalAmount(text) else {
            refuse(node.path, "is '\(text.prefix(40))'; it must be a decimal number such as 1.99, not negative")
            return nil
        }
        guard amount.wholeDigits <= DecimalAmount.wholeDigitsMax else {
            refuse(node.path, "is larger than \(DecimalAmount.wholeDigitsMax) digits before the point")
            return nil
        }
        guard amount.fractionDigits <= DecimalAmount.fractionDigitsMax else {
            refuse(node.path, "is '\(text.prefix(40))'; a price has at most two digits behind the point")
            return nil
        }
        return amount
    }
}
