/// Sends a request until its outcome is known (``Repetition``).
struct RepeatedCall: Sendable {
    let gateway: GatewayClient
    let timing: ClientTiming

    /// - Parameter retryTimeout: The retry time of a request that never reached the store. Nil for no limit.
    /// - Returns: The successful response.
    /// - Throws: ``StoreProblem`` when the store refuses, `URLError` when it could not be reached in time, or
    ///   `CancellationError` when the queue was deallocated.
    func send(_ call: HTTPCall, retryTimeout: Duration?) async throws -> HTTPResponse {
        let clock = ContinuousClock()
        let start = clock.now
        var repetition = Repetition(timing, retryTimeout: retryTimeout)
        while true {
            let attempt = await attempt(call)
            try Task.checkCancellation()
            switch repetition.after(attempt, elapsed: start.duration(to: clock.now)) {
            case .done(let response): return response
            case .failed(let error): throw error
            case .again(let wait):
                gateway.connection.log?("\(call.path) is sent again in \(wait)")
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
