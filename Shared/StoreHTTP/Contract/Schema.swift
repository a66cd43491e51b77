import StoreModels

/// A JSON Schema (2020-12), or a part of one, written as Swift literals: `["type": "integer", "minimum": 1]`.
package indirect enum Schema: Sendable {
    /// Text, a number, true or false.
    case value(JSONValue)
    case list([Schema])
    /// Keywords or members, in the order of the document.
    case members([(String, Schema)])
    /// The schema of a type of the contract.
    case type(any (Decodable & Sendable).Type)
    /// A text with a meaning, whose schema has a name of its own that is not a type's.
    case component(String, Schema)

    /// An integer with bounds.
    package static func integer(_ range: ClosedRange<Int>) -> Schema {
        [
            "type": "integer", "minimum": .value(.integer(range.lowerBound)),
            "maximum": .value(.integer(range.upperBound)),
        ]
    }

    /// One of several texts.
    package static func text(oneOf values: [String]) -> Schema {
        ["type": "string", "enum": .list(values.map { .value(.string($0)) })]
    }

    /// The names of an enumeration.
    package static func text<Name: CaseIterable & RawRepresentable<String>>(oneOf names: Name.Type) -> Schema {
        text(oneOf: names.allCases.map(\.rawValue))
    }

    /// Text that matches a regular expression.
    package static func text(matching pattern: String) -> Schema {
        ["type": "string", "pattern": .value(.string(pattern))]
    }

    /// Text without control characters, as the gateway reads identifiers.
    package static func identifier(max: Int = IdentifierRule.product.lengthMax) -> Schema {
        words(max: max).merging(["minLength": 1])
    }

    /// The same, or nothing.
    package static func words(max: Int = IdentifierRule.product.lengthMax) -> Schema {
        Schema.text(matching: "^[^\\u0000-\\u001F\\u007F-\\u009F]*$").merging(["maxLength": .value(.integer(max))])
    }

    /// An app, as Apple's bundle identifiers are.
    package static let bundleIdentifier: Schema = .component(
        "BundleIdentifier",
        .text(matching: "^[A-Za-z0-9.-]{1,\(IdentifierRule.bundle.lengthMax)}$"))
    /// An ISO 3166-1 alpha-3 code. The document lists the codes of the catalogue's table.
    package static let storefrontCode: Schema = .component(
        "StorefrontCode", ["type": "string", "description": "ISO 3166-1 alpha-3, of the App Store's storefronts."])
    /// A language with script or region, such as `zh_Hant`.
    package static let languageName: Schema = text(matching: "^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$")
    /// A service, or `broker` for every service.
    package static let faultTarget: Schema = .component(
        "FaultTarget",
        text(oneOf: ["broker"] + ServiceName.allCases.map(\.rawValue)).merging([
            "description": "A service; `broker` is every service."
        ]))

    /// One of several schemas, or more of them.
    package static func any(_ schemas: Schema...) -> Schema { ["anyOf": .list(schemas)] }

    /// A list with at most as many items.
    package static func list(of items: Schema = [:], max: Int? = nil, min: Int? = nil) -> Schema {
        var keywords: [(String, Schema)] = [("type", "array"), ("items", items)]
        if let min { keywords.append(("minItems", .value(.integer(min)))) }
        if let max { keywords.append(("maxItems", .value(.integer(max)))) }
        return .members(keywords)
    }

    /// The schema with more keywords, of a schema that has a name.
    package func narrowed(_ keywords: Schema) -> Schema {
        Schema.members([("allOf", .list([self]))]).merging(keywords)
    }

    /// The schema with the keywords of another. The other's keywords win.
    package func merging(_ other: Schema) -> Schema {
        guard case .members(var own) = self, case .members(let more) = other else { return other }
        for (name, value) in more {
            if let index = own.firstIndex(where: { $0.0 == name }) {
                own[index].1 = own[index].1.merging(value)
            } else {
                own.append((name, value))
            }
        }
        return .members(own)
    }
}

extension Schema: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral {
    package init(dictionaryLiteral elements: (String, Schema)...) { self = .members(elements) }
    package init(arrayLiteral elements: Schema...) { self = .list(elements) }
    package init(stringLiteral value: String) { self = .value(.string(value)) }
}

extension Schema: ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral {
    package init(integerLiteral value: Int) { self = .value(.integer(value)) }
    package init(booleanLiteral value: Bool) { self = .value(.bool(value)) }
    package init(nilLiteral: ()) { self = .value(.null) }
}
