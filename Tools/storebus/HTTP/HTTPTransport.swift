import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import StoreHTTP

/// ``StoreTransport`` over HTTP/1.1.
struct HTTPTransport: StoreTransport {
    /// `http://127.0.0.1:7430`
    let baseURL: String

    init(baseURL: String) {
        var url = baseURL
        while url.hasSuffix("/") { url.removeLast() }
        self.baseURL = url
    }

    /// Never shut down: it lives as long as the process. A refused connection is reported immediately, not
    /// retried until the timeout.
    private static let client = client(idle: nil)

    /// For transfers: its read timeout detects a stalled connection.
    private static let transferClient = client(idle: .seconds(15))

    private static func client(idle: TimeAmount?) -> HTTPClient {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.retryConnectionEstablishment = false
        // Each open stream holds a connection, and a run of chaos has many besides its requests; 8 by default.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
        configuration.timeout.connect = .seconds(5)
        configuration.timeout.read = idle
        return HTTPClient(eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
    }

    /// Maximum size of a response in bytes; the largest is an exported catalogue.
    private static let answerByteCountMax = 160 * 1024 * 1024

    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        do {
            let response = try await Self.client.execute(
                httpRequest(request), timeout: TimeAmount(request.timeout))
            return try await collect(response)
        } catch {
            throw unreachable(error)
        }
    }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream {
        do {
            // The deadline covers the head of the response; the stream has none.
            let client = request.isTransfer ? Self.transferClient : Self.client
            let response = try await client.execute(httpRequest(request), deadline: .distantFuture)
            guard response.status == .ok || response.status == .partialContent else {
                return StoreStream(
                    failure: try await collect(response), bytes: AsyncThrowingStream<[UInt8], any Error> { $0.finish() }
                )
            }
            let headers = Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
            return StoreStream(
                status: Int(response.status.code), headers: headers,
                bytes: response.body.map { Array($0.readableBytesView) })
        } catch {
            throw unreachable(error)
        }
    }

    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        do {
            var http = httpRequest(request)
            http.body = .stream(file.map { ByteBuffer(bytes: $0) }, length: .known(file.length))
            return try await collect(try await Self.client.execute(http, timeout: TimeAmount(request.timeout)))
        } catch let error as CLIError {
            // The error of the file that could not be read.
            throw error
        } catch {
            throw unreachable(error)
        }
    }

    private func httpRequest(_ request: StoreRequest) -> HTTPClientRequest {
        var http = HTTPClientRequest(url: baseURL + request.path)
        http.method = HTTPMethod(rawValue: request.method.rawValue)
        for (name, value) in request.headers { http.headers.add(name: name, value: value) }
        if let token = request.token { http.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body = request.body {
            if http.headers["Content-Type"].isEmpty {
                http.headers.add(name: "Content-Type", value: "application/json")
            }
            http.body = .bytes(body)
        }
        return http
    }

    private func collect(_ response: HTTPClientResponse) async throws -> StoreResponse {
        let body = try await response.body.collect(upTo: Self.answerByteCountMax)
        return StoreResponse(
            status: Int(response.status.code), body: Array(body.readableBytesView),
            retryAfter: response.headers.first(name: "Retry-After").flatMap(Int.init),
            isReplayed: response.headers.first(name: "Idempotent-Replayed") == "true")
    }

    private func unreachable(_ error: any Error) -> CLIError {
        CLIError(
            .serverUnreachable, "no Storebus at \(baseURL) (\(Self.inSentence(Self.reason(error))))",
            hints: ["start one: storebus up", "another address: --url or STOREBUS_URL"], retryable: true)
    }

    private static func inSentence(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }

    /// Describes the library's error.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .connectTimeout || error == .deadlineExceeded:
            "no answer in time"
        case let error as HTTPClientError where error == .remoteConnectionClosed: "it closed the connection"
        case let error as HTTPClientError: error.shortDescription
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason($0.error) } ?? "no such host"
        case let error as IOError: FileAccess.reason(error.errnoCode)
        default: "\(error)"
        }
    }
}

/// Prints each request for `-v`: `GET /readyz  200  1.2 ms`. Tokens and bodies are not printed.
struct TracingTransport: StoreTransport {
    private let transport: any StoreTransport
    private let tell: @Sendable (String) -> Void

    init(_ transport: any StoreTransport, tell: @escaping @Sendable (String) -> Void) {
        self.transport = transport
        self.tell = tell
    }

    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        let start = ContinuousClock.now
        do {
            let response = try await transport.send(request)
            say(request, "\(response.status)", since: start)
            return response
        } catch {
            say(request, error.code.name, since: start)
            throw error
        }
    }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream {
        let start = ContinuousClock.now
        let stream = try await transport.open(request)
        say(request, "\(stream.status)", since: start)
        return stream
    }

    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        let start = ContinuousClock.now
        do {
            let response = try await transport.upload(request, file)
            say(request, "\(response.status)", since: start)
            return response
        } catch {
            say(request, error.code.name, since: start)
            throw error
        }
    }

    private func say(_ request: StoreRequest, _ end: String, since start: ContinuousClock.Instant) {
        let time = Format.delay(ContinuousClock.now - start)
        tell("\(request.method.rawValue) \(Table.onOneLine(request.path))  \(end)  \(time)\n")
    }
}
