import BusClient
import BusService
import GatewayEdge
import HTTPTypes
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

extension BusArea {
    /// The minimum time between two writes of a tap.
    private static let tapPause = Duration.milliseconds(200)
    /// The time for the broker to take the subscription.
    private static let openTimeout = Duration.seconds(2)

    /// Opens a stream of the messages that pass over the bus. They are copies: nothing counts as taken.
    func openTap(_ call: Call) async throws -> Reply<EventStream> {
        let pattern = try call.query.single("subject") ?? ">"
        let subject = try Self.tap(pattern)
        let text = try call.query.single("text")
        if let text { try Identifier.check(text, at: "query text") }
        let tap = try BusTap(waits, text: text)
        let client = try await operatorBus.connected()
        do {
            try await withTimeLimit(Self.openTimeout, else: StoreError(.serviceUnavailable, "the bus is away")) {
                try await tap.open(subject, on: client, now: now)
            }
        } catch let error as BusError {
            throw OperatorConnection.storeError(error)
        }
        let end = console?.sessionEnd(in: call.request.headers)
        let body = ResponseBody { writer in
            try await call.request.body.consumeWithInboundCloseHandler { _ in
                try await send(tap, pattern, until: end, to: &writer)
            } onInboundClosed: {
                tap.signal.finish(.clientGone)
            }
            try await writer.finish(nil)
        }
        return Reply(headers: .eventStream, body: body)
    }

    /// Returns the subject that taps a pattern.
    private static func tap(_ pattern: String) throws(StoreError) -> String {
        guard let subject = BrokerSubject.tap(pattern) else {
            throw .invalid(
                "query subject",
                "must be a pattern such as sb.payment.v1.>, in which * is one token; inboxes and subjects under $ "
                    + "cannot be tapped")
        }
        return subject
    }

    @concurrent private func send(
        _ tap: BusTap, _ pattern: String, until end: Timestamp?, to writer: inout any ResponseBodyWriter
    ) async throws {
        async let _ = endTap(tap, with: end)
        try await writer.write(ByteBuffer(bytes: Self.event(.hello, BusTapState(subject: pattern))))
        for await _ in tap.signal.notifications {
            let next = ContinuousClock.now + Self.tapPause
            let bytes =
                try tap.take().map { try Self.event(.messages, $0) }
                ?? ServerSentEventEncoder.comment(operatorBus.isConnected ? "live" : "away broker")
            try await writer.write(ByteBuffer(bytes: bytes))
            // A cancelled sleep ends immediately, and then the signal ends too.
            try? await Task.sleep(until: next)
        }
    }

    private static func event(_ name: BusTapEventName, _ data: some Encodable) throws -> [UInt8] {
        ServerSentEventEncoder.bytes(ServerSentEvent(name: name.rawValue, data: try StoreJSON.encode(data)))
    }

    /// Reports overdue requests, rings for comments, and ends the tap with the session it was opened in.
    private func endTap(_ tap: BusTap, with end: Timestamp?) async {
        var comment = ContinuousClock.now + DeliveryLimits.commentInterval
        while (try? await Task.sleep(for: DeliveryLimits.headsInterval)) != nil {
            if let end, end <= now() { return tap.signal.finish(.timeUp) }
            tap.addOverdue()
            guard ContinuousClock.now >= comment else { continue }
            comment = .now + DeliveryLimits.commentInterval
            tap.signal.notify()
        }
    }
}
