import BusService
import StoreModels

/// A reply of a service's event log.
protocol EventLogReply: Sendable, Encodable {
    /// Whether nothing matched.
    var isEmpty: Bool { get }
    /// The position from which to continue.
    var after: String { get }
}

extension EventsReply: EventLogReply {
    var isEmpty: Bool { events.isEmpty }
}

extension IntentEventsReply: EventLogReply {
    var isEmpty: Bool { events.isEmpty }
}

/// Searches an event log at once and at each ring of a signal. It ends when an event matches or the waiting ends.
struct EventSearch<Reply: EventLogReply> {
    /// Requests the events after a position. Nil requests the current end.
    typealias Ask = @Sendable (String?) async throws(StoreError) -> Reply

    /// The minimum time between two searches. In a busy store hints arrive faster than a client needs a response.
    private let pause = Duration.milliseconds(20)

    private var after: String?
    private let ask: Ask

    /// - Parameter after: The position after which the search begins. Nil begins with new events only.
    init(after: String?, ask: @escaping Ask) {
        self.after = after
        self.ask = ask
    }

    /// Runs the search.
    /// - Returns: The first events that match, or none when the time was up.
    /// - Throws: The service's error. An unavailable service is tolerated except in the first and the last search.
    mutating func run(_ signal: EventSignal) async throws(StoreError) -> Reply {
        var reply = try await look(signal)
        var failure: StoreError?
        guard reply.isEmpty else { return reply }
        for await _ in signal.notifications {
            let due = ContinuousClock.now + pause
            do throws(StoreError) {
                reply = try await look(signal)
                failure = nil
            } catch {
                guard error.meansAway else { throw error }
                failure = error
            }
            guard reply.isEmpty else { return reply }
            // A cancelled sleep ends immediately, and then the signal ends too.
            try? await Task.sleep(until: due)
        }
        if signal.end == .stopping { throw .stopping }
        if let failure { throw failure }
        return reply
    }

    /// Reads the log until an event matches or its end is reached.
    private mutating func look(_ signal: EventSignal) async throws(StoreError) -> Reply {
        while true {
            let reply = try await ask(after)
            let hasMoved = after != nil && after != reply.after
            after = reply.after
            guard reply.isEmpty, hasMoved, signal.end == nil else { return reply }
        }
    }
}
