import HTTPTypes
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway
@testable import GatewayEdge

/// The router serves the contract that `openapi.json` is written from (S22).
@Suite struct OpenAPITests {
    @Test func `the gateway serves every route of the contract, and no other`() async throws {
        let served = try await InMemoryGateway.make().routes.map(\.operation)
        #expect(Set(served) == Set(StoreRoutes.all))
        #expect(served.count == StoreRoutes.all.count)
    }

    @Test func `the document has every route of the contract, and no other`() throws {
        let documented = Set(try OpenAPIDocument().operations.keys)
        #expect(documented == Set(StoreRoutes.all.map { "\($0.method.rawValue) \($0.path)" }))
    }

    @Test func `what the document calls not built is not built`() async throws {
        let built = Dictionary(
            StoreRoutes.operations.map { ($0.route, $0.isBuilt) }, uniquingKeysWith: { $1 })
        for route in try await InMemoryGateway.make().routes {
            #expect(route.isBuilt == built[route.operation], "\(route.logName)")
        }
    }
}
