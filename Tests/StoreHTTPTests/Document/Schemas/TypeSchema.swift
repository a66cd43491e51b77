import StoreHTTP
import StoreModels

/// Those parts of a type's schema that its members and comments do not say.
struct TypeSchema: Sendable {
    /// How much of a type's schema is declared.
    enum Extent: Sendable {
        /// Keywords besides the members that the type's decoding names.
        case part
        /// A schema of a type with several forms. Each form has some of the members.
        case forms([Form])
        /// All of it. A sample is a value that the decoding accepts, of a type that others cannot be without.
        case whole(sample: JSONValue?, isComponent: Bool)
    }

    /// One form of a type's objects.
    struct Form: Sendable {
        let required: [String]
        let optional: [String]
        /// Keywords of members in place of those of the type.
        let members: [String: Schema]

        init(required: [String], optional: [String] = [], _ members: [String: Schema] = [:]) {
            self.required = required
            self.optional = optional
            self.members = members
        }
    }

    let extent: Extent
    /// Keywords of the type itself.
    let keywords: Schema
    /// Keywords of members, by their names in JSON.
    let members: [String: Schema]
    /// Members that are always written although the type may be without them.
    let required: [String]
    /// Types with members in the same object, whose schemas and comments hold for them.
    let including: [any (Decodable & Sendable).Type]

    /// Creates the schema of an object or an enumeration, whose members the type's decoding names.
    static func part(
        _ members: [String: Schema] = [:], required: [String] = [],
        including: [any (Decodable & Sendable).Type] = [], keywords: Schema = [:]
    ) -> TypeSchema {
        TypeSchema(extent: .part, keywords: keywords, members: members, required: required, including: including)
    }

    /// Creates the schema of a type whose objects each have one of several forms.
    static func forms(_ forms: [Form], _ members: [String: Schema] = [:]) -> TypeSchema {
        TypeSchema(extent: .forms(forms), keywords: [:], members: members, required: [], including: [])
    }

    /// Creates the whole schema of a type.
    /// - Parameter isComponent: Whether others refer to it by the type's name. They repeat a plain text or number.
    static func whole(
        _ keywords: Schema, sample: JSONValue? = nil, isComponent: Bool = true
    ) -> TypeSchema {
        TypeSchema(
            extent: .whole(sample: sample, isComponent: isComponent), keywords: keywords, members: [:], required: [],
            including: [])
    }

    /// Creates the schema of an enumeration whose order is that of the raw numbers of StoreKit, or of Apple's server.
    static func numbered<Name: CaseIterable & RawRepresentable<String>>(
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
    static func of(_ type: Any.Type) -> TypeSchema? { declared[ObjectIdentifier(type)] }
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
