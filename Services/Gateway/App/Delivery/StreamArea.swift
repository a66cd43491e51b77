import BusClient
import BusService
import Crypto
import GatewayEdge
import Hummingbird
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
            session, promotedPurchases: handler, now: .now, cut: { connection.cut() })
        await connection.begin()
        do {
            async let pendingLaunch = registerLaunch(handler, of: session, call)
            try await listen(for: stream, call)
            let page = try await firstPage(call)
            if let pendingLaunch = try await pendingLaunch { stream.registerLater(pendingLaunch) }
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
