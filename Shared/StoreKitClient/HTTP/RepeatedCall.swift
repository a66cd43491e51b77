/// Sends a request until its outcome is known (``Repetition``).
struct RepeatedCall: Sendable {
    let gateway: GatewayClient
    let timing: ClientTiming

    /// - Parameters:
    ///   - isEndless: Whether a request that never reaches the store is repeated without a limit.
    ///   - onRepetition: Called before each repetition.
    /// - Returns: The successful response.
    /// - Throws: ``StoreProblem`` when the store refuses, `URLError` when it could not be reached in time, or
    ///   `CancellationError` when the queue was deallocated.
    @discardableResult
    func send(
        _ call: HTTPCall, isEndless: Bool = false, onRepetition: () -> Void = {}
    ) async throws -> HTTPResponse {
        let clock = ContinuousClock()
        let start = clock.now
        var repetition = Repetition(timing, retryTimeout: isEndless ? nil : timing.retryTimeout)
        while true {
            let attempt = await attempt(call)
            try Task.checkCancellation()
            switch repetition.after(attempt, elapsed: start.duration(to: clock.now)) {
            case .done(let response): return response
            case .failed(let error): throw error
            case .again(let wait):
                onRepetition()
                gateway.connection.log?("\(call.loggedPath ?? call.path) is sent again in \(wait)")
                try await clock.sleep(for: wait)
            }
        }
    }

    private func attempt(_ call: HTTPCall) async -> Result<HTTPResponse, any Error> {
        do {
            return .success(try await gateway.send(call))
        } catch {
            return .failure(error)
        }
    }
}

/// Decides after each attempt whether to repeat a request. The type is pure, and the caller passes the time in.
///
/// A repeated request is idempotent, so the store performs it once. A request that certainly did not reach the store
/// fails after `retryTimeout`. A request whose response was lost may have been performed, so it is repeated until the
/// store reports its outcome, for as long as the process runs.
struct Repetition: Sendable {
    enum Step: Sendable {
        case done(HTTPResponse)
        /// The store refused the request, or was never reached.
        case failed(any Error)
        case again(after: Duration)
    }

    private enum Finding {
        case answered(HTTPResponse)
        case refused(any Error)
        /// The request was certainly not performed.
        case notTaken(any Error, retryAfter: Duration?)
        /// The request may have been performed.
        case unknown(any Error, retryAfter: Duration?)
    }

    /// The retry time of a request that was certainly not performed. Nil for no limit.
    private let retryTimeout: Duration?
    private var backoff: RetryBackoff
    /// Whether one of the attempts may have been performed.
    private(set) var isOutcomeUnknown = false

    init(_ timing: ClientTiming, retryTimeout: Duration?) {
        self.retryTimeout = retryTimeout
        backoff = RetryBackoff(timing)
    }

    /// - Parameters:
    ///   - attempt: The response, or the error without one.
    ///   - elapsed: The time since the first attempt.
    mutating func after(_ attempt: Result<HTTPResponse, any Error>, elapsed: Duration) -> Step {
        switch Self.finding(attempt) {
        case .answered(let response): return .done(response)
        case .refused(let error):
            // An earlier attempt may have been performed, so a refused token does not decide the outcome.
            guard isOutcomeUnknown, Self.isAboutTheCaller(error) else { return .failed(error) }
            return .again(after: backoff.next())
        case .notTaken(let error, let retryAfter):
            if let retryTimeout, elapsed >= retryTimeout, !isOutcomeUnknown { return .failed(error) }
            return .again(after: backoff.next(atLeast: retryAfter))
        case .unknown(_, let retryAfter):
            isOutcomeUnknown = true
            return .again(after: backoff.next(atLeast: retryAfter))
        }
    }

    private static func finding(_ attempt: Result<HTTPResponse, any Error>) -> Finding {
        switch attempt {
        case .success(let response) where response.isSuccess: return .answered(response)
        case .success(let response): return finding(StoreProblem(status: response.status, body: response.body))
        // No session: the request was not sent.
        case .failure(let problem as StoreProblem):
            return problem.isRetryable ? .notTaken(problem, retryAfter: problem.retryAfter) : .refused(problem)
        case .failure(let error):
            return error.isBeforeConnection ? .notTaken(error, retryAfter: nil) : .unknown(error, retryAfter: nil)
        }
    }

    private static func finding(_ problem: StoreProblem) -> Finding {
        switch problem.status {
        // The gateway sends these only when nothing was done (ADR 0012).
        case 429, 503: .notTaken(problem, retryAfter: problem.retryAfter)
        case 501: .refused(problem)
        case 500...: .unknown(problem, retryAfter: problem.retryAfter)
        case 409 where problem.code == "inFlight": .unknown(problem, retryAfter: problem.retryAfter)
        default: .refused(problem)
        }
    }

    /// Whether the gateway refused the session's token rather than the request.
    private static func isAboutTheCaller(_ error: any Error) -> Bool {
        guard let status = (error as? StoreProblem)?.status else { return false }
        return status == 401 || status == 403
    }
}
