import StoreModels

/// Reply of a service's event log.
protocol EventsAnswer: Sendable, Encodable {
    /// Whether nothing matched.
    var isEmpty: Bool { get }
    /// Position from which to continue.
    var after: String { get }
}

extension EventsReply: EventsAnswer {
    var isEmpty: Bool { events.isEmpty }
}

extension IntentEventsReply: EventsAnswer {
    var isEmpty: Bool { events.isEmpty }
}

/// Looks for events immediately and at each ring of a bell. It stops when one matches or the waiting ends.
struct EventSearch<Reply: EventsAnswer> {
    /// Asks for the events after a position; nil asks for the current end.
    typealias Ask = @Sendable (String?) async throws(StoreError) -> Reply

    /// Minimum time between two looks. In a busy store hints arrive faster than a client needs a response.
    private let pause = Duration.milliseconds(20)

    private var after: String?
    private let ask: Ask

    /// - Parameter after: Without it the search begins with what happens from now on.
    init(after: String?, ask: @escaping Ask) {
        self.after = after
        self.ask = ask
    }

    /// - Returns: The first events that match, or none when the time was up.
    /// - Throws: The service's error. An unavailable service is tolerated except at the first and the last look.
    mutating func run(_ bell: EventBell) async throws(StoreError) -> Reply {
        var reply = try await look(bell)
        var failure: StoreError?
        guard reply.isEmpty else { return reply }
        for await _ in bell.rings {
            let due = ContinuousClock.now + pause
            do throws(StoreError) {
                reply = try await look(bell)
                failure = nil
            } catch {
                guard error.meansAway else { throw error }
                failure = error
            }
            guard reply.isEmpty else { return reply }
            // A cancelled sleep ends immediately, and then the bell ends too.
            try? await Task.sleep(until: due)
        }
        if bell.end == .stopping { throw .stopping }
        if let failure { throw failure }
        return reply
    }

    /// Reads on until an event matches or the log is exhausted.
    private mutating func look(_ bell: EventBell) async throws(StoreError) -> Reply {
        while true {
            let reply = try await ask(after)
            let hasMoved = after != nil && after != reply.after
            after = reply.after
            guard reply.isEmpty, hasMoved, bell.end == nil else { return reply }
        }
    }
}
