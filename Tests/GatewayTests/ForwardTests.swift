import StoreHTTP
import StoreModels
import Testing

@testable import Gateway
@testable import GatewayEdge

/// Goal: the document tells each error that a forward passes on. Method: compare both declarations.
@Suite struct ForwardTests {
    /// Errors of an endpoint that the route never passes on.
    private static let kept: [HTTPRoute: Set<StoreErrorCode>] = [
        // A session's customer is there as long as its app.
        SubscriptionRoutes.list.route: [.notFound]
    ]

    @Test func `a forward declares the errors that its endpoint declares`() async throws {
        let operations = Dictionary(grouping: StoreRoutes.operations, by: \.route)
        var count = 0
        for route in try await InMemoryGateway.make().routes {
            guard let errors = route.passesOn else { continue }
            count += 1
            let declared = operations[route.operation, default: []].reduce(into: Set<StoreErrorCode>()) {
                $0.formUnion($1.codes)
            }
            let missing = Set(errors).subtracting(declared)
            #expect(missing == Self.kept[route.operation] ?? [], "\(route.logName)")
        }
        #expect(count > 45)
    }
}

extension HTTPOperation {
    /// The codes of its problems, besides those of every operation. With parameters a path has 404.
    fileprivate var codes: Set<StoreErrorCode> {
        var codes: Set<StoreErrorCode> = []
        for error in notes.errors {
            if case .problem(let own) = error.content { codes.formUnion(own) }
        }
        let hasOwn = notes.errors.contains { $0.status == 404 }
        if !hasOwn, !route.path.parameters.isEmpty { codes.insert(.notFound) }
        return codes
    }
}
