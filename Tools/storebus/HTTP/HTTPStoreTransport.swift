import CurlLoop
import StoreHTTP

/// ``StoreTransport`` over HTTP/1.1.
struct HTTPStoreTransport: StoreTransport {
    /// `http://127.0.0.1:7430`
    let baseURL: String
    /// Timeout without a byte of a transfer.
    let idle: Duration

    init(baseURL: String, idle: Duration = .seconds(15)) {
        var url = baseURL
        while url.hasSuffix("/") { url.removeLast() }
        self.baseURL = url
        self.idle = idle
    }

    private static let connectTimeout = Duration.seconds(5)
    private static let redirectsMax = 20
    /// The largest response is an exported catalogue.
    private static let bound = CurlBodyBound(bytesMax: 160 * 1024 * 1024)

    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        try await exchange(curl(request), within: request.timeout)
    }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream {
        let response = await CurlConnections.open(
            curl(request), within: request.timeout, idle: request.isTransfer ? idle : nil)
        guard let status = response.status, let stream = response.stream else { throw unreachable(response) }
        guard status == 200 || status == 206 else {
            let rest = await stream.rest(within: request.timeout, Self.bound)
            return StoreStream(
                failure: try whole(rest), bytes: AsyncThrowingStream<[UInt8], any Error> { $0.finish() })
        }
        let headers = Dictionary(response.fields.map { ($0.name, $0.value) }) { first, _ in first }
        return StoreStream(status: status, headers: headers, bytes: stream)
    }

    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        let reader = try UploadFile.Reader(file)
        var curl = curl(request)
        curl.body = .source(length: file.length) { reader.read(into: $0) }
        do throws(CLIError) {
            return try await exchange(curl, within: request.timeout)
        } catch {
            throw reader.failure ?? error
        }
    }

    private func curl(_ request: StoreRequest) -> CurlRequest {
        var headers = request.headers
        if let token = request.token { headers["Authorization"] = "Bearer \(token)" }
        if request.body != nil { headers["Content-Type"] = headers["Content-Type"] ?? "application/json" }
        var curl = CurlRequest(
            request.method.rawValue, baseURL + request.path, headers: headers.map { ($0.key, $0.value) },
            body: request.body.map { .bytes($0) } ?? .none)
        curl.connectTimeout = Self.connectTimeout
        curl.redirectsMax = Self.redirectsMax
        return curl
    }

    private func exchange(_ curl: CurlRequest, within time: Duration) async throws(CLIError) -> StoreResponse {
        try whole(await CurlConnections.exchange(curl, within: time, Self.bound))
    }

    private func whole(_ response: CurlResponse) throws(CLIError) -> StoreResponse {
        guard let status = response.status, response.failure == nil else { throw unreachable(response) }
        return StoreResponse(
            status: status, body: response.body, retryAfter: response["retry-after"].flatMap { Int($0) },
            isReplayed: response["idempotent-replayed"] == "true")
    }

    private func unreachable(_ response: CurlResponse) -> CLIError {
        CLIError(
            .serverUnreachable, "no Storebus at \(baseURL) (\(response.failure?.reason ?? "no response"))",
            hints: ["start one: storebus up", "another address: --url or STOREBUS_URL"], retryable: true)
    }
}

extension CurlFailure {
    /// The reason as part of a sentence: "connection refused".
    var reason: String {
        switch kind {
        case .timedOut: "no answer in time"
        case .unknownHost: "no such host"
        case .prematureClose: "the response ended early"
        case .invalidResponse: "the response is not HTTP"
        case .notConnected where systemError != 0, .noResponse where systemError != 0:
            Self.inSentence(FileAccess.reason(systemError))
        case .noResponse: "it closed the connection"
        default: Self.inSentence(message)
        }
    }

    /// The text with a small first letter, unless an abbreviation begins it.
    private static func inSentence(_ text: String) -> String {
        text.dropFirst().first?.isUppercase == true ? text : text.prefix(1).lowercased() + text.dropFirst()
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
        try await traced(request) { () throws(CLIError) in try await transport.send(request) }
    }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream {
        let start = ContinuousClock.now
        let stream = try await transport.open(request)
        say(request, "\(stream.status)", since: start)
        return stream
    }

    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        try await traced(request) { () throws(CLIError) in try await transport.upload(request, file) }
    }

    private func traced(
        _ request: StoreRequest, _ exchange: () async throws(CLIError) -> StoreResponse
    ) async throws(CLIError) -> StoreResponse {
        let start = ContinuousClock.now
        do throws(CLIError) {
            let response = try await exchange()
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
