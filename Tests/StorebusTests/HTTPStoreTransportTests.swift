import EventLoop
import Glibc
import StoreHTTP
import StorebusTesting
import Testing

@testable import Storebus

/// Goal: a command line's requests reach the gateway once, and what happens to a connection is said in its error.
@Suite struct HTTPStoreTransportTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// Runs against a server that answers its requests in this order.
    private func serve(
        _ answers: RawServer.Behavior..., idle: Duration = .seconds(3_600),
        _ work: (HTTPStoreTransport, RawServer) async throws -> Void
    ) async throws {
        let server = try await RawServer.start { answers[min($0, answers.count - 1)] }
        try await work(HTTPStoreTransport(baseURL: "http://127.0.0.1:\(server.port)/", idle: idle), server)
        await server.stop()
    }

    /// The part of an error's message in brackets; nil without an error.
    private func reason(_ work: () async throws -> Void) async throws -> String? {
        do {
            try await work()
            return nil
        } catch let error as CLIError {
            #expect(error.code == .serverUnreachable && error.retryable && error.status == .unreachable)
            return error.message.split(separator: "(").last.map { String($0.dropLast()) }
        }
    }

    private func text(_ stream: StoreStream) async throws -> String {
        try await stream.bytes.reduce(into: "") { $0 += String(decoding: $1, as: UTF8.self) }
    }

    @Test func `requests have their heads and bodies, and share a connection`() async throws {
        let repeated =
            "HTTP/1.1 503 Busy\r\nretry-after: 7\r\nIdempotent-Replayed: \t true \r\nContent-Length: 2\r\n\r\n{}"
        try await serve(.text(Self.ok), .text(repeated)) { transport, server in
            let get = try await transport.send(
                StoreRequest(.get, "/a/../%2E?b=%20", token: "t", headers: ["X-Empty": ""]))
            #expect(get.status == 200 && get.body == Array("ok".utf8) && get.retryAfter == nil && !get.isReplayed)
            let post = try await transport.send(StoreRequest(.post, "/a", body: Array("{}".utf8)))
            #expect(post.status == 503 && post.retryAfter == 7 && post.isReplayed)
            _ = try await transport.send(StoreRequest(.post, "/b"))
            _ = try await transport.send(StoreRequest(.delete, "/c"))
            let (requests, lower) = (server.requests, server.requests.map { $0.lowercased() })
            try #require(requests.count == 4)
            #expect(requests[0].hasPrefix("GET /a/../%2E?b=%20 HTTP/1.1\r\n"))
            #expect(lower[0].contains("\r\nauthorization: bearer t\r\n") && lower[0].contains("\r\nx-empty:\r\n"))
            #expect(requests[1].hasPrefix("POST /a ") && requests[1].hasSuffix("\r\n\r\n{}"))
            #expect(
                lower[1].contains("content-type: application/json\r\n") && lower[1].contains("content-length: 2\r\n"))
            #expect(lower[2].contains("content-length: 0\r\n") && !lower[2].contains("content-type"))
            #expect(requests[3].hasPrefix("DELETE /c ") && !lower[3].contains("content-length"))
            #expect(server.connections.all == 1)
        }
    }

    @Test func `a request whose kept connection ends without a response is not sent again`() async throws {
        try await serve(.text(Self.ok), .close) { transport, server in
            _ = try await transport.send(StoreRequest(.get, "/"))
            let ended = try await reason { _ = try await transport.send(StoreRequest(.post, "/", body: [0x7B, 0x7D])) }
            #expect(ended == "it closed the connection")
            #expect(server.requests.count == 2)
        }
    }

    @Test(
        arguments: [
            (.nothing, "no answer in time"), (.close, "it closed the connection"), (.reset, "connection reset by peer"),
            (.textAndClose("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), "the response ended early"),
            (.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), "no answer in time"),
            (.textAndClose("SSH-2.0-OpenSSH\r\n\r\n"), "the response is not HTTP"),
        ] as [(RawServer.Behavior, String)])
    func `what goes wrong is in the error`(_ answer: RawServer.Behavior, _ expected: String) async throws {
        try await serve(answer) { transport, _ in
            let isLate = expected == "no answer in time"
            let request = StoreRequest(.get, "/", timeout: isLate ? .milliseconds(200) : .seconds(3_600))
            let said = try await reason { _ = try await transport.send(request) }
            #expect(said == expected)
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:1", "connection refused"), ("http://storebus.invalid", "no such host"),
        ("ftp://127.0.0.1", "'ftp://127.0.0.1/' is not an http or https URL"),
        ("localhost:1", "'localhost:1/' is not an http or https URL"),
    ])
    func `an address without a store is named with its reason`(_ url: String, _ expected: String) async throws {
        let transport = HTTPStoreTransport(baseURL: url)
        let (sent, opened) = (
            try await reason { _ = try await transport.send(StoreRequest(.get, "/")) },
            try await reason { _ = try await transport.open(StoreRequest(.get, "/")) }
        )
        #expect(sent == expected && opened == expected)
    }

    @Test func `a header cannot contain another one`() async throws {
        try await serve(.text(Self.ok)) { transport, server in
            let request = StoreRequest(.get, "/", token: "a\r\nX-Other: b")
            let said = try await reason { _ = try await transport.send(request) }
            #expect(said == "a line break in the header Authorization")
            #expect(server.connections.all == 0)
        }
    }

    @Test func `a redirect is followed`() async throws {
        let there = "HTTP/1.1 307 X\r\nLocation: /there\r\nContent-Length: 4\r\n\r\nbody"
        try await serve(.text(there), .text(Self.ok), .text(there), .text(Self.ok)) { transport, server in
            let sent = try await transport.send(StoreRequest(.post, "/", body: [0x31]))
            #expect(sent.body == Array("ok".utf8))
            #expect(server.requests.last?.hasPrefix("POST /there ") == true)
            let streamed = try await text(try await transport.open(StoreRequest(.get, "/")))
            #expect(streamed == "ok")
        }
    }

    // MARK: Streams

    @Test func `a stream has its head before its body, and what is no success is a whole response`() async throws {
        let chunked = "HTTP/1.1 206 X\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"
        let refused = "HTTP/1.1 404 X\r\nContent-Length: 2\r\n\r\n{}"
        try await serve(.text(chunked), .text(refused), .textAndClose(chunked)) { transport, server in
            var stream: StoreStream? = try await transport.open(StoreRequest(.get, "/stream"))
            #expect(stream?.status == 206 && stream?.headers["etag"] == "\"v1\"")
            // Whoever leaves a stream ends its connection.
            stream = nil
            try await eventually("the connection ends") { server.connections == (1, 1) }
            let failure = try await transport.open(StoreRequest(.get, "/")).failure
            #expect(failure?.status == 404 && failure?.body == Array("{}".utf8))
            let broken = try await transport.open(StoreRequest(.get, "/stream"))
            var (pieces, isBroken): ([[UInt8]], Bool) = ([], false)
            do { for try await piece in broken.bytes { pieces.append(piece) } } catch { isBroken = true }
            #expect(pieces == [Array("ab".utf8)] && isBroken)
        }
    }

    @Test func `a reader that is slow pauses the connection, which is no idle one`() async throws {
        let length = 32 << 20
        let body =
            Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8) + [UInt8](repeating: 7, count: length)
        let slow = "HTTP/1.1 200 OK\r\nContent-Length: 150\r\n\r\n"
        try await serve(.bytes(body), .drip(slow), idle: .seconds(1)) { transport, _ in
            let stream = try await transport.open(StoreRequest(.get, "/content", isTransfer: true))
            // Takes longer than an idle connection may. The stream has had everything by then, were it not paused.
            _ = try await transport.send(StoreRequest(.get, "/"))
            var (count, largest) = (0, 0)
            for try await piece in stream.bytes {
                count += piece.count
                largest = max(largest, piece.count)
                if count >= 1 << 20 { break }
            }
            #expect(count >= 1 << 20)
            #expect(largest <= 80 << 10)
        }
    }

    @Test func `a transfer without a byte for a while is broken`() async throws {
        let begun = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"
        try await serve(.text(begun), idle: .milliseconds(200)) { transport, server in
            let stream = try await transport.open(StoreRequest(.get, "/content", isTransfer: true))
            var received: [UInt8] = []
            await #expect(throws: (any Error).self) { for try await piece in stream.bytes { received += piece } }
            #expect(received == Array("half".utf8))
            try await eventually("the connection ends") { server.connections.ended == 1 }
        }
    }

    @Test func `the head of a stream has the request's timeout`() async throws {
        try await serve(.nothing) { transport, _ in
            let request = StoreRequest(.get, "/stream", timeout: .milliseconds(200))
            let said = try await reason { _ = try await transport.open(request) }
            #expect(said == "no answer in time")
        }
    }

    @Test func `a cancelled task ends its connection`() async throws {
        try await serve(.nothing, .text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")) { transport, server in
            let sent = Task { try await transport.send(StoreRequest(.get, "/", timeout: .seconds(3_600))) }
            try await eventually("the request is there") { server.requests.count == 1 }
            sent.cancel()
            await #expect(throws: CLIError.self) { _ = try await sent.value }
            let read = Task { try await text(try await transport.open(StoreRequest(.get, "/stream"))) }
            try await eventually("the second is there") { server.requests.count == 2 }
            read.cancel()
            await #expect(throws: (any Error).self) { _ = try await read.value }
            try await eventually("both connections end") { server.connections == (2, 2) }
        }
    }

    @Test func `many streams are open at once`() async throws {
        let count = 300
        let server = try await RawServer.start { _ in .text("HTTP/1.1 200 OK\r\n\r\n") }
        let transport = HTTPStoreTransport(baseURL: "http://127.0.0.1:\(server.port)")
        let streams = try await withThrowingTaskGroup(of: StoreStream.self) { group in
            for _ in 0..<count { group.addTask { try await transport.open(StoreRequest(.get, "/")) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(streams.count == count && server.connections.all == count)
        await server.stop()
    }

    // MARK: Uploads

    @Test func `a file is sent as it is read`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("content")
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 95 + 32) }
        try FileAccess.write(bytes, to: file, mode: 0o600)
        let progress = Locked<[Int64]>([])
        let upload = try UploadFile(file, lengthMax: 1 << 20) { read in progress.withLock { $0.append(read) } }
        try await serve(.text(Self.ok)) { transport, server in
            let request = StoreRequest(.put, "/content", headers: ["Content-Type": "application/octet-stream"])
            let response = try await transport.upload(request, upload)
            #expect(response.status == 200)
            let received = try #require(server.requests.first)
            #expect(received.hasPrefix("PUT /content ") && received.utf8.suffix(bytes.count).elementsEqual(bytes))
            #expect(received.lowercased().contains("content-length: 300000\r\n"))
        }
        #expect(progress.withLock { $0.last } == 300_000)
    }

    @Test(arguments: [100, 300_001])
    func `a file that changes while it is sent fails the upload`(_ length: Int) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("content")
        try FileAccess.write([UInt8](repeating: 32, count: 300_000), to: file, mode: 0o600)
        let upload = try UploadFile(file, lengthMax: 1 << 20)
        try #require(truncate(file, length) == 0)
        try await serve(.text(Self.ok)) { transport, server in
            let error = await #expect(throws: CLIError.self) {
                try await transport.upload(StoreRequest(.put, "/content"), upload)
            }
            #expect(error?.code == .fileUnreadable && error?.message == "\(file) changed while it was sent")
            #expect(server.requests.isEmpty)
        }
    }
}
