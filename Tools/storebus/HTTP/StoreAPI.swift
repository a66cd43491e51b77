import StoreHTTP
import StoreModels

/// Calls the endpoints of StoreHTTP at a gateway. Extensions have tasks of more than one call.
struct StoreAPI: Sendable {
    /// Sends to the installation.
    var transport: any StoreTransport
    private(set) var address: StoreLocation
    let adminKey: String?
    private let missingKey: String
    /// Whether nothing names an address, so that it is the default one.
    private var isAddressDefault = false

    /// Shown in errors.
    var url: String { address.text }

    /// - Parameter url: An installation's.
    init(transport: any StoreTransport, url: String, adminKey: String?) {
        self.transport = transport
        address = StoreLocation(url)
        self.adminKey = adminKey
        missingKey = "no admin key"
    }

    init(_ transport: any StoreTransport, _ settings: EffectiveSettings) {
        self.transport = transport
        address = settings.address
        adminKey = settings.adminKey?.text
        missingKey = settings.missingKey
        isAddressDefault = settings.url.origin == EffectiveSettings.defaultOrigin
    }

    /// Returns the API of an isolated store on the installation, or of the installation's own store.
    func at(_ store: String?) -> StoreAPI {
        var api = self
        api.address.store = store
        return api
    }

    // MARK: Endpoints

    /// Builds the request of an endpoint, without a body.
    ///
    /// - Parameters:
    ///   - values: Those of the path.
    ///   - query: Names in any order. Those without a value are left out.
    ///   - token: A session's. The operator's routes get the admin key.
    ///   - key: The Idempotency-Key, of routes that have one.
    func request<Body, Response>(
        _ endpoint: HTTPEndpoint<Body, Response>, _ values: [PathParameter: String] = [:],
        query: KeyValuePairs<String, String?> = [:], token: String? = nil, key: String? = nil,
        timeout: Duration = .seconds(10)
    ) -> StoreRequest {
        let route = endpoint.route
        return StoreRequest(
            route.method, address.path + route.target(values, query: query),
            token: route.access == .admin ? adminKey : token, headers: key.map { ["Idempotency-Key": $0] } ?? [:],
            timeout: timeout)
    }

    /// Calls an endpoint and decodes its response, with parameters as those of
    /// ``request(_:_:query:token:key:timeout:)``.
    func call<Body: Encodable, Response: Decodable>(
        _ endpoint: HTTPEndpoint<Body, Response>, _ values: [PathParameter: String] = [:],
        query: KeyValuePairs<String, String?> = [:], token: String? = nil, key: String? = nil, body: Body? = nil,
        timeout: Duration = .seconds(10)
    ) async throws(CLIError) -> Response {
        let request = request(endpoint, values, query: query, token: token, key: key, timeout: timeout)
        return try decode(endpoint, await exchange(request.with(body)))
    }

    /// Calls an endpoint that responds without a body.
    func call<Body: Encodable>(
        _ endpoint: HTTPEndpoint<Body, NoContent>, _ values: [PathParameter: String], body: Body? = nil
    ) async throws(CLIError) {
        _ = try await exchange(request(endpoint, values).with(body))
    }

    /// Calls an endpoint and keeps the whole JSON of its response.
    func received<Body: Encodable, Response: Decodable>(
        _ endpoint: HTTPEndpoint<Body, Response>, _ values: [PathParameter: String] = [:], body: Body? = nil
    ) async throws(CLIError) -> Received<Response> {
        try decode(await exchange(request(endpoint, values).with(body)))
    }

    /// Calls an endpoint that responds with bytes.
    /// - Parameter accept: The content type, if the endpoint has several.
    func bytes(
        _ endpoint: HTTPEndpoint<Empty, RawBody>, _ values: [PathParameter: String] = [:], accept: String? = nil,
        timeout: Duration = .seconds(10)
    ) async throws(CLIError) -> [UInt8] {
        var request = request(endpoint, values, timeout: timeout)
        request.headers["Accept"] = accept
        return try await exchange(request).body
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
        guard (200..<300).contains(response.status) else { throw await refusal(response, of: request) }
        return (try decode(endpoint, response), response.status)
    }

    // MARK: Lists

    /// Lists all entries, page by page.
    func all<Page: ListPage>(
        _ endpoint: HTTPEndpoint<Empty, Page>, _ values: [PathParameter: String] = [:],
        query: KeyValuePairs<String, String?> = [:], token: String? = nil
    ) async throws(CLIError) -> [Page.Item] {
        try await pages(as: Page.self, request(endpoint, values, query: query, token: token)).items
    }

    /// Lists entries, page by page.
    /// - Parameters:
    ///   - limit: The most entries.
    ///   - after: The cursor to begin behind, or nil for the first entry.
    /// - Returns: The entries, and the cursor of the next page.
    func list<Page: ListPage>(
        _ endpoint: HTTPEndpoint<Empty, Page>, _ values: [PathParameter: String] = [:],
        query: KeyValuePairs<String, String?> = [:], limit: Int, after: String?
    ) async throws(CLIError) -> (items: [Page.Item], after: String?) {
        try await pages(as: Page.self, request(endpoint, values, query: query), limit: limit, after: after)
    }

    /// - Parameter first: The request without cursor and limit.
    func pages<Page: ListPage>(
        as page: Page.Type, _ first: StoreRequest, limit: Int = .max, after start: String? = nil
    ) async throws(CLIError) -> (items: [Page.Item], after: String?) {
        var items: [Page.Item] = []
        var after = start
        repeat {
            var request = first
            request.add("after", after)
            request.add("limit", "\(min(100, limit - items.count))")
            let page: Page = try decode(await exchange(request))
            items += page.items
            after = page.after
        } while after != nil && items.count < limit
        return (items, after)
    }

    // MARK: Exchange

    func exchange(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        let response: StoreResponse
        do throws(CLIError) {
            response = try await transport.send(request)
        } catch  where error.code == .serverUnreachable && isAddressDefault {
            throw error.with(
                hints: error.hints + ["here and above is no \(DataDirectory.defaultName) of a store that runs"])
        }
        guard (200..<300).contains(response.status) else { throw await refusal(response, of: request) }
        return response
    }

    /// Explains a rejected request: without an admin key, or in an isolated store that does not exist.
    func refusal(_ response: StoreResponse, of request: StoreRequest) async -> CLIError {
        var error = CLIError(refusal: response, at: url)
        if response.status == 401, request.token == nil, request.path.hasPrefix("\(address.path)/admin/") {
            error.message = missingKey
        }
        if error.is(.notFound) {
            do throws(CLIError) {
                _ = try await isolatedStore()
            } catch {
                if error.code == .isolatedStoreNotFound { return error }
            }
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
                .answerInvalid, "this version cannot read the answer of \(url) (\(error.message))",
                hints: ["compare the versions: storebus status"])
        }
    }
}

extension StoreRequest {
    /// Returns the request with a body as JSON, or unchanged for nil.
    func with(_ body: (some Encodable)?) -> StoreRequest {
        var request = self
        // A body is made of strings, numbers and booleans, which always have a JSON form.
        request.body = body.map { (try? StoreJSON.encode($0)) ?? [] }
        return request
    }

    /// Adds a parameter of the query. Nil adds nothing.
    fileprivate mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        path += "\(path.contains("?") ? "&" : "?")\(name)=\(PercentEncoding.encode(value))"
    }
}

/// A page of a list.
protocol ListPage<Item>: Decodable {
    associatedtype Item
    var items: [Item] { get }
    /// The cursor of the next page, or nil on the last.
    var after: String? { get }
}

extension AppsPage: ListPage { var items: [App] { apps } }
extension DevicesPage: ListPage { var items: [Device] { devices } }
extension IntentsPage: ListPage { var items: [StorePurchaseIntent] { intents } }
extension IsolatedStoresResponse: ListPage { var items: [IsolatedStore] { stores } }
extension NotificationsPage: ListPage { var items: [ServerNotification] { notifications } }
extension ProductsPageResponse: ListPage { var items: [Product] { products } }
extension PromptsResponse: ListPage { var items: [Prompt] { prompts } }
extension RefundRequestsPage: ListPage { var items: [CustomerRefundRequest] { refundRequests } }
extension SubscriptionsPage: ListPage { var items: [Subscription] { subscriptions } }
extension TestersResponse: ListPage where Entry: Decodable { var items: [Entry] { testers } }
extension TransactionsPage: ListPage { var items: [PaymentTransaction] { transactions } }

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
        case .serviceUnavailable: ["whether a service is away: storebus status", "then the same command again"]
        default: [Advice(code.remedy)]
        }
    }
}
