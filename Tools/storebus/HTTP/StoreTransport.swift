import StoreHTTP

/// Sends requests to the gateway. Tests of commands provide their own.
protocol StoreTransport: Sendable {
    /// Sends a request and returns its whole response.
    /// - Throws: `serverUnreachable`. Responses of any status are returned.
    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse

    /// Sends a request and returns its streamed response: the observer's stream, or content.
    /// - Returns: The head, with the body in pieces as they arrive. A response other than 200 and 206 has its body
    ///   in `failure`.
    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream

    /// Sends a request whose body is a file, read as it is sent.
    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse
}

/// A request to the gateway.
struct StoreRequest: Hashable, Sendable {
    typealias Method = HTTPRoute.Method

    var method: Method
    /// With its query, percent-encoded.
    var path: String
    var token: String?
    var headers: [String: String]
    /// Nil for none.
    var body: [UInt8]?
    /// Timeout for the whole response, or for the head of a stream.
    var timeout: Duration
    /// Whether a stream without a byte for a while is broken, as with content.
    var isTransfer: Bool

    init(
        _ method: Method, _ path: String, token: String? = nil, headers: [String: String] = [:], body: [UInt8]? = nil,
        timeout: Duration = .seconds(10), isTransfer: Bool = false
    ) {
        self.method = method
        self.path = path
        self.token = token
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.isTransfer = isTransfer
    }
}

/// A response of the gateway.
struct StoreResponse: Hashable, Sendable {
    var status: Int
    var body: [UInt8]
    /// From `Retry-After`, in seconds.
    var retryAfter: Int?
    /// Whether it is the stored response of an earlier request with the same key.
    var isReplayed: Bool = false
}

/// A streamed response.
struct StoreStream: Sendable {
    /// Set when the status is neither 200 nor 206.
    var failure: StoreResponse?
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    /// Ends when the gateway closes the connection. It throws the connection's errors.
    var bytes: any AsyncSequence<[UInt8], any Error> & Sendable

    init(
        failure: StoreResponse? = nil, status: Int = 200, headers: [String: String] = [:],
        bytes: any AsyncSequence<[UInt8], any Error> & Sendable
    ) {
        self.failure = failure
        self.status = failure?.status ?? status
        self.headers = headers
        self.bytes = bytes
    }
}
