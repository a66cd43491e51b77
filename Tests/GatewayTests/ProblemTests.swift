import EventLoop
import HTTPTypes
import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway
@testable import GatewayEdge

/// Limits, refusals and the shape every refusal has.
@Suite struct ProblemTests {
    @Test func `a problem has the contract's members`() async throws {
        try await GatewayHarness.run { store in
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            let answer = try await store.send(
                .GET, "/v1/nothing", headers: [("traceparent", "00-\(trace)-00f067aa0ba902b7-01")])
            #expect(answer.status == 404)
            #expect(answer.headers.first(name: "Content-Type") == "application/problem+json")
            #expect(answer.headers.first(name: "X-Content-Type-Options") == "nosniff")
            #expect(answer.json["type"] == "urn:storebus:problem:notFound")
            #expect(answer.json["title"] == "Not Found")
            #expect(answer.json["status"]?.intValue == 404)
            #expect(answer.json["code"] == "notFound")
            #expect(answer.json["retryable"] == false)
            #expect(answer.json["detail"]?.stringValue?.isEmpty == false)
            #expect(answer.json["traceId"]?.stringValue == trace)
        }
    }

    @Test func `a malformed traceparent is replaced, not refused`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/v1/nothing", headers: [("traceparent", "00-zz-1-1")])
            #expect(answer.json["traceId"]?.stringValue?.utf8.count == 32)
        }
    }

    @Test func `a wrong method is 405 with the right ones`() async throws {
        try await GatewayHarness.run { store in
            for (method, path, allowed) in [
                ("DELETE", "/v1/payments", "POST"), ("TRACE", "/healthz", "GET"),
                ("PATCH", "/admin/v1/apps/x", "DELETE, GET, PUT"),
                ("POST", "/v1/transactions/stream", "GET"),
            ] {
                let answer = try await store.send(.init(rawValue: method), path)
                #expect(answer.status == 405, "\(method) \(path)")
                #expect(answer.code == "methodNotAllowed")
                #expect(answer.headers.first(name: "Allow") == allowed)
            }
        }
    }

    @Test func `every path names its methods to all others (S21)`() async throws {
        try await GatewayHarness.run { store in
            for (path, routes) in Dictionary(grouping: store.gateway.routes, by: \.path) {
                let own = routes.map(\.method.rawValue).sorted()
                let values = routes[0].operation.path.parameters.map { ($0, "x") }
                let target = routes[0].operation.target(Dictionary(uniqueKeysWithValues: values))
                for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"]
                where !own.contains(method) {
                    let answer = try await store.send(
                        .init(rawValue: method), target,
                        headers: [("X-Echo", "canary"), ("Origin", "http://a.example")]
                    )
                    #expect(answer.status == 405 && answer.code == "methodNotAllowed", "\(method) \(path)")
                    #expect(answer.headers.first(name: "Allow") == own.joined(separator: ", "), "\(method) \(path)")
                    #expect(!answer.text.contains("canary"), "\(method) \(path)")
                    #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control") })
                }
            }
        }
    }

    @Test(arguments: [
        "/v1", "/v1/", "/v1/products/", "//v1/products", "/V1/products", "/v1/../healthz", "/v1/transactions//finish",
    ])
    func `there is no such path`(path: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, path)
            #expect(answer.status == 404)
            #expect(answer.code == "notFound")
        }
    }

    @Test func `a path that is not UTF-8 is no path`() async throws {
        try await GatewayHarness.run { store in
            for path in ["/v1/transactions/%ff", "/v1/transactions/%4", "/v1/transactions/%zz"] {
                let answer = try await RawConnection.exchange(
                    store, "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 404"))
                #expect(answer.contains("\"code\":\"notFound\""))
            }
        }
    }

    @Test func `what is not built is 501, once the caller is known`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let server = try await store.apiKey()
            for route in store.gateway.routes where !route.isBuilt {
                let values = route.operation.path.parameters.map { ($0, "x") }
                let path = route.operation.target(Dictionary(uniqueKeysWithValues: values))
                let credentials: String? =
                    switch route.access {
                    case .app, .appOrStore, .appOrServer: token
                    case .admin: Sample.adminKey
                    case .server: server
                    case .open, .named, .console, .serverAPI: nil
                    }
                let answer = try await store.send(.init(rawValue: route.method.rawValue), path, token: credentials)
                #expect(answer.status == 501, "\(route.method) \(route.path)")
                #expect(answer.code == "notImplemented")
                let detail = answer.json["detail"]?.stringValue ?? ""
                #expect(detail.contains("retention messaging"))
            }
        }
    }

    @Test func `a body of 64 KiB is read, one byte more is not`() async throws {
        try await GatewayHarness.run { store in
            func send(_ size: Int) async throws -> Answer {
                let frame = #"{"bundleId":""}"#.utf8.count
                let body = #"{"bundleId":"\#(String(repeating: "x", count: size - frame))"}"#
                return try await store.send(.POST, "/v1/sessions", body: body)
            }
            let just = try await send(64 * 1024)
            #expect(just.status == 400, "read, and found wrong")
            let answer = try await send(64 * 1024 + 1)
            #expect(answer.status == 413)
            #expect(answer.code == "bodyTooLarge")
        }
    }

    @Test func `a chunked body is bounded too`() async throws {
        try await GatewayHarness.run { store in
            let chunk = String(repeating: "x", count: 0x8000)
            let raw = try await RawConnection.exchange(
                store,
                "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + String(repeating: "8000\r\n\(chunk)\r\n", count: 3) + "0\r\n\r\n"
            )
            #expect(raw.hasPrefix("HTTP/1.1 413"))
        }
    }

    @Test func `a body in an unknown transfer coding is 501, a broken one 400, by name`() async throws {
        try await GatewayHarness.run { store in
            func send(_ coding: String, _ body: String) async throws -> String {
                try await RawConnection.exchange(
                    store, "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \(coding)\r\n\r\n\(body)")
            }
            for coding in ["xchunked", "chunkedx", "identity, xchunked"] {
                let answer = try await send(coding, "0\r\n\r\n")
                // The parser itself refuses some, without a word of ours.
                #expect(answer.hasPrefix("HTTP/1.1 501") || answer.hasPrefix("HTTP/1.1 400"), "\(coding): \(answer)")
            }
            let unknown = try await send("xchunked", "0\r\n\r\n")
            #expect(unknown.contains("\"code\":\"notImplemented\""), "\(unknown)")
            #expect(unknown.contains("Transfer-Encoding"))
            let broken = try await send("chunked", "zz\r\n{}\r\n")
            #expect(broken.hasPrefix("HTTP/1.1 400"), "\(broken)")
            #expect(broken.contains("\"code\":\"requestInvalid\""))
        }
    }

    @Test func `JSON may nest 32 deep`() async throws {
        try await GatewayHarness.run { store in
            func send(_ depth: Int) async throws -> Answer {
                let nested = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
                return try await store.send(.POST, "/v1/sessions", body: #"{"bundleId":\#(nested)}"#)
            }
            let just = try await send(32)
            #expect(just.json["detail"]?.stringValue?.contains("deeper") == false)
            let answer = try await send(33)
            #expect(answer.status == 400)
            #expect(answer.json["detail"]?.stringValue?.contains("deeper") == true)
        }
    }

    @Test func `target and headers are bounded`() async throws {
        try await GatewayHarness.run { store in
            let path = "/healthz?x="
            let long = try await store.send(
                .GET, path + String(repeating: "x", count: HTTPLimits.targetBytesMax - path.utf8.count + 1))
            #expect(long.status == 414)
            #expect(long.code == "requestInvalid")
            let just = try await store.send(
                .GET, path + String(repeating: "x", count: HTTPLimits.targetBytesMax - path.utf8.count))
            #expect(just.status == 400, "read, and found wrong")
            let heavy = try await store.send(
                .GET, "/healthz", headers: (0..<20).map { ("x-filler-\($0)", String(repeating: "x", count: 1000)) })
            #expect(heavy.status == 431)
        }
    }

    @Test func `headers of 16 KiB are read, one byte more is not (S5)`() async throws {
        try await GatewayHarness.run { store in
            func send(_ size: Int) async throws -> String {
                // As they are counted: names, values, and four bytes for each field.
                let rest = "connection".utf8.count + "close".utf8.count + 4 + "x-filler".utf8.count + 4
                let filler = String(repeating: "x", count: size - rest)
                return try await RawConnection.exchange(
                    store, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Filler: \(filler)\r\n\r\n")
            }
            let just = try await send(HTTPLimits.headerBytesMax)
            #expect(just.hasPrefix("HTTP/1.1 200 "), "\(just)")
            let heavy = try await send(HTTPLimits.headerBytesMax + 1)
            #expect(heavy.hasPrefix("HTTP/1.1 431 "), "\(heavy)")
        }
    }

    @Test func `a request that offers another protocol is answered, and ends its connection`() async throws {
        try await GatewayHarness.run { store in
            let offers = [
                "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
                "Connection: Upgrade\r\nUpgrade: websocket\r\n", "Upgrade: h2c\r\n",
            ]
            for offer in offers {
                // The answer is read to the connection's end.
                let answer = try await RawConnection.exchange(store, "GET /healthz HTTP/1.1\r\nHost: a\r\n\(offer)\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
                #expect(answer.lowercased().contains("\r\nconnection: close\r\n"), "\(answer)")
            }
        }
    }

    @Test func `a page of any list is bounded on both sides (S5)`() async throws {
        try await GatewayHarness.run { store in
            let (app, server) = (try await store.session(), try await store.apiKey())
            let lists = store.gateway.routes.filter { $0.query.contains("limit") }
            #expect(lists.count >= 8)
            for route in lists {
                let token = route.access == .admin ? Sample.adminKey : route.access == .server ? server : app
                let max =
                    route.operation == BusRoutes.connections.route
                    ? HTTPLimits.busConnectionsMax
                    : route.access == .admin ? HTTPLimits.adminPageMax : HTTPLimits.pageMax
                let values = route.operation.path.parameters.map { ($0, $0 == .bundleId ? Sample.bundleId : "alice") }
                for (limit, isRefused) in [
                    ("0", true), ("-1", true), ("+5", true), ("1e1", true), ("", true), ("\(max + 1)", true),
                    ("99999999999999999999", true), ("1", false),
                ] {
                    let target = route.operation.target(Dictionary(uniqueKeysWithValues: values)) + "?limit=\(limit)"
                    let answer = try await store.send(
                        HTTPMethod(rawValue: route.method.rawValue), target, token: token)
                    let isAboutLimit = answer.status == 400 && answer.json["path"] == "query limit"
                    #expect(isAboutLimit == isRefused, "\(route.path) limit=\(limit): \(answer.text)")
                }
            }
        }
    }

    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml",
    ])
    func `a body of another type is refused`(type: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, "/v1/sessions", headers: [("Content-Type", type)], body: "{}")
            #expect(answer.status == 415)
            #expect(answer.code == "requestInvalid")
        }
    }

    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.x+json",
    ])
    func `JSON by any name is read`(type: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, "/v1/sessions", headers: [("Content-Type", type)], body: "{}")
            #expect(answer.status == 400)
            #expect(answer.json["path"] == "$.bundleId")
        }
    }

    @Test(arguments: ["49", "30001", "x", "-1"])
    func `a deadline out of bounds is refused`(timeout: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/healthz", headers: [("Sb-Timeout", timeout)])
            #expect(answer.status == 400)
        }
    }

    @Test func `an unknown query name is refused`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/healthz?x=1")
            #expect(answer.status == 400)
        }
    }

    @Test func `what a service says is internal never tells of the cause`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.failure = StoreError(.internal, "SELECT * FROM secrets") }
            let token = try await store.sessionIgnoringFailures()
            let answer = try await store.send(.GET, "/v1/transactions", token: token)
            #expect(answer.status == 500)
            #expect(answer.code == "internal")
            #expect(!answer.text.contains("SELECT"))
        }
    }

    @Test func `header names are what they say`() {
        #expect(HTTPField.Name.idempotencyKey.rawName == "Idempotency-Key")
        #expect(HTTPField.Name.idempotentReplayed.rawName == "Idempotent-Replayed")
        #expect(HTTPField.Name.sbTimeout.rawName == "Sb-Timeout")
        #expect(HTTPField.Name.accelBuffering.rawName == "X-Accel-Buffering")
    }
}
