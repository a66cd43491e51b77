import EventLoop
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Downloads of hosted content, and its bytes.
@Suite struct GatewayDownloadTests {
    @Test(arguments: [
        (DownloadAction.start, "active"), (.pause, "paused"), (.resume, "active"), (.cancel, "cancelled"),
        (.finish, "finished"), (.fail, "failed"),
    ])
    func `each call of SKDownload reaches PaymentQueue and is answered with the download (M46)`(
        action: DownloadAction, state: String
    ) async throws {
        try await GatewayHarness.run { store in
            store.payments.offer("d1", length: 10)
            let answer = try await store.send(
                .POST, "/v1/downloads/d1/\(action.rawValue)", token: try await store.session())
            #expect(answer.status == 200)
            #expect(answer.json["id"] == "d1")
            #expect(answer.json["transactionId"] == "t_d1")
            #expect(answer.json["state"]?.stringValue == state)
            #expect(answer.json["contentLength"]?.intValue == 10)
            #expect((answer.json["error"] != nil) == (action == .fail))
            let request = store.payments.contents.withLock { $0.downloadRequests.last }
            #expect(request?.action == action)
            #expect(request?.deviceId == Sample.deviceId)
        }
    }

    @Test(arguments: [
        (nil, SKErrorCode.unknown),
        (#"{"error":"cloudServiceNetworkConnectionFailed"}"#, SKErrorCode.cloudServiceNetworkConnectionFailed),
        (#"{"error":7}"#, SKErrorCode.cloudServiceNetworkConnectionFailed), ("{}", SKErrorCode.unknown),
    ])
    func `a failure may say why, by name or number`(body: String?, code: SKErrorCode) async throws {
        try await GatewayHarness.run { store in
            store.payments.offer("d1", length: 10)
            let answer = try await store.send(
                .POST, "/v1/downloads/d1/fail", token: try await store.session(), body: body)
            #expect(answer.json["error"]?["code"]?.intValue == code.rawValue)
        }
    }

    @Test func `what the contract does not know is refused`() async throws {
        try await GatewayHarness.run { store in
            store.payments.offer("d1", length: 10)
            let token = try await store.session()
            func status(_ path: String, _ body: String) async throws -> Int {
                try await store.send(.POST, "/v1/downloads/d1/\(path)", token: token, body: body).status
            }
            #expect(try await status("fail", #"{"error":"nonsense"}"#) == 400)
            #expect(try await status("fail", #"{"error":21}"#) == 400)
            #expect(try await status("start", #"{"error":"unknown"}"#) == 400, "only a failure says why")
            #expect(try await status("stop", "{}") == 404)
            store.payments.offer("d2", state: .cancelled, length: 10)
            let answer = try await store.send(.POST, "/v1/downloads/d2/start", token: token)
            #expect(answer.status == 409)
            #expect(answer.code == "downloadStateInvalid")
        }
    }

    private func content(
        _ store: GatewayHarness, _ token: String, range: String? = nil, ifRange: String? = nil
    ) async throws -> Answer {
        try await store.send(
            .GET, "/v1/downloads/d1/content", token: token,
            headers: [("Range", range), ("If-Range", ifRange)].compactMap { name, value in value.map { (name, $0) } })
    }

    /// More than two parts.
    private static let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    @Test func `the whole package comes in parts that fit the bus (M47)`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.host(Self.bytes)
            store.payments.offer("d1", length: Int64(Self.bytes.count))
            let answer = try await content(store, try await store.session())
            #expect(answer.status == 200)
            #expect(answer.body == Self.bytes)
            #expect(answer.headers.first(name: "Content-Length") == "600000")
            #expect(answer.headers.first(name: "Accept-Ranges") == "bytes")
            #expect(answer.headers.first(name: "Content-Type") == "application/octet-stream")
            let sha = store.catalog.contents.withLock { $0.hosted?.content.sha256 } ?? ""
            #expect(answer.headers.first(name: "ETag") == "\"\(sha)\"")
            let parts = store.catalog.contents.withLock { $0.readRequests.map(\.length) }
            #expect(parts == [262_144, 262_144, 75_712])
            #expect(store.payments.contents.withLock { $0.downloadRequests.isEmpty }, "reading changes no state")
        }
    }

    @Test func `a range is 206, across the borders of parts too`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.host(Self.bytes)
            store.payments.offer("d1", length: Int64(Self.bytes.count))
            let token = try await store.session()
            for (header, range) in [
                ("bytes=0-9", 0..<10), ("bytes=262140-262150", 262_140..<262_151), ("bytes=599990-", 599_990..<600_000),
                ("bytes=-300000", 300_000..<600_000),
            ] {
                let answer = try await content(store, token, range: header)
                #expect(answer.status == 206, "\(header)")
                #expect(answer.body == Array(Self.bytes[range]), "\(header)")
                #expect(
                    answer.headers.first(name: "Content-Range")
                        == "bytes \(range.lowerBound)-\(range.upperBound - 1)/600000")
            }
            let none = try await content(store, token, range: "bytes=600000-")
            #expect(none.status == 416)
            #expect(none.code == "requestInvalid")
            #expect(none.headers.first(name: "Content-Range") == "bytes */600000")
            #expect(try await content(store, token, range: "bytes=0-1,4-5").body == Self.bytes)
        }
    }

    @Test func `a client that began with another package gets the new one whole`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.host(Self.bytes)
            store.payments.offer("d1", length: Int64(Self.bytes.count))
            let token = try await store.session()
            let tag = try #require(try await content(store, token).headers.first(name: "ETag"))
            let same = try await content(store, token, range: "bytes=5-", ifRange: tag)
            #expect(same.status == 206)
            store.catalog.host([1, 2, 3])
            let other = try await content(store, token, range: "bytes=1-", ifRange: tag)
            #expect(other.status == 200)
            #expect(other.body == [1, 2, 3])
            let weak = try await content(store, token, range: "bytes=1-", ifRange: "W/\(tag)")
            #expect(weak.status == 200, "a weak tag is not the same")
        }
    }

    @Test func `an empty package has no bytes`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.host([])
            store.payments.offer("d1", length: 0)
            let token = try await store.session()
            let answer = try await content(store, token)
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(try await content(store, token, range: "bytes=0-").status == 416)
        }
    }

    @Test func `a cancelled download and content that is gone have no bytes`() async throws {
        try await GatewayHarness.run { store in
            store.payments.offer("d1", state: .cancelled, length: 3)
            let token = try await store.session()
            store.catalog.host([1, 2, 3])
            let cancelled = try await content(store, token)
            #expect(cancelled.status == 409)
            #expect(cancelled.code == "downloadStateInvalid")
            store.payments.offer("d1", state: .finished, length: 3)
            #expect(try await content(store, token).status == 200)
            store.catalog.contents.withLock { $0.hosted = nil }
            #expect(try await content(store, token).status == 404)
            store.catalog.service.goAway()
            #expect(try await content(store, token).status == 503)
        }
    }

    @Test func `a stalled reader holds up the reading of content`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.host([UInt8](repeating: 7, count: 64 << 20))
            store.payments.offer("d1", length: 64 << 20)
            let token = try await store.session()
            let socket = RawConnection.hold(
                store, "GET /v1/downloads/d1/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n")
            var count = 0
            var looks = 0
            // Buffers fill up until nothing more is read.
            try await eventually("reading stands still", within: .seconds(60)) {
                let now = store.catalog.contents.withLock { $0.readRequests.count }
                looks = now == count ? looks + 1 : 0
                count = now
                return count > 0 && looks == 30
            }
            #expect(count < 200, "of 256 parts: the connection's buffers are far smaller than the package")
            RawConnection.release(socket)
        }
    }
}
