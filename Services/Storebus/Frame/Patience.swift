/// Repeats what fails for now: a service that was killed is started again within a second or so.
enum Patience {
    static let pause = Duration.milliseconds(200)

    /// Calls `attempt` again while its error says that the same request may succeed and time is left. Only for what may
    /// be done twice: sessions, reads, finishing.
    static func repeating<Answer>(
        until deadline: ContinuousClock.Instant, _ attempt: () async throws(CLIError) -> Answer
    ) async throws(CLIError) -> Answer {
        while true {
            do {
                return try await attempt()
            } catch  where (error.retryable || error.status == .temporary) && deadline - .now > pause {
                try? await ContinuousClock().sleep(for: pause)
            }
        }
    }
}
