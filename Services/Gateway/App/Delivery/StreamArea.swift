import BusClient
import BusService
import Cryptography
import EventLoop
import GatewayEdge
import Hummingbird
import NIOCore
import PlantedBugs
import StoreHTTP
import StoreModels

/// The route that opens live streams.
struct StreamArea: Area {
    let bus: any BusClient
    let services: ServiceCaller
    let delivery: DeliveryHub
    let launches: LaunchRegistrar

    var routes: [Route] { [Route(TransactionRoutes.stream) { try await openStream($0) }] }

    /// Opens the live stream. It subscribes before it reads, so that no change is missed in between.
    ///
    /// Opening requires PaymentQueue. Afterwards the stream outlives its absence. PromotionController is optional.
    private func openStream(_ call: Call) async throws -> Reply<EventStream> {
        let session = call.session
        let handler = try handler(call)
        let connection = StreamConnection(call.channel)
        let stream = try delivery.register(
            session, promotedPurchases: handler, tellsChanges: try call.query.choice("form", StreamForm.self) == .both,
            now: .now, cut: { connection.cut() })
        await connection.begin()
        do {
            try await listen(for: stream, call)
            // Before the launch: an old session's customer may be gone with a deleted app, whose name is free.
            let page = try await firstPage(call)
            if let pendingLaunch = try await registerLaunch(handler, of: session, call) {
                stream.registerLater(pendingLaunch)
            }
            stream.receive(page)
        } catch {
            await stream.close()
            throw error
        }
        // A newer session may already have been known when the stream was registered.
        if delivery.isSuperseded(session) { stream.supersede() }
        return Reply(headers: .eventStream, body: body(of: stream, connection, call))
    }

    /// Returns how the stream handles promoted purchases: as its session, unless the query differs.
    /// - Throws: `promotionUnsupported` for `PurchaseIntent` on systems without it (M59).
    private func handler(_ call: Call) throws(StoreError) -> DeviceLaunch.PromotedPurchases {
        let session = call.session
        guard let choice = try call.query.choice("promotedPurchases", DeviceLaunch.PromotedPurchases.self),
            choice != session.promotedPurchases
        else { return session.promotedPurchases }
        if choice == .purchaseIntent {
            try PromotionSupport.checkPurchaseIntent(platform: session.platform, osVersion: session.osVersion)
        }
        return choice
    }

    /// Notifies PromotionController of a launch it missed, or of another way of handling promoted purchases.
    /// - Returns: The session to announce later, or nil when nothing is left to announce.
    private func registerLaunch(
        _ handler: DeviceLaunch.PromotedPurchases, of session: Session, _ call: Call
    ) async throws(StoreError) -> Session? {
        guard session.isLaunchPending || handler != session.promotedPurchases, !delivery.isSuperseded(session) else {
            return nil
        }
        var launched = session
        launched.promotedPurchases = handler
        return try await launches.registerIfAvailable(launched, call) ? nil : launched
    }

    private func listen(for stream: ObserverStream, _ call: Call) async throws {
        stream.own(
            try await bus.listen(to: HintSubject.changed(stream.session.customer), call) { [weak stream] message in
                guard let change = try? StoreJSON.decode(CustomerChange.self, from: message.body) else { return }
                stream?.receive(hint: change)
            })
        guard stream.handlesIntents else { return }
        let installation = stream.session.installation
        stream.own(
            try await bus.listen(to: HintSubject.intentsChanged(installation), call) { [weak stream] message in
                // The key is a digest, and digests may collide.
                guard let change = try? StoreJSON.decode(IntentsChanged.self, from: message.body),
                    change.bundleId.isExactly(installation.bundleId),
                    change.deviceId.isExactly(installation.deviceId)
                else { return }
                stream?.receive(intentHint: change.seq)
            })
    }

    private func firstPage(_ call: Call) async throws(StoreError) -> Snapshot {
        do {
            return try await services.call(
                PaymentEndpoints.snapshot,
                SnapshotRequest(of: call.session, after: nil, through: nil, countsDelivery: true), for: call)
        } catch  where error.code == .deadlineExceeded {
            throw StoreError(.serviceUnavailable, "payment-queue did not answer in time", retryAfterMs: 1000)
        }
    }

    /// Sends until the stream ends or its reader disconnects.
    private func body(of stream: ObserverStream, _ connection: StreamConnection, _ call: Call) -> ResponseBody {
        ResponseBody { writer in
            try await call.request.body.consumeWithInboundCloseHandler { _ in
                let sender = StreamSender(
                    stream: stream, services: services, connection: connection, context: { call.context(deadline: $0) },
                    registerLaunch: { session, deadline throws(StoreError) in
                        // A superseded session's data about the installation is outdated.
                        guard !delivery.isSuperseded(session) else { return }
                        try await launches.registerLaunch(session, call, deadline: deadline)
                    })
                try await sender.run(&writer)
            } onInboundClosed: {
                stream.end()
            }
        }
    }
}

/// The literal subjects of the hints one stream listens to. Names that users choose never appear in a subject (S13), so
/// a key is the first 32 hexadecimal digits of the SHA-256 of two names with a NUL between them.
enum HintSubject {
    /// Subject for a customer's transactions: the names are `bundleId` and `customerIdentifier`.
    static func changed(_ customer: CustomerReference) -> String {
        if PlantedBug.isActive(.strangersEvent) { return PaymentEvents.customerChanged(key: "*") }
        return PaymentEvents.customerChanged(key: key(customer.bundleId, customer.customerIdentifier))
    }

    /// Subject for an installation's intents: the names are `bundleId` and `deviceId`.
    static func intentsChanged(_ installation: AppInstallation) -> String {
        PromotionEvents.intentsChanged(key: key(installation.bundleId, installation.deviceId))
    }

    private static func key(_ first: String, _ second: String) -> String {
        Hex.text(SHA256.hash(data: Array(first.utf8) + [0] + Array(second.utf8)).prefix(16))
    }
}

/// Executes a stream's steps: writes its bytes and does its reads, one after the other. It has changes signed beside
/// them.
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
        case .sign(let changes):
            // Nothing else of the stream waits for AppStoreServer. The request's deadline ends the task.
            Task { await sign(changes) }
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

    /// Has changes signed for the session's device.
    private func sign(_ changes: [LiveChange]) async {
        var groups: [String] = []
        for case let group? in changes.map(\.group) where !groups.containsExactly(group) { groups.append(group) }
        var ids: [String] = []
        for change in changes where change.isOfTransaction && !ids.containsExactly(change.transaction.id) {
            ids.append(change.transaction.id)
        }
        do throws(StoreError) {
            let signed = try await services.call(
                SigningEndpoints.signChanges,
                SignChangesRequest(of: stream.session, ids: ids, subscriptionGroups: groups),
                context: context(.now + HTTPLimits.requestTimeout))
            stream.receive(signed, of: changes)
        } catch {
            stream.signingFailed(error.code)
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
        case .updated, .removed, .downloadsUpdated, .priceConsentPending, .synchronized, .storefrontChanged, .changed:
            nil
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
