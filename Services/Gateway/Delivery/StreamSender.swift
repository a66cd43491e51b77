import BusService
import Hummingbird
import NIOCore
import StoreModels

/// Carries out what a stream wants: writes its bytes, reads what it needs, one after the other.
struct StreamSender {
    let stream: ObserverStream
    let services: ServiceCaller
    /// The connection the bytes go into.
    let channel: any Channel
    /// A context for each request, of the client's trace.
    let context: @Sendable (ContinuousClock.Instant) -> CallContext
    /// Tells PromotionController of a launch it has not heard of.
    let announce: @Sendable (Session, ContinuousClock.Instant) async throws(StoreError) -> Void

    /// Returns when the stream has ended; whatever happens, its subscription ends too.
    /// - Throws: When the connection breaks.
    @concurrent func run(_ writer: inout any ResponseBodyWriter) async throws {
        do {
            while try await step(&writer) {}
        } catch {
            await stream.close()
            throw error
        }
        await stream.close()
        try await writer.finish(nil)
    }

    @concurrent private func step(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        switch await stream.next() {
        case .end: return false
        case .write(let bytes):
            stream.writeBegan(now: .now)
            try await writer.write(ByteBuffer(bytes: bytes))
            stream.writeEnded()
        case .read(let need): await read(need)
        case .askForIntents: await askForIntents()
        case .acknowledge(let notices): await acknowledge(notices)
        }
        return true
    }

    /// Tells PaymentQueue which ends and revocations were written, once nothing of them is left in the gateway's own
    /// buffers: a connection that is cut takes those with it. What is not acknowledged now is tried again with the next
    /// second, and otherwise comes with the next stream.
    private func acknowledge(_ notices: [Acknowledgements.Notice]) async {
        guard await isFlushed() else { return }
        var acknowledged: [Acknowledgements.Notice] = []
        for notice in notices {
            guard await isTaken(notice) else { break }
            acknowledged.append(notice)
        }
        stream.acknowledged(acknowledged)
    }

    private func isTaken(_ notice: Acknowledgements.Notice) async -> Bool {
        let session = stream.session
        let context = context(.now + DeliveryLimits.headsInterval)
        let reply =
            switch notice {
            case .restoreEnd(let restore):
                try? await services.call(
                    PaymentEndpoints.acknowledgeRestore, RestoreRequest(of: session, restore), context: context)
            case .revocation(let seq):
                try? await services.call(
                    SubscriptionEndpoints.acknowledgeRevocations,
                    AcknowledgeRevocationsRequest(
                        bundleId: session.bundleId, customerIdentifier: session.customerIdentifier,
                        deviceId: session.deviceId, seq: seq),
                    context: context)
            }
        return reply != nil
    }

    private func isFlushed() async -> Bool {
        (try? await channel.getOption(ChannelOptions.bufferedWritableBytes).get()) == 0
    }

    /// From the first time on the app's time for an answer runs. An app that was never launched is given nothing, so a
    /// launch that PromotionController has missed is told first.
    private func askForIntents() async {
        let session = stream.session
        let deadline = ContinuousClock.now + DeliveryLimits.intentsPatience
        let request = DeliverIntentsRequest(
            bundleId: session.bundleId, deviceId: session.deviceId, customerIdentifier: session.customerIdentifier)
        do throws(StoreError) {
            if let untold = stream.untold {
                try await announce(untold, deadline)
                stream.wasAnnounced()
            }
            stream.receive(
                try await services.call(PromotionEndpoints.deliverIntents, request, context: context(deadline)))
        } catch {
            stream.intentsFailed()
        }
    }

    private func read(_ need: DeliveryMachine.Need) async {
        let session = stream.session
        let context = context(.now + HTTPLimits.requestTimeout)
        do throws(StoreError) {
            switch need {
            case .nothing, .intents: return
            case .snapshot(let after, let countsDelivery):
                let request = SnapshotRequest(of: session, after: after, countsDelivery: countsDelivery)
                let page = try await services.call(PaymentEndpoints.snapshot, request, context: context)
                stream.receive(page)
            case .changes(let after):
                let request = ChangesRequest(
                    bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, after: after)
                stream.receive(try await services.call(PaymentEndpoints.changes, request, context: context))
            }
        } catch {
            stream.readFailed()
        }
    }
}

extension SnapshotRequest {
    /// A page of what a session's device has not finished.
    init(of session: Session, after: String?, countsDelivery: Bool) {
        self.init(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            countsDelivery: countsDelivery, after: after)
    }
}
