/// Receives the response to one request. Its methods are called one after the other, on the session's queue.
protocol Transfer: Sendable {
    func received(_ response: HTTPURLResponse)
    /// - Returns: Whether the transfer continues. False ends it.
    func received(_ data: Data) -> Bool
    /// Receives the end of the request, as the last call.
    func ended(_ error: (any Error)?)
}

/// Collects a complete response of at most `limit` body bytes.
final class WholeTransfer: Transfer {
    private struct State: Sendable {
        var response: HTTPResponse?
        var isTooLong = false
    }

    private let limit: Int
    private let completion: @Sendable (Result<HTTPResponse, any Error>) -> Void
    private let state = LockedValue(State())

    init(limit: Int, completion: @escaping @Sendable (Result<HTTPResponse, any Error>) -> Void) {
        self.limit = limit
        self.completion = completion
    }

    func received(_ response: HTTPURLResponse) {
        state.withLock { $0.response = HTTPResponse(response) }
    }

    func received(_ data: Data) -> Bool {
        state.withLock { state in
            guard let count = state.response?.body.count, count + data.count <= limit else {
                state.isTooLong = true
                return false
            }
            state.response?.body += data
            return true
        }
    }

    func ended(_ error: (any Error)?) {
        let state = state.withLock { $0 }
        if state.isTooLong {
            completion(.failure(URLError(.dataLengthExceedsMaximum)))
        } else if let error {
            completion(.failure(error))
        } else if let response = state.response {
            completion(.success(response))
        } else {
            completion(.failure(URLError(.badServerResponse)))
        }
    }
}

extension HTTPResponse {
    init(_ response: HTTPURLResponse) {
        var headers: [String: String] = [:]
        for case (let name as String, let value as String) in response.allHeaderFields {
            headers[name.lowercased()] = value
        }
        self.init(status: response.statusCode, headers: headers, body: [])
    }
}
