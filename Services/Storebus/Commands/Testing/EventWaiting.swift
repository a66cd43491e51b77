import StoreModels

/// Waits for the first event a filter takes.
struct EventWaiting: Sendable {
    let api: StoreAPI
    let filter: Filter
    let timeout: Duration
    let after: String?

    /// The longest the store lets one request wait.
    private static let pollMax = Duration.seconds(60)

    var words: String {
        let words = filter.terms.map { $0.name == "type" ? $0.value : "\($0.name) \($0.value)" }
        return words.isEmpty ? "an event" : words.joined(separator: ", ")
    }

    /// - Throws: `notInTime`, with exit status 1.
    func run() async throws(CLIError) -> (event: StoreEvent, after: String) {
        try await first { after, time throws(CLIError) in
            let reply = try await api.events(filter.eventsRequest(after: after), within: time)
            return (reply.events.first { filter.matches($0, now: .wallClock()) }, reply.after)
        }
    }

    /// The kind of intent event that is wanted, when one is.
    var intentKind: IntentEvent.Kind? { filter.exact("type").flatMap(IntentEvent.Kind.init) }

    /// The same, for what happens to purchases that begin in the store.
    /// - Throws: as ``run()``.
    func runForIntents() async throws(CLIError) -> (event: IntentEvent, after: String) {
        try await first { after, time throws(CLIError) in
            let request = IntentEventsRequest(
                after: after, type: intentKind, account: filter.exact("account"), bundleId: filter.exact("bundleId"))
            let reply = try await api.intentEvents(request, within: time)
            return (reply.events.first { filter.matches($0) }, reply.after)
        }
    }

    private func first<Event>(
        _ ask: (String?, Duration) async throws(CLIError) -> (event: Event?, after: String)
    ) async throws(CLIError) -> (event: Event, after: String) {
        let deadline = ContinuousClock.now + timeout
        var after = after
        while true {
            let remaining = deadline - .now
            guard remaining > .zero else { throw late(after) }
            let reply = try await ask(after, min(remaining, Self.pollMax))
            if let event = reply.event { return (event, reply.after) }
            after = reply.after
        }
    }

    private func late(_ after: String?) -> CLIError {
        CLIError(
            .notInTime, "\(words) did not happen within \(Words.delay(timeout))",
            hints: [
                "what did happen: storebus \(intentKind == nil ? "tx" : "intent") list", "wait longer: --timeout 1m",
            ], retryable: true,
            details: after.map { ["after": .string($0)] } ?? [:])
    }
}
