import StoreModels

/// A request as the fake gateway has read it.
struct FakeRequest: Sendable {
    var method: String
    /// Without the query.
    var path: String
    var query = ""
    /// Names in lower case.
    var headers: [String: String]
    var body: [UInt8]
    /// The number of its connection.
    var connection = 0

    /// `POST /v1/payments`
    var line: String { "\(method) \(path)" }
    var key: String? { headers["idempotency-key"] }
    var token: String? { headers["authorization"].map { String($0.dropFirst("Bearer ".count)) } }
    var json: JSONValue { (try? StrictJSON.parse(body)) ?? .null }
}
