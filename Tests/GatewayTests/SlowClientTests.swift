import NIOCore
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI
@testable import Gateway
@testable import GatewayEdge

/// Clients that do not read, send half a request or send too much are noticed by nobody else (H1).
@Suite struct SlowClientTests {
    private static let pipelined = String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", count: 2000)

    /// Limits with short times.
    private static var short: ConnectionLimits {
        var limits = ConnectionLimits()
        limits.unreadWindow = .milliseconds(400)
        limits.arrivalWindow = .milliseconds(400)
        limits.watchInterval = .milliseconds(50)
        return limits
    }

    /// A gateway that cuts off slow clients soon.
    static func impatient(_ gateway: Gateway) -> Admission {
        Admission(gateway.routes.map(\.operation), limits: short, logger: gateway.parts.logger)
    }

    /// Waits for what a busy machine does later.
    private func soon(_ what: String, _ condition: () async throws -> Bool) async throws {
        try await eventually(what, within: .seconds(180), condition)
    }

    /// Runs a test against a gateway, with its admission.
    private func run(
        permits: Int = RequestLimiter.countMax, _ limits: ConnectionLimits = ConnectionLimits(),
        _ body: @escaping @Sendable (GatewayHarness, Admission) async throws -> Void
    ) async throws {
        let admission = Admission(StoreRoutes.all, permits: permits, limits: limits, logger: InMemoryGateway.logger)
        try await GatewayHarness.run(admission: { _ in admission }) { try await body($0, admission) }
    }

    /// Checks that other connections get the answers they always get.
    private func expectNobodyNotices(_ store: GatewayHarness) async throws {
        let token = try await store.session()
        for _ in 0..<10 {
            #expect(try await store.send(.GET, "/v1/transactions", token: token).status == 200)
            #expect(try await store.send(.POST, "/v1/payments", token: token).status == 400)
            #expect(try await store.send(.POST, "/v1/transactions/none/finish", token: token).status == 404)
            #expect(try await store.send(.GET, "/healthz").status == 200)
        }
    }

    @Test func `pipelined requests of clients that do not read hold no places, and the clients are cut off`()
        async throws
    {
        try await run(permits: 8) { store, admission in
            let sockets = (0..<20).map { _ in RawConnection.hold(store, Self.pipelined) }
            defer { for socket in sockets { RawConnection.release(socket) } }
            // Of 20 connections one request each at most is in work, until its answer begins.
            try await soon("the answers are not read, and no place is taken") {
                sockets.allSatisfy(RawConnection.hasAnswer) && admission.permitsTaken == 0
            }
            try await expectNobodyNotices(store)
        }
        try await run(Self.short) { store, admission in
            let sockets = (0..<20).map { _ in RawConnection.hold(store, Self.pipelined) }
            defer { for socket in sockets { RawConnection.release(socket) } }
            try await soon("all are cut off") { sockets.allSatisfy(RawConnection.isClosed) }
            try await soon("nothing is kept") {
                admission.memory.totals == (0, 0) && admission.permitsTaken == 0
            }
        }
    }

    @Test func `a client that reads slowly, but reads, gets all answers in order`() async throws {
        try await run { store, _ in
            let requests = (0..<100).map { "GET /v1/nothing/\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined()
            let last = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            let text = try await RawConnection.exchange(store, requests + last, timeout: 60)
            #expect(text.matches(of: /HTTP\/1.1 404/).count == 100)
            #expect(text.matches(of: /HTTP\/1.1 200/).count == 1)
        }
    }

    @Test func `half heads and half bodies hold no places, and are ended in time`() async throws {
        let halves = [
            "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{",
            "POST /v1/payments HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
            "POST /v1/products/query HTTP/1.1\r\nHost: a\r\nContent-Length: 65536\r\n\r\n",
            "POST /verifyReceipt HTTP/1.1\r\nHost: a\r\nContent-Length: 983040\r\n\r\n{",
            "GET /v1/tran", "GET /v1/transactions HTTP/1.1\r\nHost: a\r\nX-Long: ",
        ]
        try await run(permits: 8) { store, admission in
            let sockets = (0..<60).map { RawConnection.hold(store, halves[$0 % halves.count]) }
            defer { for socket in sockets { RawConnection.release(socket) } }
            try await soon("the halves are here") { admission.memory.totals.arriving > 60 * 10 }
            #expect(admission.permitsTaken == 0)
            try await expectNobodyNotices(store)
        }
        try await run(Self.short) { store, admission in
            let late = try await RawConnection.exchange(store, halves[0])
            #expect(late.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"), "\(late)")
            #expect(late.contains("\r\nConnection: close\r\n") && late.contains("did not arrive in time"), "\(late)")
            #expect(try await RawConnection.exchange(store, halves[4]) == "")
            try await soon("nothing is kept") { admission.memory.totals.arriving == 0 }
        }
    }

    @Test func `an upload of the operator's that stalls is cut off, and one of a stranger's is refused at once`()
        async throws
    {
        try await run(permits: 8, Self.short) { store, admission in
            let upload =
                "PUT /admin/v1/apps/\(Sample.bundleId)/catalog HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n"
            let stranger = RawConnection.hold(store, upload + "\r\n{")
            defer { RawConnection.release(stranger) }
            let socket = RawConnection.hold(
                store, upload + "Authorization: Bearer \(Sample.adminKey)\r\n\r\n{")
            defer { RawConnection.release(socket) }
            try await soon("both are closed") {
                RawConnection.isClosed(socket) && RawConnection.isClosed(stranger)
            }
            try await soon("no place is taken") { admission.permitsTaken == 0 }
        }
    }

    @Test func `what clients do not read is bounded, and the oldest gives way`() async throws {
        var limits = ConnectionLimits()
        limits.unreadBytesMax = 2 << 20
        try await run(limits) { store, admission in
            var sockets: [Int32] = []
            defer { for socket in sockets { RawConnection.release(socket) } }
            for count in 1...12 {
                sockets.append(RawConnection.hold(store, Self.pipelined))
                try await soon("answer \(count) is written or others have given way") {
                    admission.memory.totals.unread > 0
                }
                #expect(admission.memory.totals.unread <= 2 << 20)
            }
            try await soon("the oldest are closed") { [sockets] in RawConnection.isClosed(sockets[0]) }
            try await expectNobodyNotices(store)
        }
    }

    @Test func `what has come of unfinished requests is bounded, and the oldest gives way`() async throws {
        var limits = ConnectionLimits()
        limits.arrivingBytesMax = 200_000
        try await run(limits) { store, admission in
            let half =
                "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n"
                + String(repeating: "x", count: 50_000)
            let sockets = (0..<8).map { _ in RawConnection.hold(store, half) }
            defer { for socket in sockets { RawConnection.release(socket) } }
            try await soon("half of them are closed") { sockets.count(where: RawConnection.isClosed) >= 4 }
            #expect(admission.memory.totals.arriving <= 200_000)
            try await expectNobodyNotices(store)
        }
    }

    @Test func `streams that do not read are cut off`() async throws {
        try await run(Self.short) { store, _ in
            let token = try await store.session()
            let socket = RawConnection.hold(
                store, "GET /v1/transactions/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
            defer { RawConnection.release(socket) }
            try await soon("the stream is open") { store.gateway.app.delivery.streams.count == 1 }
            // More than the buffers of both kernels hold.
            var large = Sample.purchased("a")
            large.payment.applicationUsername = String(repeating: "x", count: 500_000)
            try await soon("the stream is gone") {
                large.revision += 1
                store.payments.commit(large)
                await store.tick()
                return store.gateway.app.delivery.streams.isEmpty
            }
        }
    }

    @Test func `a client that does not read does not keep a gateway that stops`() async throws {
        var limits = ConnectionLimits()
        limits.unreadWindow = .hours(1)
        let admission = Admission(StoreRoutes.all, limits: limits, logger: InMemoryGateway.logger)
        // It returns when the gateway has stopped.
        let socket = try await GatewayHarness.run(admission: { _ in admission }) { store in
            let socket = RawConnection.hold(store, Self.pipelined)
            try await soon("the answer is not read") { admission.memory.totals.unread > 0 }
            return socket
        }
        #expect(admission.memory.totals == (0, 0) && admission.permitsTaken == 0)
        RawConnection.release(socket)
    }

    @Test func `after an answer that closes nothing more is read`() async throws {
        try await run { store, _ in
            let text = try await RawConnection.exchange(
                store,
                "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(text.matches(of: /HTTP\/1.1 [0-9]/).count == 1, "\(text)")
            #expect(text.hasPrefix("HTTP/1.1 501 ") || text.hasPrefix("HTTP/1.1 400 "), "\(text)")
        }
    }

    @Test(arguments: ["", "Host: a\r\nHost: a\r\n", "Host: a\r\nhost: b\r\n"])
    func `a request without a Host, or with two, is 400`(hosts: String) async throws {
        try await run { store, _ in
            let text = try await RawConnection.exchange(
                store, "GET /healthz HTTP/1.1\r\n\(hosts)\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(text)")
            #expect(text.contains("\"path\":\"Host\"") && text.matches(of: /HTTP\/1.1 [0-9]/).count == 1, "\(text)")
        }
    }

    @Test func `more than a buffer behind a request ends the connection after its answer`() async throws {
        var limits = ConnectionLimits()
        limits.behindBytesMax = 10_000
        try await run(limits) { store, _ in
            let text = try await RawConnection.exchange(store, Self.pipelined, timeout: 60)
            let answers = text.matches(of: /HTTP\/1.1 200 OK/).count
            #expect(answers >= 1 && answers < 2000)
        }
    }
}
