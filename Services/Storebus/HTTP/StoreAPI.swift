import StoreModels

/// The gateway's API (`http-api.md`), as far as the commands use it: one method a path.
package struct StoreAPI: Sendable {
    package let transport: any StoreTransport
    /// Shown in errors.
    package let url: String
    package let adminKey: String?

    package init(transport: any StoreTransport, url: String, adminKey: String?) {
        self.transport = transport
        self.url = url
        self.adminKey = adminKey
    }

    // MARK: Open

    /// `GET /readyz`: the whole body, whatever the status.
    package func readiness() async throws(CLIError) -> (isReady: Bool, body: JSONValue) {
        let response = try await transport.send(StoreRequest(.get, "/readyz", timeout: .seconds(5)))
        return (response.status == 200, (try? StrictJSON.parse(response.body)) ?? .null)
    }

    /// `POST /v1/sessions`: the app is launched on a device.
    package func openSession(_ installation: Installation) async throws(CLIError) -> Session {
        try await call(.post, "/v1/sessions", token: nil, body: installation.sessionRequest)
    }

    // MARK: App

    /// `POST /v1/products/query`
    package func products(_ identifiers: [String], token: String) async throws(CLIError) -> ProductsAnswer {
        try await call(
            .post, "/v1/products/query", token: token, body: ["productIdentifiers": JSONText.value(identifiers)])
    }

    /// `POST /v1/payments`; `status` 201 is the final transaction, 202 one that is still purchasing.
    package func addPayment(
        _ body: [String: JSONValue], key: String, token: String, timeout: Duration
    ) async throws(CLIError) -> (status: Int, transaction: PaymentTransaction, isReplayed: Bool) {
        let response = try await exchange(
            StoreRequest(
                .post, "/v1/payments", token: token, headers: ["Idempotency-Key": key],
                body: Array(JSONText.line(.object(body)).utf8), timeout: timeout))
        return (response.status, try decode(PaymentTransaction.self, response), response.isReplayed)
    }

    /// `GET /v1/transactions`: the unfinished ones this device sees.
    package func unfinishedTransactions(token: String) async throws(CLIError) -> [PaymentTransaction] {
        try await pages("/v1/transactions", token: token).flatMap(\.transactions)
    }

    /// `GET /v1/history`
    package func history(token: String) async throws(CLIError) -> [PaymentTransaction] {
        try await pages("/v1/history", token: token).flatMap(\.transactions)
    }

    /// `POST /v1/transactions/{id}/finish`
    package func finish(_ id: String, token: String) async throws(CLIError) -> PaymentTransaction {
        try await call(.post, "/v1/transactions/\(PercentEncoding.encode(id))/finish", token: token, body: nil)
    }

    /// `GET /v1/transactions/stream`
    package func openStream(token: String) async throws(CLIError) -> any AsyncSequence<[UInt8], any Error> & Sendable {
        let stream = try await transport.open(
            StoreRequest(.get, "/v1/transactions/stream", token: token, headers: ["Accept": "text/event-stream"]))
        if let failure = stream.failure { throw Problem.error(of: failure, at: url) }
        return stream.bytes
    }

    // MARK: Admin

    /// `GET /admin/v1/apps/{bundleId}`; nil when there is no such app.
    package func app(_ bundleId: String) async throws(CLIError) -> App? {
        do {
            return try await call(
                .get, "/admin/v1/apps/\(PercentEncoding.encode(bundleId))", token: adminKey, body: nil)
        } catch  where error.code.name == StoreErrorCode.notFound.name {
            return nil
        }
    }

    /// `PUT /admin/v1/apps/{bundleId}/catalog`
    package func importCatalog(
        _ bytes: [UInt8], fileName: String, bundleId: String
    ) async throws(CLIError) -> ImportReport {
        let path =
            "/admin/v1/apps/\(PercentEncoding.encode(bundleId))/catalog?fileName=\(PercentEncoding.encode(fileName))"
        return try decode(
            ImportReport.self,
            await exchange(StoreRequest(.put, path, token: adminKey, body: bytes, timeout: .seconds(120))))
    }

    /// `GET /admin/v1/apps/{bundleId}/products`: all of them, in the catalogue's order.
    package func catalogProducts(_ bundleId: String, storefront: String) async throws(CLIError) -> [Product] {
        let path = "/admin/v1/apps/\(PercentEncoding.encode(bundleId))/products"
        var products: [Product] = []
        var after: String?
        repeat {
            var query = "?storefront=\(PercentEncoding.encode(storefront))&limit=100"
            if let after { query += "&after=\(PercentEncoding.encode(after))" }
            let page: ProductsPageAnswer = try await call(.get, path + query, token: adminKey, body: nil)
            products += page.products
            after = page.after
        } while after != nil
        return products
    }

    /// `GET /admin/v1/transactions`: everybody's, each with the account it belongs to.
    package func allTransactions(filter: [(String, String)]) async throws(CLIError) -> [TransactionsPage] {
        try await pages("/admin/v1/transactions", token: adminKey, filter: filter)
    }

    /// `GET /admin/v1/services`
    package func services() async throws(CLIError) -> JSONValue {
        try await call(.get, "/admin/v1/services", token: adminKey, body: nil)
    }

    // MARK: Exchange

    private func pages(
        _ path: String, token: String?, filter: [(String, String)] = []
    ) async throws(CLIError) -> [TransactionsPage] {
        var pages: [TransactionsPage] = []
        var after: String?
        repeat {
            let parameters = filter + (after.map { [("after", $0)] } ?? [])
            let query = parameters.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
            let page: TransactionsPage = try await call(
                .get, query.isEmpty ? path : "\(path)?\(query)", token: token, body: nil)
            pages.append(page)
            after = page.after
        } while after != nil
        return pages
    }

    private func call<Answer: Decodable>(
        _ method: StoreRequest.Method, _ path: String, token: String?, body: [String: JSONValue]?
    ) async throws(CLIError) -> Answer {
        let bytes = body.map { Array(JSONText.line(.object($0)).utf8) }
        return try decode(Answer.self, await exchange(StoreRequest(method, path, token: token, body: bytes)))
    }

    private func exchange(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        let response = try await transport.send(request)
        guard (200..<300).contains(response.status) else { throw Problem.error(of: response, at: url) }
        return response
    }

    private func decode<Answer: Decodable>(_ type: Answer.Type, _ response: StoreResponse) throws(CLIError) -> Answer {
        do {
            return try StoreJSON.decode(type, from: response.body)
        } catch {
            throw CLIError(
                .answerInvalid, "the answer of \(url) is not what this version expects (\(error.message))",
                hints: ["compare the versions: storebus status"])
        }
    }
}
