import HTTPTypes
import Logging
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway

/// The small pieces, by themselves.
@Suite struct PartsTests {
    @Test func `a query is read as forms write it`() throws {
        let query = try QueryParameters("ids=a%2Cb&ids=c+d&ids=&limit=5&flag=true", names: ["ids", "limit", "flag"])
        #expect(query.list("ids") == ["a", "b", "c d"])
        #expect(try query.integer("limit", in: 1...10, default: 1) == 5)
        #expect(try query.boolean("flag") == true)
        #expect(try query.single("absent") == nil)
        #expect(throws: StoreError.self) { try query.single("ids") }
        #expect(throws: StoreError.self) { try QueryParameters("a=%e4", names: ["a"]) }
        #expect(throws: StoreError.self) { try QueryParameters("b=1", names: ["a"]) }
        #expect(throws: StoreError.self) { try query.integer("limit", in: 1...4, default: 1) }
    }

    @Test func `a literal segment goes before a parameter`() throws {
        let table = RouteTable([
            Route(notBuilt: HTTPRoute(.get, "/a/{id}", .open), "x"),
            Route(notBuilt: HTTPRoute(.get, "/a/stream", .open), "x"),
            Route(notBuilt: HTTPRoute(.post, "/a/{id}/finish", .open), "x"),
        ])
        guard case .found(let literal, let none) = table.match(.get, "/a/stream") else { throw Missing() }
        #expect(literal.path == "/a/stream")
        #expect(none.isEmpty)
        guard case .found(let route, let parameters) = table.match(.post, "/a/x%2Fy/finish") else { throw Missing() }
        #expect(route.path == "/a/{id}/finish")
        #expect(parameters == [.id: "x/y"])
        guard case .wrongMethod(let allowed) = table.match(.delete, "/a/b") else { throw Missing() }
        #expect(allowed == [.get])
        guard case .notFound = table.match(.get, "/a") else { throw Missing() }
    }

    struct Missing: Error {}

    @Test func `a key is compared by its digest`() {
        let key = AdminKey("secret")
        #expect(key.matches("secret"))
        #expect(!key.matches("secre"))
        #expect(!key.matches("secret "))
        #expect(!key.matches(""))
    }

    @Test(
        arguments: [
            ("/v1/customers/{account}/history", "/v1/customers/a@b.example/history", "/v1/customers/{account}/history"),
            ("/v1/transactions/{id}/finish", "/v1/transactions/t_1/finish", "/v1/transactions/t_1/finish"),
            (nil, "/v1/customer/anna@example.com", "/v1/customer/..."),
            (nil, "/v1/customers/anna@example.com/history", "/v1/customers/..."),
            (nil, "/favicon.ico", "/favicon.ico"), (nil, "/v1/nothing", "/v1/nothing"), (nil, "/", "/"), (nil, "", ""),
        ] as [(String?, String, String)])
    func `a log line has no account in its path (S20)`(route: String?, path: String, logged: String) {
        var record = AccessRecord(method: .get, path: path, traceID: "t")
        record.route = route
        #expect(record.metadata["path"] == .string(logged))
    }

    @Test func `log lines carry no control characters and no query`() {
        var record = AccessRecord(method: .get, path: "/v1/\u{1B}[31m\r\nforged", traceID: "t")
        record.finish(status: .ok, duration: .milliseconds(3))
        #expect(record.metadata["path"] == "/v1/?[31m??forged")
        let long = AccessRecord(method: .get, path: String(repeating: "é", count: 300), traceID: "t")
        #expect(long.metadata["path"] == .string(String(repeating: "?", count: 256)))
        #expect(record.milliseconds == 3)
    }
}
