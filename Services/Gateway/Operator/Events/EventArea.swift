import BusClient
import BusService
import GatewayEdge
import HTTPTypes
import Hummingbird
import Logging
import StoreHTTP
import StoreModels

/// The routes of the long poll with which tests wait for events, of the last events, and of the live stream.
struct EventArea: Area {
    let bus: any BusClient
    let services: ServiceCaller
    let waits: EventWaits
    /// The operator's sessions in browsers. A stream ends with its session.
    let console: ConsoleSessions?
    let now: @Sendable () -> Timestamp
    let logger: Logger

    var routes: [Route] {
        [
            Route(EventRoutes.wait, EventRoutes.waitForIntents) { try await waitForEvents($0) },
            Route(EventRoutes.last) { try await lastEvents($0) },
            Route(EventRoutes.stream) { try openEventStream($0) },
        ]
    }

    /// Responds with the last events of transactions, and the position behind them, from which a stream goes on.
    private func lastEvents(_ call: Call) async throws -> EventsReply {
        let request = LastEventsRequest(
            account: try call.accountFilter(), bundleId: try call.bundleFilter(),
            limit: try call.limit(HTTPLimits.adminPageMax))
        async let intents = intentsPosition(call)
        var reply = try await services.call(PaymentEndpoints.lastEvents, request, for: call)
        reply.after = EventFeed.cursor([.transactions: reply.after, .intents: await intents])
        return reply
    }

    /// Reads the present position in PromotionController's log, or nil while it does not answer.
    private func intentsPosition(_ call: Call) async -> String? {
        try? await services.call(
            PromotionEndpoints.listEvents, IntentEventsRequest(bundleId: call.store?.bundleId, limit: 1),
            context: call.context(deadline: .now + DeliveryLimits.eventsTimeout)
        ).after
    }

    /// Responds with the first events that match, or with none when the time is up. It searches the log at each of the
    /// service's hints and once a second. Intents are in PromotionController's log, everything else in PaymentQueue's.
    private func waitForEvents(_ call: Call) async throws -> EitherReply<EventsReply, IntentEventsReply> {
        let wait = try EventWait(call)
        switch wait.log {
        case .transactions(let type):
            let reply = try await answer(call, hints: PaymentEvents.customerChanged(key: "*"), wait) {
                after throws(StoreError) in
                try await services.call(
                    PaymentEndpoints.listEvents, EventsRequest(wait, type: type, after: after),
                    context: call.context(deadline: .now + HTTPLimits.requestTimeout))
            }
            return .first(reply)
        case .intents(let type):
            let reply = try await answer(call, hints: PromotionEvents.intentsChanged(key: "*"), wait) {
                after throws(StoreError) in
                try await services.call(
                    PromotionEndpoints.listEvents, IntentEventsRequest(wait, type: type, after: after),
                    context: call.context(deadline: .now + HTTPLimits.requestTimeout))
            }
            return .second(reply)
        }
    }

    /// Responds with the result of a wait and closes the connection. Detecting that the client hangs up requires the
    /// connection for itself.
    private func answer<Found: EventLogReply>(
        _ call: Call, hints: String, _ wait: EventWait, ask: @escaping EventSearch<Found>.Ask
    ) async throws -> Reply<Found> {
        let signal = try waits.enter(.request)
        defer { waits.leave(signal) }
        do {
            let reply = try await call.request.body.consumeWithInboundCloseHandler { _ in
                try await events(wait, signal, hints, call, ask)
            } onInboundClosed: {
                signal.finish(.clientGone)
            }
            return try Reply(reply, headers: [.connection: "close"])
        } catch let error as StoreError {
            throw HTTPProblem(error, headers: [.connection: "close"])
        }
    }

    /// Subscribes before it searches the log, so that no event is missed in between.
    private func events<Found: EventLogReply>(
        _ wait: EventWait, _ signal: EventSignal, _ hints: String, _ call: Call, _ ask: @escaping EventSearch<Found>.Ask
    ) async throws -> Found {
        let subscription = try await bus.listen(to: hints, call) { _ in signal.notify() }
        let result: Result<Found, any Error>
        do {
            result = .success(try await timed(wait, signal, ask))
        } catch {
            result = .failure(error)
        }
        await subscription.unsubscribe()
        return try result.get()
    }

    private func timed<Found: EventLogReply>(
        _ wait: EventWait, _ signal: EventSignal, _ ask: @escaping EventSearch<Found>.Ask
    ) async throws -> Found {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await Task.sleep(for: wait.timeout)
                signal.finish(.timeUp)
            }
            group.addTask { while (try? await Task.sleep(for: .seconds(1))) != nil { signal.notify() } }
            defer { group.cancelAll() }
            var search = EventSearch(after: wait.after, ask: ask)
            return try await search.run(signal)
        }
    }
}

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
