import NIOHTTP1
import StoreModels
import StorebusTesting

extension StoreStack {
    /// A request with a JSON body; the answer, with any status.
    func send(
        _ method: HTTPMethod, _ path: String, token: String? = nil, key: String? = nil, _ body: JSONValue? = nil
    ) async throws -> Answer {
        try await request(
            method, path, token: token ?? adminKey, headers: key.map { ["idempotency-key": $0] } ?? [:],
            body: try body.map { try StoreJSON.encode($0) })
    }

    /// Asks as a careful client does: the same again while there is no answer, or one that says to try again. Only for
    /// what may be repeated.
    /// - Returns: The first answer below 500.
    @discardableResult
    func repeated(
        _ method: HTTPMethod, _ path: String, token: String? = nil, key: String? = nil, _ body: JSONValue? = nil
    ) async throws -> Answer {
        var last: Answer?
        try await eventually("\(method) \(path) is answered", within: .seconds(40)) {
            guard let answer = try? await send(method, path, token: token, key: key, body) else { return false }
            guard answer.status < 500, answer.code != "inFlight" else { return false }
            last = answer
            return true
        }
        guard let last else { throw StackError("\(path): no answer") }
        return last
    }

    /// As ``repeated(_:_:token:key:_:)``, for what has to go well.
    @discardableResult
    func must(
        _ method: HTTPMethod, _ path: String, token: String? = nil, key: String? = nil, _ body: JSONValue? = nil
    ) async throws -> Answer {
        let answer = try await repeated(method, path, token: token, key: key, body)
        guard answer.status < 300 else { throw StackError("\(method) \(path): \(answer.status) \(answer.text)") }
        return answer
    }

    /// Keeps a service away while `body` runs: SIGKILL to it and to each process that takes its place. Afterwards it is
    /// started again.
    func without(_ service: String, _ body: () async throws -> Void) async throws {
        let first = try signal(service)
        let killing = Task { @concurrent in
            var last = first
            while !Task.isCancelled {
                // The file names the dead one until there is another.
                if let pid = try? self.pid(of: service), pid != last {
                    try self.signal(service)
                    last = pid
                }
                try? await Task.sleep(for: .milliseconds(5))
            }
            return last
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        killing.cancel()
        let last = try await killing.value
        try result.get()
        try await waitForReplacement(of: service, after: last)
    }
}

extension StoreStack.Answer {
    /// The `code` of a problem; nil of any other answer.
    var code: String? { json?["code"]?.stringValue }

    var json: JSONValue? { try? StrictJSON.parse(body) }
}
