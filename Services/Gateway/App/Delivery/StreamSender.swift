import BusService
import EventLoop
import GatewayEdge
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

/// Tracks the notices that a stream has written: ends of restores and revocations. PaymentQueue keeps each notice until
/// it is acknowledged, and sends it with the first page of every stream until then.
///
/// Each notice moves from queued to being written to written. Only when the reader has closed the stream in good order
/// is it certain that the written notices were read (``StreamConnection``).
struct Acknowledgements {
    /// A notice for the observer that PaymentQueue keeps until it is acknowledged.
    enum Notice: Hashable, Sendable {
        /// The end of a restore, by `restoreIdentifier`.
        case restoreEnd(String)
        /// A revocation, by its `seq` in the customer's journal.
        case revocation(Int64)
    }

    /// Maximum number of notices kept until the stream ends. The rest are sent again with the next stream.
    static let writtenMax = 256

    private var queued: [Notice] = []
    private var inWrite: [Notice] = []
    private(set) var written: [Notice] = []

    /// Whether the write in progress contains a notice.
    var isWriting: Bool { !inWrite.isEmpty }

    mutating func queue(_ notice: Notice) { queued.append(notice) }

    /// Moves everything queued to the write in progress.
    mutating func areInWrite() {
        inWrite = queued
        queued = []
    }

    /// Records that the connection has taken the write in progress.
    /// - Parameter isRead: Whether the reader was still connected then.
    mutating func wereWritten(isRead: Bool) {
        if isRead { written = Array((written + inWrite).prefix(Self.writtenMax)) }
        inWrite = []
    }
}

extension DeliveryMachine.Event {
    /// The notice to acknowledge once the reader has the event. Nil for events that PaymentQueue does not keep.
    var notice: Acknowledgements.Notice? {
        switch self {
        case .restoreEnded(_, let restore): .restoreEnd(restore.restoreIdentifier)
        case .entitlementsRevoked(_, let revocation): .revocation(revocation.seq)
        case .updated, .removed, .downloadsUpdated, .priceConsentPending, .synchronized, .storefrontChanged: nil
        }
    }
}

/// The connection of one stream, which observes its reader's end.
///
/// Bytes that have left the gateway's buffers may still be in those of the kernel or the reader. A reader that closes
/// its end in good order has read everything: with unread bytes its system would reset the connection instead.
final class StreamConnection: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny

    private struct State {
        var hasLeft = false
        var hasTakenAll = false
    }

    private let channel: any Channel
    private let state = Locked(State())

    init(_ channel: any Channel) { self.channel = channel }

    /// Begins to observe the connection, unless it is already closing.
    func begin() async {
        try? await channel.eventLoop.submit { [self] in
            try channel.pipeline.syncOperations.addHandler(self, position: .first)
        }.get()
    }

    /// Whether the reader closed its end after it had taken every byte.
    var hasTakenAll: Bool { state.withLock { $0.hasTakenAll } }

    /// Whether the reader was still connected when the previous writes were handed to the connection.
    func isRead() async -> Bool {
        // Writes run on the same loop, so this follows them.
        (try? await channel.eventLoop.submit { [self] in !state.withLock { $0.hasLeft } }.get()) ?? false
    }

    func cut() { channel.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { readerLeft(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.fireChannelRead(data) }

    private func readerLeft(_ context: ChannelHandlerContext) {
        let isFlushed = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0
        state.withLock { $0.hasLeft = true }
        guard isFlushed else { return }
        TCPCounts.read(of: context.channel) { [self] counts in
            guard let counts else { return }
            state.withLock { $0.hasTakenAll = counts.unacknowledgedSegments == 0 && counts.unsentBytes == 0 }
        }
    }
}
