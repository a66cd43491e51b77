/// Carries requests to the gateway. The commands know this only, so that their tests need no network.
package protocol StoreTransport: Sendable {
    /// One request and its whole answer.
    /// - Throws: `serverUnreachable` when nothing answers; answers of any status are returned.
    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse

    /// A request whose answer goes on: the observer's stream, or content.
    /// - Returns: the answer's head, with the body in pieces as they come. An answer other than 200 and 206 has its body
    ///   in `failure`.
    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream

    /// A request whose body is a file, read as it is sent.
    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse
}

/// A request to the gateway.
package struct StoreRequest: Hashable, Sendable {
    package enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT", delete = "DELETE" }

    package var method: Method
    /// With its query, percent-encoded.
    package var path: String
    package var token: String?
    package var headers: [String: String]
    /// nil for none.
    package var body: [UInt8]?
    /// For the whole answer, or for the head of a stream.
    package var timeout: Duration
    /// Of a stream: it never rests, so that one on which nothing comes for a while is broken.
    package var isTransfer: Bool

    package init(
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
package struct StoreResponse: Hashable, Sendable {
    package var status: Int
    package var body: [UInt8]
    /// From `Retry-After`, in seconds.
    package var retryAfter: Int?
    /// The stored answer of an earlier request with the same key.
    package var isReplayed: Bool

    package init(status: Int, body: [UInt8], retryAfter: Int? = nil, isReplayed: Bool = false) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
        self.isReplayed = isReplayed
    }
}

/// An answer that goes on.
package struct StoreStream: Sendable {
    /// Set when the status is neither 200 nor 206.
    package var failure: StoreResponse?
    package var status: Int
    /// Names in lower case.
    package var headers: [String: String]
    /// Ends when the gateway closes; throws what broke the connection.
    package var bytes: any AsyncSequence<[UInt8], any Error> & Sendable

    package init(
        failure: StoreResponse? = nil, status: Int = 200, headers: [String: String] = [:],
        bytes: any AsyncSequence<[UInt8], any Error> & Sendable
    ) {
        self.failure = failure
        self.status = failure?.status ?? status
        self.headers = headers
        self.bytes = bytes
    }
}
