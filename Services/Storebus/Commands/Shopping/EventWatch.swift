import StoreModels

/// Everybody's events as they happen: long polls, one behind the other, so that none is missed.
struct EventWatch: Sendable {
    let context: CommandContext
    let filter: Filter

    /// Of one poll. The store allows a minute.
    private static let poll = Duration.seconds(30)

    /// Goes on until the task is cancelled.
    /// - Throws: what the first attempt met, and what another attempt cannot change.
    func run() async throws(CLIError) {
        var backOff = BackOff()
        var after: String?
        var wasOpen = false
        context.narrate("watching from now on; Ctrl-C ends\n")
        while !Task.isCancelled {
            let start = ContinuousClock.now
            do {
                after = try await next(after, within: wasOpen ? Self.poll : .seconds(1))
                wasOpen = true
            } catch  where wasOpen && (error.retryable || error.status == .temporary) {
                let delay = backOff.next(lived: ContinuousClock.now - start)
                context.narrate("note: \(error.message); asking again in \(Words.delay(delay))\n")
                try? await ContinuousClock().sleep(for: delay)
            }
        }
    }

    private func next(_ after: String?, within time: Duration) async throws(CLIError) -> String {
        let reply = try await context.api.events(filter.eventsRequest(after: after), within: time)
        for event in reply.events where filter.matches(event, now: .wallClock()) {
            context.console.result(EventLine.text(event, context.format, context.style, at: .wallClock()))
        }
        return reply.after
    }
}

extension Filter {
    /// What the store can choose by itself; the rest is chosen here.
    func eventsRequest(after: String?) -> EventsRequest {
        EventsRequest(
            after: after, type: exact("type").flatMap(StoreEvent.Kind.init), account: exact("account"),
            bundleId: exact("bundleId"))
    }

    func matches(_ event: StoreEvent, now: Timestamp) -> Bool {
        matches(event.transaction, account: event.account, bundleId: event.bundleId, type: event.type, now: now)
    }
}
