import StoreHTTP

/// Carries requests to the gateway. The commands know this only, so that their tests need no network.
protocol StoreTransport: Sendable {
    /// One request and its whole answer.
    /// - Throws: `serverUnreachable` when nothing answers; answers of any status are returned.
    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse

    /// A request with a streamed response: the observer's stream, or content.
    /// - Returns: the answer's head, with the body in pieces as they come. An answer other than 200 and 206 has its body
    ///   in `failure`.
    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream

    /// A request whose body is a file, read as it is sent.
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
    /// nil for none.
    var body: [UInt8]?
    /// For the whole answer, or for the head of a stream.
    var timeout: Duration
    /// Of a stream: it never rests, so that one on which nothing comes for a while is broken.
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

/// The gateway's answer.
struct StoreResponse: Hashable, Sendable {
    var status: Int
    var body: [UInt8]
    /// From `Retry-After`, in seconds.
    var retryAfter: Int?
    /// The stored answer of an earlier request with the same key.
    var isReplayed: Bool = false
}

/// A streamed response.
struct StoreStream: Sendable {
    /// Set when the status is neither 200 nor 206.
    var failure: StoreResponse?
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    /// Ends when the gateway closes; throws what broke the connection.
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
