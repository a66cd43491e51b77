import CurlLoop
import NIOHTTP1
import StoreModels
import StorebusTesting

/// An app on a device, in the hands of one account.
struct ScenarioCustomer: Sendable {
    let store: StoreStack
    let token: String

    struct ProductsAnswer: Decodable {
        let products: [Product]
        let invalidProductIdentifiers: [String]
        let degraded: [String]
    }

    struct TransactionsAnswer: Decodable {
        let transactions: [PaymentTransaction]
    }

    func products(_ identifiers: [String]) async throws -> ProductsAnswer {
        let body = try StoreJSON.encode(["productIdentifiers": identifiers])
        let answer = try await store.request(.POST, "/v1/products/query", token: token, body: body)
        guard answer.status == 200 else { throw StackError("products: \(answer.status) \(answer.text)") }
        return try answer.decoded()
    }

    /// One attempt to buy, with any outcome.
    func add(_ product: String, key: String) async throws -> StoreStack.Answer {
        let body = try StoreJSON.encode(["productIdentifier": JSONValue.string(product), "quantity": 1])
        return try await store.request(
            .POST, "/v1/payments", token: token, headers: ["idempotency-key": key], body: body)
    }

    /// Buys as a careful client does: the same key again until the outcome is known.
    func buy(_ product: String, key: String) async throws -> PaymentTransaction {
        var bought: PaymentTransaction?
        try await eventually("the purchase with key \(key) is decided", within: .seconds(30)) {
            guard let answer = try? await add(product, key: key) else { return false }
            switch answer.status {
            case 201:
                bought = try answer.decoded(as: PaymentTransaction.self)
                return true
            case 202, 409, 503, 504: return false
            default: throw StackError("buy \(product): \(answer.status) \(answer.text)")
            }
        }
        guard let bought else { throw StackError("buy \(product): no answer") }
        return bought
    }

    /// The device's unfinished queue, once PaymentQueue answers.
    func unfinished() async throws -> [PaymentTransaction] {
        var found: [PaymentTransaction] = []
        try await eventually("the queue can be read", within: .seconds(20)) {
            guard let answer = try? await store.request(.GET, "/v1/transactions", token: token) else { return false }
            guard answer.status == 200 else { return false }
            found = try answer.decoded(as: TransactionsAnswer.self).transactions
            return true
        }
        return found
    }

    /// The unfinished queue; empty for a customer the store does not know any more.
    func unfinishedOrGone() async throws -> [PaymentTransaction] {
        var found: [PaymentTransaction] = []
        try await eventually("the queue can be read", within: .seconds(20)) {
            guard let answer = try? await store.request(.GET, "/v1/transactions", token: token) else { return false }
            if answer.status == 404 { return true }
            guard answer.status == 200 else { return false }
            found = try answer.decoded(as: TransactionsAnswer.self).transactions
            return true
        }
        return found
    }

    func finish(_ id: String) async throws {
        try await eventually("transaction \(id) is finished", within: .seconds(20)) {
            let path = "/v1/transactions/\(id)/finish"
            guard let answer = try? await store.request(.POST, path, token: token) else { return false }
            if answer.status == 200 { return true }
            guard answer.status >= 500 else { throw StackError("finish: \(answer.status) \(answer.text)") }
            return false
        }
    }

    /// Opens the observer's stream; the events come through `Observer.next`. A store that is finding together again
    /// answers 503 until the payment queue can be reached, and a careful client asks again.
    func observe() async throws -> Observer {
        let request = CurlRequest(
            "GET", store.url + "/v1/transactions/stream", headers: [("authorization", "Bearer \(token)")])
        var observer: Observer?
        try await eventually("the stream of transactions opens", within: .seconds(20)) {
            let response = await CurlConnections.open(request, within: .seconds(20), idle: nil)
            guard let status = response.status, let stream = response.stream, status != 503 else { return false }
            guard status == 200 else { throw StackError("stream: \(status)") }
            observer = Observer(stream)
            return true
        }
        guard let observer else { throw StackError("stream: no answer") }
        return observer
    }
}
