import StoreHTTP
import Testing

/// Routes as clients write them.
@Suite struct HTTPRouteTests {
    @Test func `values of the path and the query are percent-encoded`() {
        let route = HTTPRoute(.get, "/a/{id}/b/{account}", .app, query: ["after", "limit"])
        #expect(route.target([.id: "x/y", .account: "é"]) == "/a/x%2Fy/b/%C3%A9")
        #expect(
            route.target([.id: "1", .account: "2"], query: ["limit": "5", "after": "a b"])
                == "/a/1/b/2?limit=5&after=a%20b")
        #expect(route.target([.id: "", .account: "2"], query: ["after": nil]) == "/a//b/2")
    }

    @Test func `a path knows its segments and its parameters`() {
        let path = HTTPPath("/v1/{id}/finish/{account}")
        #expect(path.segments == [.literal("v1"), .parameter(.id), .literal("finish"), .parameter(.account)])
        #expect(path.parameters == [.id, .account])
        #expect(path.description == "/v1/{id}/finish/{account}")
        #expect(HTTPPath("/").segments == [.literal("")])
    }

    @Test func `no two routes have the same method and path, up to the names of parameters`() {
        var seen: Set<String> = []
        for route in StoreRoutes.all {
            let shape = route.path.segments.map { segment in
                guard case .literal(let literal) = segment else { return "{}" }
                return literal
            }
            let name = "\(route.method.rawValue) /\(shape.joined(separator: "/"))"
            #expect(seen.insert(name).inserted, "\(name)")
        }
    }

    @Test func `only the operator's routes begin with admin, and tickets for the console are the operator's`() {
        for route in StoreRoutes.all where route != ConsoleRoutes.createTicket.route {
            #expect((route.access == .admin) == route.path.description.hasPrefix("/admin/"), "\(route.path)")
        }
    }

    @Test func `every parameter is one of some path`() {
        let used = Set(StoreRoutes.all.flatMap(\.path.parameters))
        #expect(used == Set(PathParameter.allCases))
    }
}
