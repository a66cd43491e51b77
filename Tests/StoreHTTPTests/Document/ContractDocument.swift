import StoreHTTP
import StoreModels

/// Writes `openapi.json` from the endpoints of the contract.
struct ContractDocument {
    private let comments: SourceComments
    private let schemas: ContractSchemas
    private let lines: [String: [Substring]]

    /// - Parameters:
    ///   - routes: The sources of the routes by their file identifiers, such as `StoreHTTP/AppRoutes.swift`.
    ///   - storefronts: The codes of all storefronts.
    init(comments: SourceComments, routes: [String: String], storefronts: [String]) {
        self.comments = comments
        schemas = ContractSchemas(comments: comments, storefronts: storefronts)
        lines = routes.mapValues { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    }

    /// Makes the whole document.
    func document() throws -> DocumentNode {
        let operations = StoreRoutes.operations
        for operation in operations {
            if let type = operation.request as? any Decodable.Type, type != Empty.self {
                try schemas.noteSent(type, isOpen: operation.route.access == .serverAPI)
            }
        }
        var components = Components()
        var paths: [String: [(String, DocumentNode)]] = [:]
        var parameters: [String: DocumentNode] = [:]
        for (index, operation) in operations.enumerated() {
            let route = operation.route
            if index > 0, operations[index - 1].route == route { continue }
            let others = operations[index...].prefix { $0.route == route }
            let path = "\(route.path)"
            paths[path, default: []].append(
                (route.method.rawValue.lowercased(), try node(Array(others), &components)))
            if !route.path.parameters.isEmpty {
                parameters[path] = .list(try route.path.parameterNotes.map { try reference($0, &components) })
            }
        }
        var items: [(String, DocumentNode)] = []
        for (path, methods) in paths.sorted(by: { $0.key < $1.key }) {
            let shared = parameters[path].map { [("parameters", $0)] } ?? []
            items.append((path, .object(shared + methods)))
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": text(ContractInfo.title), "version": text(ContractInfo.version),
                "summary": text(ContractInfo.summary), "description": text(ContractInfo.description),
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "servers": .list([["url": "/"]]),
            "tags": .list(
                ContractInfo.tags.map { ["name": text($0.name), "description": text($0.description)] }),
            "paths": .object(items),
            "components": [
                "schemas": sorted(schemas.components), "parameters": sorted(components.parameters),
                "headers": sorted(components.headers), "responses": sorted(components.responses),
                "securitySchemes": .object(
                    try ContractInfo.securitySchemes.map { ($0.name, try schemas.node($0.schema)) }),
            ],
        ]
    }

    /// What operations share, by name.
    private struct Components {
        var parameters: [String: DocumentNode] = [:]
        var headers: [String: DocumentNode] = [:]
        var responses: [String: DocumentNode] = [:]
    }

    private func sorted(_ nodes: [String: DocumentNode]) -> DocumentNode {
        .object(nodes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    private func text(_ text: String) -> DocumentNode { .value(.string(text)) }

    // MARK: - Operations

    /// The operation of endpoints that have one route.
    private func node(_ endpoints: [any HTTPOperation], _ components: inout Components) throws -> DocumentNode {
        let endpoint = endpoints[0]
        let notes = endpoint.notes
        let access = endpoint.route.access
        let isBuilt = endpoint.isBuilt
        let (summary, description) = try texts(notes)
        var operation: DocumentNode = ["operationId": text(notes.id), "summary": text(summary)]
        if let description { operation.set("description", text(description)) }
        operation.set("tags", .list((notes.tag.map { [$0] } ?? access.tags).map(text)))
        operation.set("security", .list(access.securitySchemes.map { .object([($0, .list([]))]) }))
        let parameters = notes.parameters + (isBuilt ? [.timeout] : [])
        if !parameters.isEmpty {
            operation.set("parameters", .list(try parameters.map { try reference($0, &components) }))
        }
        operation.set("requestBody", try body(endpoint))
        var responses: [(String, DocumentNode)] = []
        for response in isBuilt ? successes(endpoint) : [] {
            responses.append(("\(response.status)", try node(response, endpoints, &components)))
        }
        for error in errors(endpoint) { responses.append(("\(error.status)", try reference(error, &components))) }
        operation.set("responses", .object(responses.sorted { $0.0 < $1.0 }))
        return operation
    }

    /// The summary and the description of an operation: its own, or the comment before its declaration.
    private func texts(_ notes: OperationNotes) throws -> (String, String?) {
        if let summary = notes.summary { return (summary, nil) }
        guard let lines = lines[notes.file] else {
            throw UndescribedOperation(notes, "its file is not among the sources")
        }
        var comment: [Substring] = []
        for line in lines[..<(notes.line - 1)].reversed() {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("///") {
                comment.append(text.dropFirst(3).drop { $0 == " " })
            } else if !comment.isEmpty || text.isEmpty {
                break
            }
        }
        let text = SourceComments.comment(comment.reversed()).text
        guard let end = text.firstRange(of: /\.\s+|\.$/) else {
            throw UndescribedOperation(notes, "it has no sentence")
        }
        let rest = text[end.upperBound...]
        return (String(text[..<end.lowerBound]), rest.isEmpty ? nil : String(rest))
    }

    private struct UndescribedOperation: Error, CustomStringConvertible {
        let description: String
        init(_ notes: OperationNotes, _ reason: String) { description = "\(notes.id): \(reason)" }
    }

    private func body(_ endpoint: any HTTPOperation) throws -> DocumentNode? {
        var media: (String, DocumentNode)?
        switch endpoint.notes.content {
        case .bytes(let type): media = (type, [:])
        case .json(let name):
            guard let schema = Schema.bodies[name] else {
                throw UndescribedOperation(endpoint.notes, "\(name) has no schema")
            }
            media = ("application/json", try content(try schemas.node(.component(name, schema))))
        case .nothing: media = ("application/json", nothing)
        case .narrowed(let schema):
            guard let type = endpoint.request as? any Decodable.Type else { return nil }
            var narrowed = try schemas.schema(of: type)
            narrowed = narrowed.merging(try schemas.node(schema))
            media = ("application/json", try content(narrowed))
        case .ofType:
            guard let type = endpoint.request as? any Decodable.Type else { return nil }
            if type == Empty.self {
                guard endpoint.isBodyOptional, endpoint.route.access != .serverAPI else { return nil }
                media = ("application/json", nothing)
            } else {
                media = ("application/json", try content(try schemas.schema(of: type)))
            }
        }
        guard let media else { return nil }
        return [
            "required": .value(.bool(!endpoint.isBodyOptional)), "content": .object([media]),
        ]
    }

    private var nothing: DocumentNode {
        ["schema": ["type": "object", "additionalProperties": false], "example": [:]]
    }

    /// A schema with the examples of its component.
    private func content(_ schema: DocumentNode) throws -> DocumentNode {
        var content: DocumentNode = ["schema": schema]
        if case .list(let examples)? = examples(of: schema) {
            if examples.count == 1 {
                content.set("example", examples[0])
            } else {
                content.set(
                    "examples",
                    .object(examples.enumerated().map { ("\($0.offset + 1)", ["value": $0.element]) }))
            }
        }
        return content
    }

    /// A schema's own examples, those of its component, or a list of those of its elements.
    private func examples(of schema: DocumentNode) -> DocumentNode? {
        if let examples = schema["examples"] { return examples }
        if case .value(.string(let path))? = schema["$ref"] {
            return schemas.components[String(path.split(separator: "/").last ?? "")]?["examples"]
        }
        return schema["items"].flatMap(examples).map { .list([$0]) }
    }

    // MARK: - Responses

    private func successes(_ endpoint: any HTTPOperation) -> [SuccessResponse] {
        guard endpoint.notes.responses.isEmpty else { return endpoint.notes.responses }
        return [endpoint.response == NoContent.self ? .noContent() : .ok()]
    }

    private func node(
        _ response: SuccessResponse, _ endpoints: [any HTTPOperation], _ components: inout Components
    ) throws -> DocumentNode {
        let types = endpoints.compactMap { $0.response as? any Decodable.Type }
        var node: DocumentNode = ["description": text(response.description ?? describe(types.first))]
        if !response.headers.isEmpty {
            node.set("headers", .object(try response.headers.map { ($0.name, try reference($0, &components)) }))
        }
        var media = try content(response.content, types)
        for other in endpoints.dropFirst() {
            for more in other.notes.responses where more.status == response.status {
                media += try content(more.content, [])
            }
        }
        if !media.isEmpty { node.set("content", .object(media)) }
        if !response.links.isEmpty {
            node.set("links", .object(response.links.map { ($0.name, self.node($0)) }))
        }
        return node
    }

    /// The first sentence of a type's comment.
    private func describe(_ type: (any Decodable.Type)?) -> String {
        guard let type, let comment = comments.comment(of: ContractSchemas.path(of: type))?.text else {
            return "The operation is done."
        }
        let end = comment.firstRange(of: /\.\s|\.$|:? `[{\[]/)?.lowerBound ?? comment.endIndex
        return "\(comment[..<end])."
    }

    private func content(
        _ content: SuccessResponse.Content, _ types: [any Decodable.Type]
    ) throws -> [(String, DocumentNode)] {
        switch content {
        case .none: return []
        case .ofType:
            let all = try types.map { try schemas.schema(of: $0) }
            guard let first = all.first else { return [] }
            return [("application/json", ["schema": all.count == 1 ? first : ["anyOf": .list(all)]])]
        case .json(let schema): return [("application/json", ["schema": try schemas.node(schema)])]
        case .text(let media): return media.map { ($0, ["schema": ["type": "string"]]) }
        case .bytes(let media): return media.map { ($0, [:]) }
        case .media(let media):
            return try media.map { ($0.0, try $0.1.map { ["schema": try schemas.node($0)] } ?? [:]) }
        case .events(let events):
            let schemas = try events.map { event -> DocumentNode in
                var properties: [(String, DocumentNode)] = [("event", ["const": text(event.name)])]
                if let id = event.id { properties.append(("id", try self.schemas.node(id))) }
                properties.append(
                    (
                        "data",
                        [
                            "type": "string", "contentMediaType": "application/json",
                            "contentSchema": try self.schemas.node(event.data),
                        ]
                    ))
                return [
                    "type": "object", "properties": .object(properties),
                    "required": .list(properties.map { text($0.0) }),
                ]
            }
            return [("text/event-stream", ["schema": ["oneOf": .list(schemas)]])]
        }
    }

    private func node(_ link: Link) -> DocumentNode {
        var node: DocumentNode = ["operationId": text(link.operation)]
        if !link.parameters.isEmpty {
            node.set("parameters", .object(link.parameters.map { ($0.0, text($0.1)) }))
        }
        node.set("description", text(link.description))
        return node
    }

    /// Every error of an operation, those of its kind included.
    private func errors(_ endpoint: any HTTPOperation) -> [ErrorResponse] {
        guard endpoint.isBuilt else { return [.notBuilt] }
        let notes = endpoint.notes
        var errors: [ErrorResponse]
        if endpoint.route.access == .serverAPI {
            errors = ErrorResponse.ofServerAPI
        } else {
            errors = [.invalid]
            if !endpoint.route.access.securitySchemes.isEmpty { errors += [.unauthenticated, .forbidden] }
            if !endpoint.route.path.parameters.isEmpty { errors.append(.notFound) }
            errors += bodyErrors(endpoint)
            switch notes.needs {
            case .service: errors += [.fault, .unavailable, .tooLate]
            case .storage: errors += [.fault, .unavailable]
            case .gateway: errors += [.fault]
            case .memory: break
            }
        }
        let own = Set(notes.errors.map(\.status))
        return errors.filter { !own.contains($0.status) } + notes.errors
    }

    private func bodyErrors(_ endpoint: any HTTPOperation) -> [ErrorResponse] {
        switch endpoint.notes.content {
        case .json, .bytes: [.tooLarge]
        case .narrowed, .nothing: [.tooLarge, .notJSON]
        case .ofType where endpoint.request == Empty.self && !endpoint.isBodyOptional: []
        case .ofType where endpoint.request is any Decodable.Type: [.tooLarge, .notJSON]
        case .ofType: []
        }
    }

    // MARK: - Components

    private func reference(_ kind: String, _ name: String) -> DocumentNode {
        ["$ref": text("#/components/\(kind)/\(name)")]
    }

    private func reference(_ parameter: Parameter, _ components: inout Components) throws -> DocumentNode {
        var node: DocumentNode = ["name": text(parameter.name), "in": text(parameter.location.rawValue)]
        if parameter.isRequired { node.set("required", true) }
        node.set("description", text(parameter.description))
        node.set("schema", try schemas.node(parameter.schema))
        if let separator = parameter.separator {
            node.set("style", "form")
            node.set("explode", .value(.bool(separator == .repetition)))
        }
        if let example = parameter.example { node.set("example", DocumentNode(example)) }
        try add(node, parameter.component, to: &components.parameters)
        return reference("parameters", parameter.component)
    }

    private func reference(_ header: ResponseHeader, _ components: inout Components) throws -> DocumentNode {
        var node: DocumentNode = ["description": text(header.description)]
        if header.isRequired { node.set("required", true) }
        node.set("schema", try schemas.node(header.schema))
        try add(node, header.component, to: &components.headers)
        return reference("headers", header.component)
    }

    private func reference(_ error: ErrorResponse, _ components: inout Components) throws -> DocumentNode {
        var node: DocumentNode = ["description": text(error.description)]
        var headers: [ResponseHeader] = []
        if error.status == 401 { headers.append(.authenticate) }
        if error.status == 416 { headers.append(.unsatisfiedRange) }
        switch error.content {
        case .problem(let codes):
            if error.isRepeatable { headers.append(.retryAfter) }
            var narrowed: DocumentNode = [
                "properties": ["code": ["enum": .list(codes.map { text($0.name) })]]
            ]
            for (name, values) in error.members {
                let one: DocumentNode = ["enum": .list(values.map(text))]
                narrowed = narrowed.merging(["properties": .object([(name, one)]), "required": .list([text(name)])])
            }
            node.set(
                "content",
                [
                    "application/problem+json": [
                        "schema": ["allOf": .list([try schemas.schema(of: Problem.self), narrowed])]
                    ]
                ])
        case .apple(let numbers):
            if error.isRepeatable { headers.append(.nextRequestAt) }
            let narrowed: DocumentNode = [
                "properties": ["errorCode": ["enum": .list(numbers.map { .value(.integer($0)) })]]
            ]
            node.set(
                "content",
                [
                    "application/json": [
                        "schema": ["allOf": .list([try schemas.schema(of: ServerAPIErrorResponse.self), narrowed])]
                    ]
                ])
        case .text(let line): node.set("content", ["text/plain": ["schema": ["const": text(line)]]])
        }
        if !headers.isEmpty {
            node.set("headers", .object(try headers.map { ($0.name, try reference($0, &components)) }))
        }
        try add(node, error.name, to: &components.responses)
        return reference("responses", error.name)
    }

    private struct DifferentComponents: Error, CustomStringConvertible {
        let description: String
    }

    private func add(_ node: DocumentNode, _ name: String, to components: inout [String: DocumentNode]) throws {
        if let known = components[name], known.text != node.text {
            throw DifferentComponents(description: "\(name) is the name of two components:\n\(known.text)\(node.text)")
        }
        components[name] = node
    }
}
