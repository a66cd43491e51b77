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

    /// A number of things, 0 or more.
    package static let count: Schema = ["minimum": 0]

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
    /// The name of a file or folder of the console.
    static let consoleName = text(matching: "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$")
    /// A service, or `broker` for every service.
    static let faultTarget: Schema = .component(
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

/// Those parts of a type's schema that its members and comments do not say.
package struct TypeSchema: Sendable {
    /// How much of a type's schema is declared.
    package enum Extent: Sendable {
        /// Keywords besides the members that the type's decoding names.
        case part
        /// The same of a type with several forms, each of which has some of the members.
        case forms([Form])
        /// All of it. A sample is a value that the decoding accepts, of a type that others cannot be without.
        case whole(sample: JSONValue?, isComponent: Bool)
    }

    /// One form of a type's objects.
    package struct Form: Sendable {
        package let required: [String]
        package let optional: [String]
        /// Keywords of members in place of those of the type.
        package let members: [String: Schema]

        package init(required: [String], optional: [String] = [], _ members: [String: Schema] = [:]) {
            self.required = required
            self.optional = optional
            self.members = members
        }
    }

    package let extent: Extent
    /// Keywords of the type itself.
    package let keywords: Schema
    /// Keywords of members, by their names in JSON.
    package let members: [String: Schema]
    /// Members that are always written although the type may be without them.
    package let required: [String]
    /// Types with members in the same object, whose schemas and comments hold for them.
    package let including: [any (Decodable & Sendable).Type]

    /// Creates the schema of an object or an enumeration, whose members the type's decoding names.
    package static func part(
        _ members: [String: Schema] = [:], required: [String] = [],
        including: [any (Decodable & Sendable).Type] = [], keywords: Schema = [:]
    ) -> TypeSchema {
        TypeSchema(extent: .part, keywords: keywords, members: members, required: required, including: including)
    }

    /// Creates the schema of a type whose objects each have one of several forms.
    package static func forms(_ forms: [Form], _ members: [String: Schema] = [:]) -> TypeSchema {
        TypeSchema(extent: .forms(forms), keywords: [:], members: members, required: [], including: [])
    }

    /// Creates the whole schema of a type.
    /// - Parameter isComponent: Whether others refer to it by the type's name. They repeat a plain text or number.
    package static func whole(
        _ keywords: Schema, sample: JSONValue? = nil, isComponent: Bool = true
    ) -> TypeSchema {
        TypeSchema(
            extent: .whole(sample: sample, isComponent: isComponent), keywords: keywords, members: [:], required: [],
            including: [])
    }

    /// Creates the schema of an enumeration whose order is that of the raw numbers of StoreKit, or of Apple's server.
    package static func numbered<Name: CaseIterable & RawRepresentable<String>>(
        _ type: Name.Type, from first: Int = 0
    ) -> TypeSchema {
        let numbers = type.allCases.enumerated().map {
            ($0.element.rawValue, Schema.value(.integer($0.offset + first)))
        }
        return .part(keywords: ["x-enum-values": .members(numbers)])
    }
}

extension TypeSchema {
    private static let declared: [ObjectIdentifier: TypeSchema] = {
        var table = SchemaTable()
        table.declareValues()
        table.declareReceipts()
        table.declareRequestsOfApps()
        table.declareRequestsOfOperators()
        table.declareRequestsOfServers()
        table.declareChaosRuns()
        table.declareEnumerations()
        table.declareProducts()
        table.declarePurchases()
        table.declareStreamEvents()
        table.declareOperatorResponses()
        table.declareBus()
        table.declareNotifications()
        table.declareServerAPI()
        return table.schemas
    }()

    /// Returns the declared schema of a type, or nil for one whose members and comments say all.
    package static func of(_ type: Any.Type) -> TypeSchema? { declared[ObjectIdentifier(type)] }
}

/// The declared schemas, by type.
struct SchemaTable {
    private(set) var schemas: [ObjectIdentifier: TypeSchema] = [:]

    /// - Precondition: The type is not declared yet.
    mutating func declare(_ type: Any.Type, _ schema: TypeSchema) {
        let known = schemas.updateValue(schema, forKey: ObjectIdentifier(type))
        precondition(known == nil, "\(type) is declared twice")
    }
}
