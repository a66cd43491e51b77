import Foundation
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

/// `openapi.json` is written from the routes, their types and the comments of both; `STOREBUS_GOLDEN=write` renews it.
@Suite struct DocumentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let made = Result { try make() }

    private let comments: SourceComments
    private let text: String
    /// The document as clients read it.
    private let json: JSONValue

    init() throws { (comments, text, json) = try Self.made.get() }

    private static func make() throws -> (SourceComments, String, JSONValue) {
        let comments = try SourceComments(
            folders: ["Shared/StoreModels", "Shared/StoreHTTP"].map { root.appending(path: $0).path })
        let routes = root.appending(path: "Shared/StoreHTTP/Routes")
        let sources = try FileManager.default.contentsOfDirectory(at: routes, includingPropertiesForKeys: nil).map {
            ("StoreHTTP/\($0.lastPathComponent)", try String(contentsOf: $0, encoding: .utf8))
        }
        let table = try Data(contentsOf: root.appending(path: "Services/Catalog/Resources/storefronts.json"))
        let storefronts = try StrictJSON.parse(Array(table)).arrayValue ?? []
        let text = try ContractDocument(
            comments: comments, routes: Dictionary(uniqueKeysWithValues: sources),
            storefronts: storefronts.compactMap { $0["countryCode"]?.stringValue }
        ).document().text
        return (comments, text, try StrictJSON.parse(Array(text.utf8)))
    }

    @Test func `openapi json is the document of the routes and their types`() throws {
        #expect(try GoldenFile.difference("Services/Gateway/Resources/openapi.json", text) == nil)
    }

    @Test func `every reference leads somewhere and every component is used`() {
        let references = Set(Self.references(in: json))
        for reference in references { #expect(resolved(reference) != nil, "\(reference)") }
        for (kind, components) in json["components"]?.objectValue ?? [:] where kind != "securitySchemes" {
            for name in (components.objectValue ?? [:]).keys {
                #expect(references.contains("#/components/\(kind)/\(name)"), "\(kind) \(name)")
            }
        }
        let schemes = Set(ContractInfo.securitySchemes.map(\.name))
        #expect(schemes == Set(StoreRoutes.all.flatMap(\.access.securitySchemes)))
        let tags = Set(ContractInfo.tags.map(\.name))
        for operation in StoreRoutes.operations {
            #expect(tags.isSuperset(of: operation.notes.tag.map { [$0] } ?? operation.route.access.tags))
        }
    }

    @Test func `each operation has an identifier and a path of its own`() {
        var identifiers: [String: HTTPRoute] = [:]
        for operation in StoreRoutes.operations {
            let known = identifiers.updateValue(operation.route, forKey: operation.notes.id)
            #expect(known == nil || known == operation.route, "\(operation.notes.id)")
        }
        #expect(identifiers.count == StoreRoutes.all.count)
    }

    @Test func `links lead to operations that are built, by parameters they have`() throws {
        let operations = Dictionary(grouping: StoreRoutes.operations) { $0.notes.id }
        var count = 0
        for operation in StoreRoutes.operations {
            for link in operation.notes.responses.flatMap(\.links) {
                count += 1
                let target = try #require(operations[link.operation]?.first, "\(operation.notes.id): \(link.name)")
                let names = Set(target.route.path.parameters.map(\.rawValue))
                #expect(Set(link.parameters.map(\.0)) == names, "\(operation.notes.id): \(link.name)")
                #expect(target.isBuilt, "\(operation.notes.id): \(link.name)")
            }
        }
        #expect(count > 0)
    }

    @Test func `errors have the registry's codes at their statuses`() {
        for error in StoreRoutes.operations.flatMap(\.notes.errors) {
            guard case .problem(let codes) = error.content else { continue }
            for code in codes { #expect(Self.isPossible(code, error.status), "\(error.name): \(code)") }
        }
        let listed = json["components"]?["schemas"]?["Problem"]?["properties"]?["code"]?["enum"]?.arrayValue ?? []
        #expect(listed.compactMap(\.stringValue) == StoreErrorCode.all.map(\.name))
    }

    /// `requestInvalid` has the status of what is invalid: the length, the type, the quantity. A purchase URL can be read
    /// and has a fault; the URL of an endpoint is a member that is malformed.
    private static func isPossible(_ code: StoreErrorCode, _ status: Int) -> Bool {
        guard StoreErrorCode.all.contains(code) else { return false }
        if code == .requestInvalid { return [400, 408, 411, 415, 416, 422].contains(status) }
        if code == .urlInvalid { return [400, 422].contains(status) }
        return code.status == status
    }

    @Test func `Apple's errors are all there, at the status of their numbers`() {
        let errors = ErrorResponse.ofServerAPI + [.notExtensible]
        let numbers = errors.flatMap { error -> [Int] in
            guard case .apple(let numbers) = error.content else { return [] }
            return numbers
        }
        #expect(Set(numbers) == Set(ServerAPIError.allCases.map(\.code)))
    }

    @Test func `examples of comments are read by their types`() throws {
        var count = 0
        for operation in StoreRoutes.operations {
            for type in [operation.request, operation.response] {
                guard let type = type as? any Decodable.Type else { continue }
                for example in comments.comment(of: ContractSchemas.path(of: type))?.examples ?? [] {
                    count += 1
                    #expect(throws: Never.self, "\(type): \(example)") { try Self.read(type, example) }
                }
            }
        }
        #expect(count > 50)
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ example: JSONValue) throws {
        _ = try StoreJSON.decode(type, from: try StoreJSON.encode(example))
    }

    @Test func `bodies that clients send have an example`() {
        for (path, item) in json["paths"]?.objectValue ?? [:] {
            for (method, operation) in item.objectValue ?? [:] {
                guard let body = operation["requestBody"]?["content"]?["application/json"] else { continue }
                #expect(body["example"] != nil || body["examples"] != nil, "\(method) \(path)")
            }
        }
    }

    private func resolved(_ reference: String) -> JSONValue? {
        reference.split(separator: "/").dropFirst().reduce(json as JSONValue?) { $0?[String($1)] }
    }

    private static func references(in value: JSONValue) -> [String] {
        switch value {
        case .object(let members):
            members.flatMap { $0.key == "$ref" ? [$0.value.stringValue ?? ""] : references(in: $0.value) }
        case .array(let values): values.flatMap(references)
        default: []
        }
    }
}
