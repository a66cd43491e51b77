import BusClient
import BusService
import HTTPTypes
import Hummingbird
import NIOCore
import StoreModels

extension Gateway {
    /// Opens the live stream: listen first, then read what there is, so that nothing falls between the two.
    ///
    /// PaymentQueue has to be there to open one; afterwards the stream outlives its absence.
    func openStream(_ call: Call) async throws -> Response {
        let session = call.session
        let choice = try call.query.choice("promotedPurchases", DeviceLaunch.PromotedPurchases.self)
        let stream = try delivery.register(
            session, promotedPurchases: choice ?? session.promotedPurchases, now: .now,
            cut: { [channel = call.channel] in channel.close(promise: nil) })
        do {
            try await listen(for: stream, call)
            stream.receive(try await firstPage(call))
        } catch {
            await stream.close()
            throw error
        }
        // Known only now that the stream can be told.
        if delivery.isSuperseded(session) { stream.supersede() }
        let headers: HTTPFields = [
            .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
            // Watching for the reader to hang up takes the connection with it.
            .connection: "close",
        ]
        return Response(status: .ok, headers: headers, body: body(of: stream, call))
    }

    private func listen(for stream: ObserverStream, _ call: Call) async throws {
        let subject = CustomerSubject.changed(stream.session.customer)
        let subscription = try await listen(to: subject, call) { [weak stream] message in
            guard let change = try? StoreJSON.decode(CustomerChange.self, from: message.body) else { return }
            stream?.receive(hint: change)
        }
        stream.own(subscription)
    }

    private func firstPage(_ call: Call) async throws(StoreError) -> Snapshot {
        do {
            return try await services.call(
                PaymentEndpoints.snapshot, SnapshotRequest(of: call.session, after: nil, countsDelivery: true),
                context: call.context())
        } catch  where error.code == .deadlineExceeded {
            throw StoreError(.serviceUnavailable, "payment-queue did not answer in time", retryAfterMs: 1000)
        }
    }

    /// Sends until the stream ends or its reader hangs up.
    private func body(of stream: ObserverStream, _ call: Call) -> ResponseBody {
        ResponseBody { [services] writer in
            try await call.request.body.consumeWithInboundCloseHandler { _ in
                let sender = StreamSender(stream: stream, services: services, channel: call.channel) {
                    call.context(deadline: $0)
                }
                try await sender.run(&writer)
            } onInboundClosed: {
                stream.end()
            }
        }
    }
}
