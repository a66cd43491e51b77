/// Decides, after each attempt at a request that may be repeated, what comes next. Pure: time is passed in.
///
/// The request carries its key, so the store does once what is asked several times. What matters is what is *known*. A
/// request that has certainly not arrived may be given up after a while. One whose answer was lost may have been
/// carried out, so it is repeated until the store reports its outcome, for as long as the process lives.
struct Repetition: Sendable {
    enum Step: Sendable {
        case done(HTTPAnswer)
        /// The store has refused, or was never reached.
        case failed(any Error)
        case again(after: Duration)
    }

    private enum Finding {
        case answered(HTTPAnswer)
        case refused(any Error)
        /// It is certain that nothing was done.
        case notTaken(any Error, retryAfter: Duration?)
        /// Something may have been done.
        case unknown(any Error, retryAfter: Duration?)
    }

    /// How long a request that was certainly not taken is retried; nil: without limit.
    private let patience: Duration?
    private var backoff: Backoff
    /// One of the attempts may have been carried out.
    private(set) var isOutcomeUnknown = false

    init(_ timing: ClientTiming, patience: Duration?) {
        self.patience = patience
        backoff = Backoff(timing)
    }

    /// - Parameters:
    ///   - attempt: The answer, or why there is none.
    ///   - elapsed: Since the first attempt.
    mutating func after(_ attempt: Result<HTTPAnswer, any Error>, elapsed: Duration) -> Step {
        switch Self.finding(attempt) {
        case .answered(let answer): return .done(answer)
        case .refused(let error):
            // Refused this time, but one attempt before may have been taken: the answer to that one is what counts.
            guard isOutcomeUnknown, Self.isAboutTheCaller(error) else { return .failed(error) }
            return .again(after: backoff.next())
        case .notTaken(let error, let retryAfter):
            if let patience, elapsed >= patience, !isOutcomeUnknown { return .failed(error) }
            return .again(after: backoff.next(atLeast: retryAfter))
        case .unknown(_, let retryAfter):
            isOutcomeUnknown = true
            return .again(after: backoff.next(atLeast: retryAfter))
        }
    }

    private static func finding(_ attempt: Result<HTTPAnswer, any Error>) -> Finding {
        switch attempt {
        case .success(let answer) where answer.isSuccess: return .answered(answer)
        case .success(let answer): return finding(StoreProblem(status: answer.status, body: answer.body))
        // No session: the request was not sent.
        case .failure(let problem as StoreProblem):
            return problem.isRetryable ? .notTaken(problem, retryAfter: problem.retryAfter) : .refused(problem)
        case .failure(let error):
            return error.isBeforeConnection ? .notTaken(error, retryAfter: nil) : .unknown(error, retryAfter: nil)
        }
    }

    private static func finding(_ problem: StoreProblem) -> Finding {
        switch problem.status {
        // The gateway says these only when nothing was done (`http-api.md`).
        case 429, 503: .notTaken(problem, retryAfter: problem.retryAfter)
        case 501: .refused(problem)
        case 500...: .unknown(problem, retryAfter: problem.retryAfter)
        case 409 where problem.code == "inFlight": .unknown(problem, retryAfter: problem.retryAfter)
        default: .refused(problem)
        }
    }

    /// The token was refused, not the request.
    private static func isAboutTheCaller(_ error: any Error) -> Bool {
        guard let status = (error as? StoreProblem)?.status else { return false }
        return status == 401 || status == 403
    }
}
