import EventLoop
import StoreHTTP

/// Remembers whether a store has answered at an address.
///
/// That decides how long a command repeats its requests. A known store that does not answer is restarted within a
/// second or so. At an address where none ever answered, none is starting.
final class StoreContact: Sendable {
    /// How long a command repeats its requests where no store ever answered.
    static let strangerTimeout = Duration.seconds(3)

    private struct State {
        var isKnown: Bool
        /// When the first request without an answer was sent.
        var firstAttempt: ContinuousClock.Instant?
    }

    private let state: Locked<State>

    /// - Parameter isKnown: Whether a data directory has run the store at this address.
    init(isKnown: Bool) { state = Locked(State(isKnown: isKnown)) }

    /// Notes that the store has answered.
    func answered() { state.withLock { $0.isKnown = true } }

    /// Notes a request without an answer.
    /// - Parameter start: When it was sent.
    /// - Returns: Whether a repetition may be answered.
    func missed(since start: ContinuousClock.Instant, at now: ContinuousClock.Instant = .now) -> Bool {
        state.withLock { state in
            if state.isKnown { return true }
            let first = state.firstAttempt ?? start
            state.firstAttempt = first
            return now - first < Self.strangerTimeout
        }
    }
}

/// A transport whose requests are not repeated for long where no store ever answered.
struct ContactTransport: StoreTransport {
    private let transport: any StoreTransport
    private let contact: StoreContact

    init(_ transport: any StoreTransport, _ contact: StoreContact) {
        self.transport = transport
        self.contact = contact
    }

    func send(_ request: StoreRequest) async throws(CLIError) -> StoreResponse {
        try await noting { () throws(CLIError) in try await transport.send(request) }
    }

    func open(_ request: StoreRequest) async throws(CLIError) -> StoreStream {
        try await noting { () throws(CLIError) in try await transport.open(request) }
    }

    func upload(_ request: StoreRequest, _ file: UploadFile) async throws(CLIError) -> StoreResponse {
        try await noting { () throws(CLIError) in try await transport.upload(request, file) }
    }

    private func noting<Response: Sendable>(
        _ exchange: () async throws(CLIError) -> Response
    ) async throws(CLIError) -> Response {
        let start = ContinuousClock.now
        do throws(CLIError) {
            let response = try await exchange()
            contact.answered()
            return response
        } catch {
            guard error.code == .serverUnreachable, !contact.missed(since: start) else { throw error }
            var last = error
            last.retryable = false
            throw last
        }
    }
}
