import StoreHTTP
import StoreModels

/// The schemas of the contract's types, made of their decoding, their comments and what they declare.
final class ContractSchemas {
    private let comments: SourceComments
    /// The codes of all storefronts, in their order.
    private let storefronts: [String]
    /// Types that clients send. Their schemas refuse unknown members, and take null for a missing one.
    private var sent: Set<ObjectIdentifier> = []
    /// Those of them that take unknown members, as Apple's operations do.
    private var open: Set<ObjectIdentifier> = []
    private(set) var components: [String: DocumentNode] = [:]
    /// The types of components that have one, by name.
    private var names: [String: ObjectIdentifier] = [:]

    init(comments: SourceComments, storefronts: [String]) {
        self.comments = comments
        self.storefronts = storefronts
    }

    /// Notes a type of requests with all types inside it, before any schema is made.
    /// - Parameter isOpen: Whether unknown members are ignored.
    func noteSent(_ type: any Decodable.Type, isOpen: Bool) throws {
        if let inner = Self.inner(of: type) { return try noteSent(inner, isOpen: isOpen) }
        let isNew = sent.insert(ObjectIdentifier(type)).inserted
        if isOpen { open.insert(ObjectIdentifier(type)) } else { open.remove(ObjectIdentifier(type)) }
        guard isNew else { return }
        let declared = TypeSchema.of(type)
        if case .whole? = declared?.extent { return try noteSent(in: declared?.keywords ?? [:], isOpen: isOpen) }
        for keywords in declared?.members.values.map({ $0 }) ?? [] { try noteSent(in: keywords, isOpen: isOpen) }
        switch try TypeRecorder.shape(of: type) {
        case .members(let members):
            for member in members where declared?.members[member.name].map(Self.replaces) != true {
                try noteSent(member.type, isOpen: isOpen)
            }
        case .value(let value) where value != type: try noteSent(value, isOpen: isOpen)
        default: break
        }
    }

    private func noteSent(in schema: Schema, isOpen: Bool) throws {
        switch schema {
        case .value: break
        case .list(let schemas): for schema in schemas { try noteSent(in: schema, isOpen: isOpen) }
        case .members(let members): for (_, schema) in members { try noteSent(in: schema, isOpen: isOpen) }
        case .type(let type): try noteSent(type, isOpen: isOpen)
        case .component(_, let schema): try noteSent(in: schema, isOpen: isOpen)
        }
    }

    /// Whether declared keywords are a member's whole schema: those with a type of their own.
    private static func replaces(_ schema: Schema) -> Bool {
        switch schema {
        case .type, .component: true
        case .members(let members): members.contains { ["type", "anyOf", "allOf"].contains($0.0) }
        default: false
        }
    }

    // MARK: - Schemas

    /// The schema of a type: a reference where it has a name.
    func schema(of type: any Decodable.Type) throws -> DocumentNode {
        switch type {
        case is String.Type: return ["type": "string"]
        case is Bool.Type: return ["type": "boolean"]
        case is Double.Type, is Float.Type: return ["type": "number"]
        case is Int64.Type: return ["type": "integer", "format": "int64"]
        case is any FixedWidthInteger.Type: return ["type": "integer"]
        case is JSONValue.Type: return [:]
        case let list as any ListType.Type:
            return ["type": "array", "items": try schema(of: list.element)]
        case let map as any MapType.Type:
            let values = try schema(of: map.value)
            return values.isEmpty ? ["type": "object"] : ["type": "object", "additionalProperties": values]
        case let optional as any OptionalType.Type: return try schema(of: optional.wrapped)
        default: break
        }
        if let declared = TypeSchema.of(type), case .whole(_, let isComponent) = declared.extent {
            if case .type(let other) = declared.keywords { return try schema(of: other) }
            if !isComponent { return try node(declared.keywords) }
        } else if case .value(let value) = try TypeRecorder.shape(of: type), !(type is any CaseIterable.Type) {
            return try schema(of: value)
        }
        let name = Self.name(of: type)
        let known = names.updateValue(ObjectIdentifier(type), forKey: name)
        guard known == nil || known == ObjectIdentifier(type) else {
            throw UnrecordableType(type, "another type has the name \(name)")
        }
        if components[name] == nil {
            components[name] = [:]
            components[name] = try component(type)
        }
        return Self.reference(name)
    }

    static func reference(_ name: String) -> DocumentNode {
        ["$ref": .value(.string("#/components/schemas/\(name)"))]
    }

    /// The schema of a named type.
    private func component(_ type: any Decodable.Type) throws -> DocumentNode {
        let path = Self.path(of: type)
        let comment = comments.comment(of: path)
        let declared = TypeSchema.of(type)
        var schema: DocumentNode
        if let declared, case .whole = declared.extent {
            schema = try node(declared.keywords)
        } else if let names = type as? any CaseIterable.Type {
            schema = try enumeration(names).merging(try node(declared?.keywords ?? [:]))
        } else {
            guard case .members(let members) = try TypeRecorder.shape(of: type) else {
                throw UnrecordableType(type, "it has no members")
            }
            schema = try object(type, path, members, declared)
        }
        if schema["description"] == nil, let text = describe(path, comment), !text.isEmpty {
            schema.set("description", .value(.string(text)))
        }
        if let examples = comment?.examples, !examples.isEmpty, schema["examples"] == nil,
            schema["properties"] != nil || schema["oneOf"] != nil
        {
            schema.set("examples", .list(examples.map(DocumentNode.init)))
        }
        return schema
    }

    private func object(
        _ type: any Decodable.Type, _ path: String, _ members: [TypeShape.Member], _ declared: TypeSchema?
    ) throws -> DocumentNode {
        let isSent = sent.contains(ObjectIdentifier(type))
        if let declared, case .forms(let forms) = declared.extent {
            return ["oneOf": .list(try forms.map { try form($0, path, members, declared) })]
        }
        let written = isSent ? [:] : try Self.written(type)
        var including: [any Decodable.Type] = [type]
        for other in declared?.including ?? [] { including.append(other) }
        let parts = including.map { part in
            (Self.path(of: part), TypeSchema.of(part)?.members ?? [:])
        }
        let names = Set(members.map(\.name))
        for name in declared?.members.keys.map({ $0 }) ?? [] where !names.contains(name) {
            throw UnrecordableType(type, "it declares \(name) and does not read it")
        }
        for name in written.keys where !names.contains(name) {
            throw UnrecordableType(type, "it writes \(name) and does not read it")
        }
        var properties: [(String, DocumentNode)] = []
        var required: [String] = []
        for member in members {
            let isRequired =
                declared?.required.contains(member.name) == true
                || (isSent ? !member.isOptional : written[member.name] != nil)
            if isRequired { required.append(member.name) }
            let keywords = parts.lazy.compactMap { $0.1[member.name] }.first
            var schema = try self.schema(of: member, keywords)
            let isNullable =
                isSent ? !isRequired && !member.refusesNull : written[member.name] == .some(.null)
            if isNullable { schema = Self.orNull(schema) }
            if schema["description"] == nil,
                let text = parts.lazy.compactMap({ self.comments.comment(of: $0.0, member: member.name) }).first?.text
            {
                schema.set("description", .value(.string(text)))
            }
            properties.append((member.name, schema))
        }
        var object: DocumentNode = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { object.set("required", .list(required.map { .value(.string($0)) })) }
        if isSent, !open.contains(ObjectIdentifier(type)) { object.set("additionalProperties", false) }
        return object.merging(try node(declared?.keywords ?? [:]))
    }

    /// One form of a type that clients send.
    private func form(
        _ form: TypeSchema.Form, _ path: String, _ members: [TypeShape.Member], _ declared: TypeSchema
    ) throws -> DocumentNode {
        var properties: [(String, DocumentNode)] = []
        for member in members where (form.required + form.optional).contains(member.name) {
            var schema = try self.schema(of: member, form.members[member.name] ?? declared.members[member.name])
            if form.optional.contains(member.name) { schema = Self.orNull(schema) }
            if schema["description"] == nil, let text = comments.comment(of: path, member: member.name)?.text {
                schema.set("description", .value(.string(text)))
            }
            properties.append((member.name, schema))
        }
        return [
            "type": "object", "properties": .object(properties),
            "required": .list(form.required.map { .value(.string($0)) }), "additionalProperties": false,
        ]
    }

    private func schema(of member: TypeShape.Member, _ keywords: Schema?) throws -> DocumentNode {
        guard let keywords else { return try schema(of: member.type) }
        let more = try node(keywords)
        if Self.replaces(keywords) { return more }
        let own = try schema(of: member.type)
        // Keywords beside a reference narrow what it refers to.
        return own.merging(more)
    }

    /// The same schema, with null beside its values.
    private static func orNull(_ schema: DocumentNode) -> DocumentNode {
        if case .value(.string(let type))? = schema["type"], schema["enum"] == nil, schema["const"] == nil {
            var nullable = schema
            nullable.set("type", .list([.value(.string(type)), "null"]))
            return nullable
        }
        if case .list(let schemas)? = schema["anyOf"] {
            var nullable = schema
            nullable.set("anyOf", .list(schemas + [["type": "null"]]))
            return nullable
        }
        if schema.isEmpty { return schema }
        var inner = schema
        inner.remove("description")
        var nullable: DocumentNode = ["anyOf": .list([inner, ["type": "null"]])]
        nullable.set("description", schema["description"])
        return nullable
    }

    private func enumeration<Names: CaseIterable>(_ type: Names.Type) throws -> DocumentNode {
        let values = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue }
        if let texts = values as? [String], !texts.isEmpty {
            return ["type": "string", "enum": .list(texts.map { .value(.string($0)) })]
        }
        if let numbers = values as? [Int], !numbers.isEmpty {
            return ["type": "integer", "enum": .list(numbers.map { .value(.integer($0)) })]
        }
        throw UnrecordableType(type, "it is an enumeration without text or numbers")
    }

    /// The comment of a type, and those of its cases.
    private func describe(_ path: String, _ comment: SourceComments.Comment?) -> String? {
        let cases = (comments.cases[path] ?? []).compactMap { name, value -> String? in
            guard let text = comments.comments["\(path).\(name)"]?.text else { return nil }
            return "- `\(value)`: \(text)"
        }
        let parts = [comment?.text].compactMap { $0 } + (cases.isEmpty ? [] : [cases.joined(separator: "\n")])
        return parts.isEmpty ? nil : parts.joined(separator: "\n\n")
    }

    /// Makes a node of a declared schema.
    func node(_ schema: Schema) throws -> DocumentNode {
        switch schema {
        case .value(let value): return DocumentNode(value)
        case .list(let schemas): return .list(try schemas.map(node))
        case .members(let members): return .object(try members.map { ($0.0, try node($0.1)) })
        case .type(let type): return try self.schema(of: type)
        case .component(let name, let schema):
            if components[name] == nil {
                var component = try node(schema)
                if name == "StorefrontCode" {
                    component.set("enum", .list(storefronts.map { .value(.string($0)) }))
                }
                components[name] = component
            }
            return Self.reference(name)
        }
    }

    // MARK: - Types

    /// The members that a value with as little as possible writes.
    private static func written(_ type: any Decodable.Type) throws -> [String: JSONValue] {
        func written<Value: Decodable>(_ type: Value.Type) throws -> [String: JSONValue] {
            guard let value = try TypeRecorder.sample(type) as? any Encodable else {
                throw UnrecordableType(type, "it is not Encodable")
            }
            return try StrictJSON.parse(try StoreJSON.encode(value)).objectValue ?? [:]
        }
        return try written(type)
    }

    private static func inner(of type: any Decodable.Type) -> (any Decodable.Type)? {
        switch type {
        case let list as any ListType.Type: list.element
        case let map as any MapType.Type: map.value
        case let optional as any OptionalType.Type: optional.wrapped
        default: nil
        }
    }

    /// The type's name with those of the types around it: `Prompt.Kind`.
    static func path(of type: Any.Type) -> String {
        let name = String(reflecting: type)
        let plain = name.prefix { $0 != "<" }
        return plain.split(separator: ".").dropFirst().joined(separator: ".")
    }

    /// The name of the type's component: `PromptKind`.
    static func name(of type: Any.Type) -> String {
        let own = path(of: type).split(separator: ".").joined()
        guard own == "EventList", let start = String(reflecting: type).firstIndex(of: "<") else { return own }
        let argument = String(reflecting: type)[start...].split(separator: ".").last ?? ""
        return "\(own)Of\(argument.filter { $0 != ">" })"
    }
}

/// A list of elements of one type.
protocol ListType { static var element: any Decodable.Type { get } }
extension Array: ListType where Element: Decodable { static var element: any Decodable.Type { Element.self } }

/// An object whose members have one type.
protocol MapType { static var value: any Decodable.Type { get } }
extension Dictionary: MapType where Value: Decodable { static var value: any Decodable.Type { Value.self } }

protocol OptionalType { static var wrapped: any Decodable.Type { get } }
extension Optional: OptionalType where Wrapped: Decodable { static var wrapped: any Decodable.Type { Wrapped.self } }
