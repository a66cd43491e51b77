import StoreModels

/// Waits for the first event a filter takes.
package struct EventWaiting: Sendable {
    package let api: StoreAPI
    package let filter: Filter
    package let timeout: Duration
    package let after: String?

    package init(api: StoreAPI, filter: Filter, timeout: Duration, after: String?) {
        self.api = api
        self.filter = filter
        self.timeout = timeout
        self.after = after
    }

    /// The longest the store lets one request wait.
    private static let pollMax = Duration.seconds(60)

    package var words: String {
        let words = filter.terms.map { $0.name == "type" ? $0.value : "\($0.name) \($0.value)" }
        return words.isEmpty ? "an event" : words.joined(separator: ", ")
    }

    /// - Throws: `notInTime`, with exit status 1.
    package func run() async throws(CLIError) -> (event: StoreEvent, after: String) {
        let deadline = ContinuousClock.now + timeout
        var after = after
        while true {
            let remaining = deadline - .now
            guard remaining > .zero else { throw late(after) }
            let reply = try await api.events(filter.eventsRequest(after: after), within: min(remaining, Self.pollMax))
            if let event = reply.events.first(where: { filter.matches($0, now: .wallClock()) }) {
                return (event, reply.after)
            }
            after = reply.after
        }
    }

    private func late(_ after: String?) -> CLIError {
        CLIError(
            .notInTime, "\(words) did not happen within \(Words.delay(timeout))",
            hints: ["what did happen: storebus tx list", "wait longer: --timeout 1m"], retryable: true,
            details: after.map { ["after": .string($0)] } ?? [:])
    }
}
