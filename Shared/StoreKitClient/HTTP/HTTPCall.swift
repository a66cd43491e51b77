internal import StoreHTTP
internal import StoreModels

/// A request of this library, before it has an address and a token.
struct HTTPCall: Sendable {
    var method: HTTPRoute.Method
    /// The percent-encoded path with the query.
    var path: String
    /// The template that logs have in place of a path with an offer code, which is worth money.
    var loggedPath: String?
    var headers: [String: String] = [:]
    var body: [UInt8]?
    /// The maximum bytes of the response body.
    var limit = ClientLimits.responseBytesMax
}

extension HTTPCall {
    /// - Parameters:
    ///   - values: Those of the path.
    ///   - query: Names in any order. Those without a value are left out.
    init<Body, Response>(
        _ endpoint: HTTPEndpoint<Body, Response>, _ values: [PathParameter: String] = [:],
        query: KeyValuePairs<String, String?> = [:]
    ) {
        method = endpoint.route.method
        path = endpoint.route.target(values, query: query)
        loggedPath = values[.code].map { _ in "\(endpoint.route.path)" }
    }

    /// - Parameter key: Its Idempotency-Key, when it needs one.
    init<Body: Encodable, Response>(
        _ endpoint: HTTPEndpoint<Body, Response>, _ values: [PathParameter: String] = [:], body: Body,
        key: String? = nil
    ) {
        self.init(endpoint, values)
        headers = key.map { ["Idempotency-Key": $0] } ?? [:]
        self.body = Self.bytes(of: body)
    }

    /// - Parameter content: The body. Nil for none.
    init<Body: Encodable, Response>(
        _ endpoint: HTTPEndpoint<Body, Response>, _ values: [PathParameter: String],
        query: KeyValuePairs<String, String?>, content: Body?
    ) {
        self.init(endpoint, values, query: query)
        body = content.map { Self.bytes(of: $0) }
    }

    /// Encodes a body. It consists of strings, numbers and booleans, so encoding cannot fail.
    private static func bytes(of body: some Encodable) -> [UInt8] { (try? StoreJSON.encode(body)) ?? [] }

    /// - Returns: The request, or nil if the gateway's address and the path do not form a URL.
    func request(to gateway: URL, token: String?) -> URLRequest? {
        guard let url = gateway.appendingPath(path) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        // The connection is not reused (HTTPTransport), so the gateway need not keep it.
        request.setValue("close", forHTTPHeaderField: "Connection")
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body)
        }
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        return request
    }
}

/// A complete response of the gateway.
struct HTTPResponse: Sendable {
    var status: Int
    /// The headers by lower-case name.
    var headers: [String: String]
    var body: [UInt8]

    var isSuccess: Bool { (200..<300).contains(status) }

    /// - Returns: The response itself, if the request succeeded.
    /// - Throws: ``StoreProblem`` when the gateway refused the request.
    func checked() throws -> HTTPResponse {
        guard isSuccess else { throw StoreProblem(status: status, body: body) }
        return self
    }

    /// Decodes the response of the endpoint that was called.
    func body<Request, Body: Decodable>(of endpoint: HTTPEndpoint<Request, Body>) throws -> Body {
        try StoreJSON.decode(Body.self, from: body)
    }

    /// Decodes the members of the response that `form` has.
    func body<Request, Form: JSONForm & Decodable>(
        of endpoint: HTTPEndpoint<Request, Form.Body>, as form: Form.Type
    ) throws -> Form {
        try StoreJSON.decode(form, from: body)
    }
}
