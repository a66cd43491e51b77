import StoreHTTP
import StoreModels

/// Calls the gateway's API, with one method for each endpoint the commands use.
struct StoreAPI: Sendable {
    var transport: any StoreTransport
    /// Shown in errors.
    let url: String
    let adminKey: String?

    // MARK: Open

    /// `GET /readyz`: whether purchases are taken and completed, with the response of any status.
    func readiness() async throws(CLIError) -> (isReady: Bool, body: Received<ReadinessResponse>?) {
        let endpoint = MonitoringRoutes.readiness
        let response = try await transport.send(request(endpoint, timeout: .seconds(5)))
        let body = try? decode(endpoint, as: Received<ReadinessResponse>.self, response)
        return (response.status == 200 && (body?.degraded ?? []).isEmpty, body)
    }

    /// `POST /v1/sessions`: the app is launched on a device.
    func openSession(
        _ installation: Installation, on profile: DeviceProfile = DeviceProfile()
    ) async throws(CLIError) -> SessionResponse {
        try await call(SessionRoutes.open, body: installation.sessionRequest(on: profile))
    }

    // MARK: App

    /// `POST /v1/products/query`
    func products(_ identifiers: [String], token: String) async throws(CLIError) -> ProductsResponse<Product> {
        try await call(
            ProductRoutes.query, token: token, body: ProductsQuery(productIdentifiers: identifiers))
    }

    /// `POST /v1/payments`; `status` 201 is the final transaction, 202 one that is still purchasing.
    func addPayment(
        _ body: PaymentRequest, key: String, token: String, timeout: Duration
    ) async throws(CLIError) -> (status: Int, transaction: PaymentTransaction, isReplayed: Bool) {
        let endpoint = PaymentRoutes.add
        let response = try await exchange(
            request(endpoint, token: token, key: key, timeout: timeout).with(body))
        return (response.status, try decode(endpoint, response), response.isReplayed)
    }

    /// `GET /v1/transactions`: the unfinished ones this device sees.
    func unfinishedTransactions(token: String) async throws(CLIError) -> [PaymentTransaction] {
        try await transactions(TransactionRoutes.unfinished, token: token)
    }

    /// `GET /v1/history`
    func history(token: String) async throws(CLIError) -> [PaymentTransaction] {
        try await transactions(TransactionRoutes.history, token: token)
    }

    /// `POST /v1/transactions/{id}/finish`
    func finish(_ id: String, token: String) async throws(CLIError) -> PaymentTransaction {
        try await call(TransactionRoutes.finish, [.id: id], token: token)
    }

    /// `GET /v1/transactions/stream`
    func openStream(token: String) async throws(CLIError) -> any AsyncSequence<[UInt8], any Error> & Sendable {
        var request = request(TransactionRoutes.stream, token: token)
        request.headers["Accept"] = "text/event-stream"
        let stream = try await transport.open(request)
        if let failure = stream.failure { throw CLIError(refusal: failure, at: url) }
        return stream.bytes
    }

    // MARK: Exchange

    /// Reads all pages of a list.
    /// - Parameters:
    ///   - after: The cursor of the next page; nil on the last.
    ///   - get: Requests the page after a cursor; nil for the first.
    func pages<Page>(
        _ after: KeyPath<Page, String?>, _ get: (_ after: String?) async throws(CLIError) -> Page
    ) async throws(CLIError) -> [Page] {
        var pages: [Page] = []
        repeat {
            pages.append(try await get(pages.last?[keyPath: after]))
        } while pages.last?[keyPath: after] != nil
        return pages
    }

    private func transactions(
        _ endpoint: HTTPEndpoint<Empty, TransactionsPage>, token: String
    ) async throws(CLIError) -> [PaymentTransaction] {
        let pages = try await pages(\TransactionsPage.after) { after throws(CLIError) in
            try await call(endpoint, query: ["after": after], token: token)
        }
        return pages.flatMap(\.transactions)
    }

    /// Builds the request of an endpoint, without a body.
    ///
    /// - Parameters:
    ///   - values: Those of the path.
    ///   - query: Names in any order; those without a value are left out.
    ///   - token: A session's; the operator's routes get the admin key.
    ///   - key: The Idempotency-Key, of routes that have one.
    func request<Body, Response>(
        _ endpoint: HTTPEndpoint<Body, Response>, _ values: [PathParameter: String] = [:],
        query: KeyValuePairs<String, String?> = [:], token: String? = nil, key: String? = nil,
        timeout: Duration = .seconds(10)
    ) -> StoreRequest {
        let route = endpoint.route
        return StoreRequest(
            route.method, route.target(values, query: query), token: route.access == .admin ? adminKey : token,
            headers: key.map { ["Idempotency-Key": $0] } ?? [:], timeout: timeout)
    }

    /// Calls an endpoint and decodes its response; parameters as those of ``request(_:_:query:token:key:timeout:)``.
    func call<Body: Encodable, Response: Decodable>(
        _ endpoint: HTTPEndpoint<Body, Response>, _ values: [PathParameter: String] = [:],
        query: KeyValuePairs<String, String?> = [:], token: String? = nil, key: String? = nil, body: Body? = nil,
        timeout: Duration = .seconds(10)
    ) async throws(CLIError) -> Response {
        let request = request(endpoint, values, query: query, token: token, key: key, timeout: timeout)
        return try decode(endpoint, await exchange(request.with(body)))
    }

    /// Calls an endpoint that responds without a body.
    func call<Body>(
        _ endpoint: HTTPEndpoint<Body, NoContent>, _ values: [PathParameter: String]
    ) async throws(CLIError) {
        _ = try await exchange(request(endpoint, values))
    }

    /// Calls an endpoint that has a file as its body.
    /// - Returns: The response and its status.
    func upload<Response: Decodable>(
        _ file: UploadFile, to endpoint: HTTPEndpoint<RawBody, Response>, _ values: [PathParameter: String],
        query: KeyValuePairs<String, String?> = [:], timeout: Duration
    ) async throws(CLIError) -> (response: Response, status: Int) {
        var request = request(endpoint, values, query: query, timeout: timeout)
        request.headers["Content-Type"] = "application/octet-stream"
        let response = try await transport.upload(request, file)
        guard (200..<300).contains(response.status) else { throw CLIError(refusal: response, at: url) }
        return (try decode(endpoint, response), response.status)
    }

    func exchange(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        let response = try await transport.send(request)
        guard (200..<300).contains(response.status) else { throw refusal(response, of: request) }
        return response
    }

    /// Explains a rejected request without an admin key.
    private func refusal(_ response: StoreResponse, of request: StoreRequest) -> CLIError {
        var error = CLIError(refusal: response, at: url)
        if response.status == 401, request.token == nil, request.path.hasPrefix("/admin/") {
            error.message = "no admin key: there is no .storebus here or above, and STOREBUS_ADMIN_KEY is not set"
        }
        return error
    }

    func decode<Body, Response: Decodable>(
        _ endpoint: HTTPEndpoint<Body, Response>, _ response: StoreResponse
    ) throws(CLIError) -> Response {
        try decode(response)
    }

    /// Decodes the response of an endpoint in another form.
    func decode<Body, Form: JSONForm & Decodable>(
        _ endpoint: HTTPEndpoint<Body, Form.Body>, as form: Form.Type, _ response: StoreResponse
    ) throws(CLIError) -> Form {
        try decode(response)
    }

    private func decode<Body: Decodable>(_ response: StoreResponse) throws(CLIError) -> Body {
        do {
            return try StoreJSON.decode(Body.self, from: response.body)
        } catch {
            throw CLIError(
                .answerInvalid, "the answer of \(url) is not what this version expects (\(error.message))",
                hints: ["compare the versions: storebus status"])
        }
    }
}

extension StoreRequest {
    /// Returns the request with a body as JSON; nil for none.
    func with(_ body: (some Encodable)?) -> StoreRequest {
        var request = self
        // A body is made of strings, numbers and booleans, which always have a JSON form.
        request.body = body.map { (try? StoreJSON.encode($0)) ?? [] }
        return request
    }
}

/// A response with its JSON, which has the members of a newer gateway too.
@dynamicMemberLookup
struct Received<Body: Decodable & Sendable>: JSONForm, Decodable {
    let value: Body
    /// The whole response, for `-o json`.
    let json: JSONValue

    init(from decoder: any Decoder) throws {
        value = try Body(from: decoder)
        json = try JSONValue(from: decoder)
    }

    subscript<Member>(dynamicMember member: KeyPath<Body, Member>) -> Member { value[keyPath: member] }
}

extension CLIError {
    /// Creates the error of a rejected request.
    init(refusal response: StoreResponse, at url: String) {
        guard let problem = Problem(body: response.body), let code = problem.code else {
            self.init(
                .answerInvalid, "\(url) answered \(response.status), but not as a Storebus does",
                hints: ["is it another program's port? --url names the store"])
            return
        }
        var details = problem.details
        let nested = details.removeValue(forKey: "details")?.objectValue ?? [:]
        details["remedy"] = problem.remedy.map { .string($0) }
        details.merge(nested) { own, _ in own }
        self.init(
            CLIErrorCode(code), problem.detail ?? problem.title ?? code.name, hints: Self.hints(code),
            traceId: problem.traceId, retryable: problem.retryable ?? code.isRetryable, details: details)
    }

    private static func hints(_ code: StoreErrorCode) -> [Advice] {
        switch code {
        case .unauthenticated, .forbidden:
            ["set STOREBUS_ADMIN_KEY, or run where .storebus is found", "which key is used: storebus config show"]
        case .serviceUnavailable: ["which service is away: storebus status", "then the same command again"]
        default: [Advice(code.remedy)]
        }
    }
}
