import StoreModels

/// What the fake gateway does with a request.
enum FakeAnswer: Sendable {
    case answer(status: Int, headers: [String: String], body: [UInt8])
    /// Closes the connection without a word.
    case drop
    /// Keeps the connection open and says nothing, until the gateway stops.
    case silence
    /// An observer's stream, which the test writes to.
    case stream(FakeStream)

    static func json(_ value: some Encodable, status: Int = 200) -> FakeAnswer {
        .answer(status: status, headers: ["content-type": "application/json"], body: encoded(value))
    }

    static func problem(_ code: StoreErrorCode, _ detail: String = "no", status: Int? = nil) -> FakeAnswer {
        let status = status ?? code.status
        let members: [String: JSONValue] = [
            "status": .integer(status), "code": .string(code.name), "detail": .string(detail),
            "retryable": .bool(code.isRetryable), "traceId": "4bf92f3577b34da6",
        ]
        return .answer(
            status: status, headers: ["content-type": "application/problem+json"], body: encoded(members))
    }

    private static func encoded(_ value: some Encodable) -> [UInt8] {
        // What tests answer is made of wire types, which have a JSON form.
        (try? StoreJSON.encode(value)) ?? []
    }
}
