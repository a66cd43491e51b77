import HTTPTypes
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway

/// `openapi.json` and the router say the same, both ways (S22).
@Suite struct OpenAPITests {
    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    private func table() async throws -> [Route] { try await InMemoryGateway.make().routes }

    @Test func `the gateway serves every route of the contract, and no other`() async throws {
        let served = try await table().map(\.operation)
        #expect(Set(served) == Set(StoreRoutes.all))
        #expect(served.count == StoreRoutes.all.count)
    }

    @Test func `every route is documented and every documented operation is a route`() {
        let routes = Set(StoreRoutes.all.map { "\($0.method.rawValue) \($0.path)" })
        let documented = Set(document.operations.keys)
        #expect(routes.subtracting(documented).sorted() == [])
        #expect(documented.subtracting(routes).sorted() == [])
    }

    @Test func `parameters are those of the table`() async throws {
        for route in try await table() {
            let name = "\(route.method.rawValue) \(route.path)"
            let operation = try #require(document.operations[name])
            #expect(
                operation.names(in: "path") == Set(route.operation.path.parameters.map(\.rawValue)), "\(name): path")
            #expect(operation.names(in: "query") == route.query, "\(name): query")
            let key = operation.parameters.first { $0["name"] == "Idempotency-Key" }
            let isRequired = key.map { $0["required"] == true }
            let expected: Bool? =
                switch route.operation.idempotencyKey {
                case .none: nil
                case .optional: false
                case .required: true
                }
            #expect(isRequired == expected, "\(name): Idempotency-Key")
            #expect(operation.names(in: "header").contains("Sb-Timeout") == route.isBuilt, "\(name): Sb-Timeout")
        }
    }

    @Test func `who may call is what the table says`() async throws {
        for route in try await table() {
            let name = "\(route.method.rawValue) \(route.path)"
            let operation = try #require(document.operations[name])
            let expected: Set<String> =
                switch route.access {
                case .open, .named: []
                case .server: ["server"]
                case .serverAPI: ["serverAPI"]
                case .app: ["app"]
                case .appOrStore: ["app", "store"]
                case .appOrServer: ["app", "server"]
                case .admin: ["admin"]
                case .console: ["console"]
                }
            #expect(operation.schemes == expected, "\(name)")
            // Apple's API has one response to a token of any other kind; its 403 is about a subscription.
            let refusals: Set = route.access == .serverAPI ? ["401"] : ["401", "403"]
            // The body of a sign-in has the credentials.
            let isSignIn = route.operation == ConsoleRoutes.signIn.route
            #expect(
                refusals.intersection(operation.statuses) == (isSignIn ? ["401"] : expected.isEmpty ? [] : refusals),
                "\(name): refusals")
        }
    }

    @Test func `501 is the answer of what is not built, and 404 of every object in a path`() async throws {
        for route in try await table() {
            let name = "\(route.method.rawValue) \(route.path)"
            let statuses = try #require(document.operations[name]).statuses
            // A bus of NATS has nothing to show.
            let needsBroker = BusRoutes.ofBroker.contains(route.operation)
            #expect(statuses.contains("501") == (needsBroker || !route.isBuilt), "\(name): 501")
            #expect(statuses.contains { $0.hasPrefix("2") } == route.isBuilt, "\(name): an answer that went well")
            #expect(statuses.contains("400") == route.isBuilt, "\(name): 400")
            let namesSomething = !route.operation.path.parameters.isEmpty
            #expect(!route.isBuilt || !namesSomething || statuses.contains("404"), "\(name): 404")
        }
    }

    @Test func `every reference leads somewhere and every component is used`() {
        let references = document.references
        for reference in references {
            #expect(document.resolved(.object(["$ref": .string(reference)])) != nil, "\(reference)")
        }
        for (kind, components) in document.root["components"]?.objectValue ?? [:] where kind != "securitySchemes" {
            for name in (components.objectValue ?? [:]).keys {
                #expect(references.contains("#/components/\(kind)/\(name)"), "\(kind) \(name)")
            }
        }
        let schemes = Set((document.root["components"]?["securitySchemes"]?.objectValue ?? [:]).keys)
        #expect(schemes == Set(document.operations.values.flatMap(\.schemes)))
    }

    @Test func `each operation has a name of its own, a summary and a known tag`() {
        let tags = Set((document.root["tags"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue })
        var names: Set<String> = []
        for operation in document.operations.values {
            let name = operation.value["operationId"]?.stringValue ?? ""
            #expect(!name.isEmpty && names.insert(name).inserted, "\(operation.name): operationId \(name)")
            #expect(operation.value["summary"]?.stringValue?.isEmpty == false, "\(operation.name): summary")
            let own = (operation.value["tags"]?.arrayValue ?? []).compactMap(\.stringValue)
            #expect(!own.isEmpty && tags.isSuperset(of: own), "\(operation.name): tags")
        }
    }

    @Test func `links lead to operations that are built, by parameters they have`() throws {
        let byName = Dictionary(
            uniqueKeysWithValues: document.operations.values.map { ($0.value["operationId"]?.stringValue ?? "", $0) })
        var count = 0
        for operation in document.operations.values {
            for response in (operation.value["responses"]?.objectValue ?? [:]).values {
                for (link, value) in response["links"]?.objectValue ?? [:] {
                    count += 1
                    let target = try #require(byName[value["operationId"]?.stringValue ?? ""], "\(operation.name)")
                    let given = Set((value["parameters"]?.objectValue ?? [:]).keys)
                    #expect(given == target.names(in: "path"), "\(operation.name): \(link)")
                    #expect(target.statuses.contains { $0.hasPrefix("2") }, "\(operation.name): \(link)")
                }
            }
        }
        #expect(count > 0)
    }
}
