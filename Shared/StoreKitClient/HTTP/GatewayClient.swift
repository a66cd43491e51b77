import Foundation
internal import StoreHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests of a session. One the store no longer takes (401) is replaced, and the request sent once more.
struct GatewayClient: Sendable {
    let connection: StoreConnection
    let transport: HTTPTransport
    let sessions: SessionKeeper

    /// - Throws: `URLError`; ``StoreProblem`` only when no session could be had.
    func send(_ call: HTTPCall) async throws -> HTTPAnswer {
        let session = try await sessions.session()
        let answer = try await send(call, token: session.token)
        guard answer.status == 401 else { return answer }
        let renewed = try await sessions.session(insteadOf: session.token)
        return try await send(call, token: renewed.token)
    }

    private func send(_ call: HTTPCall, token: String) async throws -> HTTPAnswer {
        guard let request = call.request(to: connection, token: token) else { throw URLError(.badURL) }
        return try await transport.load(request, limit: call.limit)
    }
}
