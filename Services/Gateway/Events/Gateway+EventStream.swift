import BusClient
import BusService
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import StoreHTTP
import StoreModels

extension Gateway {
    private typealias Log = EventFeed.Log

    /// Opens the operator's live stream. It stays open while services or the bus are away.
    func openEventStream(_ call: Call) throws -> Reply<EventStream> {
        let asked = try call.after()
        let cursor = call.request.headers[.lastEventID] ?? asked
        let alarm = try EventAlarm(eventWaits)
        let end = console?.sessionEnd(in: call.request.headers)
        let feed = EventFeed(after: cursor, now: .now)
        let named = Set(Log.allCases.compactMap(feed.after).map { ExactText($0) })
        let body = ResponseBody { [self] writer in
            try await call.request.body.consumeWithInboundCloseHandler { _ in
                try await send(feed, named, alarm, until: end, call, to: &writer)
            } onInboundClosed: {
                alarm.signal.finish(.clientGone)
            }
        }
        return Reply(headers: .eventStream, body: body)
    }

    /// Sends until the signal ends. Hints make events prompt. Without them a log is read once a second.
    @concurrent private func send(
        _ feed: EventFeed, _ named: Set<ExactText>, _ alarm: EventAlarm, until end: Timestamp?, _ call: Call,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        var subscriptions: [any BusSubscription] = []
        for (subject, log) in [
            (PaymentEvents.customerChanged(key: "*"), Log.transactions),
            (PromotionEvents.intentsChanged(key: "*"), .intents),
        ] {
            // Without a bus there are no hints.
            let subscription = try? await listen(to: subject, call) { _ in alarm.notify([log]) }
            if let subscription { subscriptions.append(subscription) }
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await run(feed, named, alarm, until: end, call, &writer))
        } catch {
            result = .failure(error)
        }
        for subscription in subscriptions { await subscription.unsubscribe() }
        try result.get()
        try await writer.finish(nil)
    }

    @concurrent private func run(
        _ feed: EventFeed, _ named: Set<ExactText>, _ alarm: EventAlarm, until end: Timestamp?, _ call: Call,
        _ writer: inout any ResponseBodyWriter
    ) async throws {
        async let _ = tick(alarm, until: end)
        var sender = EventFeedSender(
            feed: feed, alarm: alarm,
            read: { [self] in await read($0, after: $1, isNamed: $1.map { named.contains(ExactText($0)) } ?? true, call)
            },
            state: { [self] in await streamState(call) })
        try await sender.run(&writer)
    }

    /// Rings for both logs once a second, and ends the stream with the session it was opened in.
    private func tick(_ alarm: EventAlarm, until end: Timestamp?) async {
        while (try? await Task.sleep(for: DeliveryLimits.headsInterval)) != nil {
            if let end, end <= now() { return alarm.signal.finish(.timeUp) }
            alarm.notify(Set(Log.allCases))
        }
    }

    /// Reads a page of a log: in an isolated store the store's events, else all.
    /// - Parameter isNamed: Whether the position is the client's, who may name any.
    private func read(_ log: Log, after: String?, isNamed: Bool, _ call: Call) async -> EventFeed.Reading {
        let context = call.context(deadline: .now + DeliveryLimits.eventsTimeout)
        let (bundleId, limit) = (call.store?.bundleId, HTTPLimits.pageMax)
        do {
            switch log {
            case .transactions:
                let reply = try await services.call(
                    PaymentEndpoints.listEvents, EventsRequest(after: after, bundleId: bundleId, limit: limit),
                    context: context)
                return try Self.page(reply.events, reply.after)
            case .intents:
                let reply = try await services.call(
                    PromotionEndpoints.listEvents, IntentEventsRequest(after: after, bundleId: bundleId, limit: limit),
                    context: context)
                return try Self.page(reply.events, reply.after)
            }
        } catch let error as StoreError where error.positionFault != nil {
            if error.positionFault == .ahead, !isNamed { raiseAlarm(log, at: after) }
            return .positionUnknown
        } catch {
            return .away
        }
    }

    /// Tells operators that a log ends before a position that it has given itself. The stream says `resync`.
    private func raiseAlarm(_ log: Log, at position: String?) {
        let fault = PositionFault.ahead.rawValue
        Counter(
            label: "storebus_log_reader_faults_total", dimensions: [("log", log.rawValue), ("fault", fault)]
        ).increment()
        logger.error(
            "a stream is ahead of the events of \(log.service.rawValue); sending resync",
            metadata: ["position": "\(position ?? "")"])
    }

    private static func page<Event: Encodable & Sendable>(
        _ events: [Event], _ after: String
    ) throws -> EventFeed.Reading {
        guard !events.isEmpty else { return .page(after: after, body: nil) }
        return .page(after: after, body: try StoreJSON.encode(EventList(events: events)))
    }

    private func streamState(_ call: Call) async -> EventStreamState {
        var time = now()
        if let store = call.store {
            let context = call.context(deadline: .now + DeliveryLimits.eventsTimeout)
            if let clock = try? await clock(of: store.bundleId, context) { time = clock }
        }
        return EventStreamState(version: StorebusVersion.number, now: time)
    }
}
