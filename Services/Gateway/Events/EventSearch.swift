import StoreModels

/// What a service's log of events answers.
protocol EventsAnswer: Sendable, Encodable {
    /// Whether nothing matched.
    var isEmpty: Bool { get }
    /// Where to go on.
    var after: String { get }
}

extension EventsReply: EventsAnswer {
    var isEmpty: Bool { events.isEmpty }
}

extension IntentEventsReply: EventsAnswer {
    var isEmpty: Bool { events.isEmpty }
}

/// Looks for events again and again: at once, then with each ring of a bell, until there is one or waiting is over.
struct EventSearch<Reply: EventsAnswer> {
    /// Asks for what happened behind a place; nil: where "now" is.
    typealias Ask = @Sendable (String?) async throws(StoreError) -> Reply

    /// Between two looks at least: in a busy store hints come faster than anybody needs an answer.
    private let pause = Duration.milliseconds(20)

    private var after: String?
    private let ask: Ask

    /// - Parameter after: Without it the search begins with what happens from now on.
    init(after: String?, ask: @escaping Ask) {
        self.after = after
        self.ask = ask
    }

    /// - Returns: The first events that match, or none when the time was up.
    /// - Throws: What the first look throws; later the service may be away for a while, but not at the end.
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
            // A cancelled sleep ends at once, and then the bell ends too.
            try? await Task.sleep(until: due)
        }
        if bell.end == .stopping { throw .stopping }
        if let failure { throw failure }
        return reply
    }

    /// Reads on until there is a match, or nothing is left.
    private mutating func look(_ bell: EventBell) async throws(StoreError) -> Reply {
        while true {
            let reply = try await ask(after)
            let hasMoved = after != nil && after != reply.after
            after = reply.after
            guard reply.isEmpty, hasMoved, bell.end == nil else { return reply }
        }
    }
}
