internal import StoreHTTP

/// Sends requests with the session's token. After a 401 it opens a new session and sends the request once more.
struct GatewayClient: Sendable {
    let connection: StoreConnection
    let transport: HTTPTransport
    let sessions: SessionKeeper

    /// - Returns: The response, of any status.
    /// - Throws: `URLError`, or ``StoreProblem`` only when the gateway refused to open a session.
    func send(_ call: HTTPCall) async throws -> HTTPResponse {
        let session = try await sessions.session()
        let response = try await send(call, token: session.token)
        guard response.status == 401 else { return response }
        let renewed = try await sessions.session(insteadOf: session.token)
        return try await send(call, token: renewed.token)
    }

    private func send(_ call: HTTPCall, token: String) async throws -> HTTPResponse {
        guard let request = call.request(to: connection.gateway, token: token) else { throw URLError(.badURL) }
        return try await transport.load(request, limit: call.limit)
    }
}
