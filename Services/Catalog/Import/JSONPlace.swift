import StoreModels

/// A value in a file with its path, for messages to the operator.
struct JSONPlace: Sendable {
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

    func member(_ name: String) -> JSONPlace { JSONPlace(base: path, name: name, value: value?[name]) }

    /// The members of the object at this place, by name. Empty for another kind of value.
    var members: [(name: String, place: JSONPlace)] {
        (value?.objectValue ?? [:]).keys.sorted().map { ($0, member($0)) }
    }

    /// Returns the reason "is missing", or the kind of value found.
    func mustBe(_ wanted: String) -> String {
        guard let value else { return "is missing; it must be \(wanted)" }
        return "must be \(wanted), not \(value.kind)"
    }
}

extension ImportFindings {
    /// Reads the text at `place`. Any other value is a problem.
    mutating func text(_ place: JSONPlace, atMost count: Int) -> String? {
        guard let text = place.value?.stringValue else {
            refuse(place.path, place.mustBe("a string"))
            return nil
        }
        guard text.unicodeScalars.count <= count else {
            refuse(place.path, "is longer than \(count) characters")
            return nil
        }
        return text
    }

    /// Reads the identifier of a product or a subscription group at `place`.
    mutating func identifier(_ place: JSONPlace) -> String? {
        let rule = IdentifierRule.catalogued
        guard let text = self.text(place, atMost: rule.lengthMax) else { return nil }
        guard let fault = rule.fault(in: text) else { return text }
        refuse(place.path, text.isEmpty ? "is empty; an identifier has 1 to \(rule.lengthMax) characters" : fault)
        return nil
    }

    /// Reads the text at `place`, empty when it is missing.
    mutating func optionalText(_ place: JSONPlace, atMost count: Int) -> String {
        place.isAbsent ? "" : text(place, atMost: count) ?? ""
    }

    mutating func flag(_ place: JSONPlace, orElse fallback: Bool = false) -> Bool {
        guard !place.isAbsent else { return fallback }
        guard let value = place.value?.boolValue else {
            refuse(place.path, place.mustBe("true or false"))
            return fallback
        }
        return value
    }

    mutating func integer(_ place: JSONPlace, in range: ClosedRange<Int>, orElse fallback: Int? = nil) -> Int? {
        if let fallback, place.isAbsent { return fallback }
        guard case .number(let text)? = place.value else {
            refuse(place.path, place.mustBe("an integer"))
            return nil
        }
        guard let value = Int(text), range.contains(value) else {
            refuse(
                place.path,
                "is \(text.prefix(20)); it must be an integer from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return value
    }

    /// Reads the elements of the list at `place`, each with its path. Empty when it is missing.
    mutating func elements(_ place: JSONPlace) -> [JSONPlace] {
        guard !place.isAbsent else { return [] }
        guard let values = place.value?.arrayValue else {
            refuse(place.path, place.mustBe("a list"))
            return []
        }
        let path = place.path
        return values.enumerated().map { JSONPlace(path: "\(path)[\($0.offset)]", value: $0.element) }
    }

    mutating func isObject(_ place: JSONPlace) -> Bool {
        guard place.value?.objectValue == nil else { return true }
        refuse(place.path, place.mustBe("an object"))
        return false
    }

    /// Reads one of several words and converts it.
    mutating func word<Value>(_ place: JSONPlace, _ words: some Collection<(key: String, value: Value)>) -> Value? {
        guard let text = place.value?.stringValue else {
            refuse(place.path, place.mustBe("a string"), allowed: words.map(\.key))
            return nil
        }
        guard let value = words.first(where: { $0.key == text })?.value else {
            refuse(place.path, "is '\(text.prefix(40))'", allowed: words.map(\.key))
            return nil
        }
        return value
    }

    /// Reads a price: a decimal number in a string, as Xcode writes it.
    mutating func price(_ place: JSONPlace) -> DecimalAmount? {
        guard let text = place.value?.stringValue else {
            refuse(place.path, place.mustBe("a decimal number in a string, such as \"1.99\""))
            return nil
        }
        guard let amount = DecimalAmount(text) else {
            refuse(place.path, "is '\(text.prefix(40))'; it must be a decimal number such as 1.99, not negative")
            return nil
        }
        guard amount.wholeDigits <= DecimalAmount.wholeDigitsMax else {
            refuse(place.path, "is larger than \(DecimalAmount.wholeDigitsMax) digits before the point")
            return nil
        }
        guard amount.fractionDigits <= DecimalAmount.fractionDigitsMax else {
            refuse(place.path, "is '\(text.prefix(40))'; a price has at most two digits behind the point")
            return nil
        }
        return amount
    }
}
