import BusClient
import BusService
import EventLoop
import GatewayEdge
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import StoreHTTP
import StoreModels

extension EventArea {
    private typealias Log = EventFeed.Log

    /// Opens the operator's live stream. It stays open while services or the bus are away.
    func openEventStream(_ call: Call) throws -> Reply<EventStream> {
        let asked = try call.after()
        let cursor = call.request.headers[.lastEventID] ?? asked
        let alarm = try EventAlarm(waits)
        let end = console?.sessionEnd(in: call.request.headers)
        let feed = EventFeed(after: cursor, now: .now)
        let named = Set(Log.allCases.compactMap(feed.after).map { ExactText($0) })
        let body = ResponseBody { writer in
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
            let subscription = try? await bus.listen(to: subject, call) { _ in alarm.notify([log]) }
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
            read: { await read($0, after: $1, isNamed: $1.map { named.contains(ExactText($0)) } ?? true, call) },
            state: { await streamState(call) })
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
            let clock = try? await services.call(
                SubscriptionEndpoints.getClock, AppRequest(bundleId: store.bundleId), context: context)
            if let clock { time = clock.now }
        }
        return EventStreamState(version: StorebusVersion.number, now: time)
    }
}

/// Reads the logs for one stream and writes its events, one after the other. It reads nothing that a client does not
/// take.
struct EventFeedSender {
    typealias Read = @Sendable (EventFeed.Log, _ after: String?) async -> EventFeed.Reading

    /// The minimum time between two reads of a log, unless it has a further page. A busy store has more hints than a
    /// page can show.
    private static let pause = Duration.milliseconds(100)

    var feed: EventFeed
    let alarm: EventAlarm
    let read: Read
    /// Returns the state that `hello` and `resync` report.
    let state: @Sendable () async -> EventStreamState

    /// Runs until the signal ends it.
    /// - Throws: The connection's error when it breaks.
    @concurrent mutating func run(_ writer: inout any ResponseBodyWriter) async throws {
        for await _ in alarm.signal.notifications {
            let next = ContinuousClock.now + Self.pause
            var due = alarm.takeDue()
            while !due.isEmpty, alarm.signal.end == nil { due = try await step(due, &writer) }
            // A cancelled sleep ends immediately, and then the signal ends too.
            try? await Task.sleep(until: next)
        }
    }

    /// - Returns: The logs that may have more.
    @concurrent private mutating func step(
        _ due: Set<EventFeed.Log>, _ writer: inout any ResponseBodyWriter
    ) async throws -> Set<EventFeed.Log> {
        var readings: [EventFeed.Log: EventFeed.Reading] = [:]
        await withTaskGroup(of: (EventFeed.Log, EventFeed.Reading).self) { [read, feed] group in
            for log in due { group.addTask { (log, await read(log, feed.after(log))) } }
            for await (log, reading) in group { readings[log] = reading }
        }
        let (outputs, more) = feed.receive(readings, now: .now)
        guard !outputs.isEmpty else { return more }
        var bytes: [UInt8] = []
        for output in outputs { bytes += try await encode(output) }
        try await writer.write(ByteBuffer(bytes: bytes))
        return more
    }

    private func encode(_ output: EventFeed.Output) async throws -> [UInt8] {
        switch output {
        case .hello(let id): try await encode(.hello, id)
        case .resync(let id): try await encode(.resync, id)
        case .events(let log, let id, let body):
            Self.bytes(log == .transactions ? .transactions : .intents, id, body)
        case .comment(let text): ServerSentEventEncoder.comment(text)
        }
    }

    private func encode(_ name: EventStreamName, _ id: String) async throws -> [UInt8] {
        Self.bytes(name, id, try StoreJSON.encode(await state()))
    }

    private static func bytes(_ name: EventStreamName, _ id: String, _ body: [UInt8]) -> [UInt8] {
        ServerSentEventEncoder.bytes(ServerSentEvent(id: id, name: name.rawValue, data: body))
    }
}

/// Rings a stream's signal, and remembers for which logs.
final class EventAlarm: Sendable {
    let signal: EventSignal
    private let waits: EventWaits
    private let due = Locked(Set(EventFeed.Log.allCases))

    /// Takes a stream's place, until the alarm is released.
    /// - Throws: `rateLimited` at the bound, `serviceUnavailable` when the gateway stops.
    init(_ waits: EventWaits) throws(StoreError) {
        signal = try waits.enter(.stream)
        self.waits = waits
        signal.notify()
    }

    deinit { waits.leave(signal) }

    func notify(_ logs: Set<EventFeed.Log>) {
        due.withLock { $0.formUnion(logs) }
        signal.notify()
    }

    /// Returns the logs for which the signal rang since the last call.
    func takeDue() -> Set<EventFeed.Log> {
        due.withLock { due in
            defer { due = [] }
            return due
        }
    }
}
