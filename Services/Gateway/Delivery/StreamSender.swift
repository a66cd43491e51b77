import BusService
import Hummingbird
import NIOCore
import StoreModels

/// Executes a stream's steps: writes its bytes and does its reads, one after the other.
struct StreamSender {
    let stream: ObserverStream
    let services: ServiceCaller
    /// The connection the bytes are written to.
    let connection: StreamConnection
    /// Creates the context of each request, with the client's trace.
    let context: @Sendable (ContinuousClock.Instant) -> CallContext
    /// Notifies PromotionController of a launch that it missed.
    let registerLaunch: @Sendable (Session, ContinuousClock.Instant) async throws(StoreError) -> Void

    /// Runs the stream to its end, and then ends its subscriptions in every case.
    /// - Throws: The connection's error when it breaks.
    @concurrent func run(_ writer: inout any ResponseBodyWriter) async throws {
        do {
            while try await step(&writer) {}
        } catch {
            await stream.close()
            await acknowledge()
            throw error
        }
        await stream.close()
        await acknowledge()
        try await writer.finish(nil)
    }

    @concurrent private func step(_ writer: inout any ResponseBodyWriter) async throws -> Bool {
        switch await stream.next() {
        case .end: return false
        case .write(let bytes):
            try await writer.write(ByteBuffer(bytes: bytes))
            stream.writeEnded(isRead: stream.isWritingNotices ? await connection.isRead() : true)
        case .read(let need): await read(need)
        case .askForIntents: await askForIntents()
        }
        return true
    }

    /// Acknowledges to PaymentQueue the ends and revocations the reader has read. Those not acknowledged, because the
    /// connection broke or PaymentQueue is away, are sent again with the next stream.
    private func acknowledge() async {
        guard connection.hasTakenAll else { return }
        for notice in stream.written { guard await isTaken(notice) else { return } }
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

    /// Requests the pending intents. The first request starts the app's time for a decision. PromotionController
    /// delivers nothing to an app that was never launched, so a launch that it missed is announced first.
    private func askForIntents() async {
        let session = stream.session
        let deadline = ContinuousClock.now + DeliveryLimits.intentsTimeout
        let request = DeliverIntentsRequest(
            bundleId: session.bundleId, deviceId: session.deviceId, customerIdentifier: session.customerIdentifier)
        do throws(StoreError) {
            if let pendingLaunch = stream.pendingLaunch {
                try await registerLaunch(pendingLaunch, deadline)
                stream.launchRegistered()
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
                let request = SnapshotRequest(
                    of: session, after: after, through: after == nil ? nil : stream.position,
                    countsDelivery: countsDelivery)
                let page = try await services.call(PaymentEndpoints.snapshot, request, context: context)
                stream.receive(page)
            case .changes(let after):
                let request = ChangesRequest(
                    bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, after: after)
                stream.receive(try await services.call(PaymentEndpoints.changes, request, context: context))
            }
        } catch {
            stream.readFailed(error.code)
        }
    }
}

extension SnapshotRequest {
    /// Requests a page of the transactions that a session's device has not finished.
    /// - Parameter through: The first page's `seq`. Nil for the first page.
    init(of session: Session, after: String?, through: Int64?, countsDelivery: Bool) {
        self.init(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            countsDelivery: countsDelivery, after: after, opening: StreamOpening(through: through))
    }
}
