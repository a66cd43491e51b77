import StoreModels

/// Looks for events again and again: at once, then with each ring of a bell, until there is one or waiting is over.
struct EventSearch {
    typealias Ask = @Sendable (EventsRequest) async throws(StoreError) -> EventsReply

    /// Between two looks at least: in a busy store hints come faster than anybody needs an answer.
    static let pause = Duration.milliseconds(20)

    private var request: EventsRequest
    private let ask: Ask

    /// - Parameter request: Without `after` the search begins with what happens from now on.
    init(_ request: EventsRequest, ask: @escaping Ask) {
        self.request = request
        self.ask = ask
    }

    /// - Returns: The first events that match, or none when the time was up.
    /// - Throws: What the first look throws; later PaymentQueue may be away for a while, but not at the end.
    mutating func run(_ bell: EventBell) async throws(StoreError) -> EventsReply {
        var reply = try await look(bell)
        var failure: StoreError?
        guard reply.events.isEmpty else { return reply }
        for await _ in bell.rings {
            let due = ContinuousClock.now + Self.pause
            do throws(StoreError) {
                reply = try await look(bell)
                failure = nil
            } catch {
                guard error.meansAway else { throw error }
                failure = error
            }
            guard reply.events.isEmpty else { return reply }
            // A cancelled sleep ends at once, and then the bell ends too.
            try? await Task.sleep(until: due)
        }
        if bell.end == .stopping { throw .stopping }
        if let failure { throw failure }
        return reply
    }

    /// Reads on until there is a match, or nothing is left.
    private mutating func look(_ bell: EventBell) async throws(StoreError) -> EventsReply {
        while true {
            let reply = try await ask(request)
            let hasMoved = request.after != nil && request.after != reply.after
            request.after = reply.after
            guard reply.events.isEmpty, hasMoved, bell.end == nil else { return reply }
        }
    }
}
