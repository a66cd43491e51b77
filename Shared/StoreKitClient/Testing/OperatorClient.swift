package import StoreHTTP
package import StoreModels

/// Sends an operator's requests to one store, for tests. Each call blocks its caller.
///
/// The transfer runs on URLSession's own threads, so a caller may be a thread of the task pool.
package struct OperatorClient: Sendable {
    /// The address of the gateway or, with `/s/` and a name, of an isolated store.
    package let address: URL
    private let key: String
    private let transport = HTTPTransport(timeout: .seconds(30))

    package init(address: URL, key: String) {
        self.address = address
        self.key = key
    }

    /// Calls an endpoint.
    /// - Parameter key: The Idempotency-Key, where the endpoint needs one.
    /// - Throws: ``StoreProblem``, or `URLError` when the store cannot be reached.
    @discardableResult
    package func call<Body: Encodable, Response: Decodable>(
        _ endpoint: HTTPEndpoint<Body, Response>, _ values: [PathParameter: String] = [:],
        query: KeyValuePairs<String, String?> = [:], body: Body? = nil, key: String? = nil
    ) throws -> Response {
        var call = HTTPCall(endpoint, values, query: query, content: body)
        call.headers["Idempotency-Key"] = key
        return try send(call).body(of: endpoint)
    }

    /// Calls an endpoint that responds without a body.
    package func call<Body: Encodable>(
        _ endpoint: HTTPEndpoint<Body, NoContent>, _ values: [PathParameter: String] = [:]
    ) throws {
        _ = try send(HTTPCall(endpoint, values))
    }

    /// Calls an endpoint with the bytes of a file.
    package func upload<Response: Decodable>(
        _ bytes: Data, to endpoint: HTTPEndpoint<RawBody, Response>, query: KeyValuePairs<String, String?>
    ) throws -> Response {
        var call = HTTPCall(endpoint, query: query)
        call.body = Array(bytes)
        return try send(call).body(of: endpoint)
    }

    private func send(_ call: HTTPCall) throws -> HTTPResponse {
        guard let request = call.request(to: address, token: key) else { throw URLError(.badURL) }
        return try transport.blockingLoad(request, limit: call.limit).checked()
    }
}

extension TransactionError {
    /// The error that ``Product/purchase(options:)`` throws for this failure.
    package var ofPurchase: any Error {
        do {
            _ = try Product.PurchaseResult(failure: SKError(self))
            return StoreKitError.userCancelled
        } catch {
            return error
        }
    }
}

extension HTTPTransport {
    /// Sends a request, and blocks until its response is complete.
    /// - Throws: As ``load(_:limit:)``.
    func blockingLoad(_ request: URLRequest, limit: Int) throws -> HTTPResponse {
        let arrived = DispatchSemaphore(value: 0)
        let response = LockedValue<Result<HTTPResponse, any Error>>(.failure(URLError(.unknown)))
        start(
            request,
            WholeTransfer(limit: limit) { result in
                response.withLock { $0 = result }
                arrived.signal()
            })
        arrived.wait()
        return try response.withLock { $0 }.get()
    }
}
