import EventLoop
import StoreHTTP
import StoreModels
import Testing

@testable import Storebus

/// Answers requests from a script and remembers them. A request the script has no answer for fails the test.
final class StubTransport: StoreTransport {
    /// Answers one request, or is not meant for it.
    typealias Answer = @Sendable (StoreRequest) throws(CLIError) -> StoreResponse?

    private struct State {
        var answers: [Answer]
        var requests: [StoreRequest] = []
        var streams: [[String]]
    }

    private let state: Locked<State>

    /// - Parameters:
    ///   - answers: each answers one request, in their order.
    ///   - streams: the pieces of each stream that is opened, in turn; after the last, opening is refused as
    ///     superseded.
    init(_ answers: [Answer] = [], streams: [[String]] = []) {
        state = Locked(State(answers: answers, streams: streams))
    }

    var requests: [StoreRequest] { state.withLock { $0.requests } }
    var unused: Int { state.withLock { $0.answers.count } }

    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        if Self.isBeforeSession(request) {
            return StoreResponse(status: 404, body: Array(JSONText.line(Self.problem(404, .notFound)).utf8))
        }
        let answer: Answer? = state.withLock { state in
            state.requests.append(request)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        guard let response = try answer?(request) else {
            Issue.record("no answer for \(request.method.rawValue) \(request.path)")
            throw CLIError(.internal, "no answer")
        }
        return response
    }

    /// What is asked of device, app and account before a session opens is in no script: all are unknown.
    private static func isBeforeSession(_ request: StoreRequest) -> Bool {
        guard request.method == .get else { return false }
        if request.path.hasPrefix("/admin/v1/transactions?account=") { return true }
        let parts = request.path.split(separator: "/")
        return parts.count == 4 && parts[0] == "admin" && ["devices", "apps"].contains(parts[2])
    }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream {
        let pieces: [String]? = state.withLock { state in
            state.requests.append(request)
            return state.streams.isEmpty ? nil : state.streams.removeFirst()
        }
        guard let pieces else { throw CLIError(.usage, "no more streams") }
        return StoreStream(
            bytes: AsyncThrowingStream<[UInt8], any Error> { continuation in
                for piece in pieces { continuation.yield(Array(piece.utf8)) }
                continuation.finish()
            })
    }

    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        try await send(request)
    }

    func api(adminKey: String? = "admin") -> StoreAPI {
        StoreAPI(transport: self, url: "http://store", adminKey: adminKey)
    }

    /// The answer to one request of this method and path, with any query.
    static func on(
        _ method: StoreRequest.Method, _ path: String, _ status: Int, _ body: JSONValue
    ) -> Answer {
        { request throws(CLIError) in
            #expect(request.method == method)
            #expect(request.path.split(separator: "?").first.map(String.init) == path)
            return StoreResponse(status: status, body: Array(JSONText.line(body).utf8))
        }
    }

    /// The connection breaks instead of an answer.
    static let lost: Answer = lose

    private static func lose(_ request: StoreRequest) throws(CLIError) -> StoreResponse? {
        throw CLIError(.serverUnreachable, "gone", retryable: true)
    }

    static func problem(
        _ status: Int, _ code: StoreErrorCode, details: [String: JSONValue] = [:]
    ) -> JSONValue {
        .object([
            "details": .object(details),
            "code": .string(code.name), "status": .integer(status), "detail": "as the test wants it",
            "retryable": .bool(code.isRetryable), "traceId": "4bf92f35",
        ])
    }
}
