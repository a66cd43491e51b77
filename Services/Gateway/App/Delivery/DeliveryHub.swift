import BusClient
import BusService
import EventLoop
import GatewayEdge
import Logging
import Metrics
import StoreModels

/// The open streams of this gateway, and the newest session of each installation.
///
/// Each second it reads the heads of its customers from PaymentQueue: the `seq` of the last change in a customer's
/// journal. So a lost hint delays a change by a second.
package final class DeliveryHub: Sendable {
    /// A stream, held weakly: it lives as long as its response.
    fileprivate struct Entry {
        weak var stream: ObserverStream?
        let session: Session
        let promotedPurchases: DeviceLaunch.PromotedPurchases
    }

    fileprivate struct State {
        var entries: [ObserverStream.ID: Entry] = [:]
        var nextID: ObserverStream.ID = 0
        var newest: [AppInstallation: SessionOpened] = [:]
        /// The storefront last sent on a session's streams, by session identifier.
        var storefronts: [ExactText: String] = [:]
        var isStopping = false
        var isTicking = false
    }

    /// The gateway's connection to the bus.
    package let bus: any BusClient
    let services: ServiceCaller
    let directories: Directories
    let logger: Logger
    let metrics = DeliveryMetrics()
    /// Tells that streams were opened. Openings since the last read are one element.
    package let opened: AsyncStream<Void>
    private let noteOpened: AsyncStream<Void>.Continuation
    private let state = Locked(State())

    init(bus: any BusClient, services: ServiceCaller, directories: Directories, logger: Logger) {
        self.bus = bus
        self.services = services
        self.directories = directories
        self.logger = logger
        (opened, noteOpened) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Opens a stream, before its first read.
    /// - Throws: `promotedPurchaseHandlerConflict`, `rateLimited`, `serviceUnavailable`.
    func register(
        _ session: Session, promotedPurchases: DeviceLaunch.PromotedPurchases, tellsChanges: Bool = false,
        now: ContinuousClock.Instant, cut: @escaping @Sendable () -> Void
    ) throws(StoreError) -> ObserverStream {
        let (stream, count) = try state.withLock { state throws(StoreError) in
            try state.admit(session, promotedPurchases)
            state.nextID += 1
            let stream = ObserverStream(
                id: state.nextID, session: session, promotedPurchases: promotedPurchases, tellsChanges: tellsChanges,
                storefront: state.storefronts[session.identifier] ?? session.storefront, now: now, cut: cut,
                forget: { [weak self] in self?.forget($0) },
                onStorefrontSent: { [weak self] in self?.onStorefrontSent(session, $0) })
            state.entries[stream.id] = Entry(stream: stream, session: session, promotedPurchases: promotedPurchases)
            return (stream, state.entries.count)
        }
        metrics.open(count)
        noteOpened.yield()
        return stream
    }

    /// Whether a newer session of the installation is known.
    func isSuperseded(_ session: Session) -> Bool {
        state.withLock { $0.newest[session.installation]?.supersedes(session) ?? false }
    }

    /// Ends older streams of the launched installation, here and on the other gateways.
    func sessionOpened(_ session: Session) {
        let opened = SessionOpened(session)
        receive(opened)
        services.publish(event: SessionOpened.subject, opened)
    }

    /// Receives the launches that other gateways announce, until it is unsubscribed.
    /// - Throws: `BusError` when the bus refuses the subscription.
    package func listen() async throws -> any BusSubscription {
        try await bus.subscribe(SessionOpened.subject) { [self] message in
            guard let opened = try? StoreJSON.decode(SessionOpened.self, from: message.body) else { return }
            receive(opened)
        }
    }

    /// Records a launch, here or on another gateway, and ends the older streams.
    private func receive(_ opened: SessionOpened) {
        let older = state.withLock { state in
            state.remember(opened)
            return state.entries.values.filter { opened.supersedes($0.session) }.compactMap(\.stream)
        }
        for stream in older { stream.supersede() }
    }

    /// Sends comments and reads the heads, once a second. Only one read of the heads runs at a time.
    package func tick(now: ContinuousClock.Instant) async {
        for stream in streams { stream.tick(now: now) }
        let isFirst = state.withLock { state in
            defer { state.isTicking = true }
            return !state.isTicking
        }
        guard isFirst else { return }
        async let intents: Void = readIntentHeads()
        await readHeads()
        await intents
        state.withLock { $0.isTicking = false }
    }

    /// Ends every stream and admits no more.
    package func stop() {
        state.withLock { $0.isStopping = true }
        for stream in streams { stream.end() }
    }

    /// Whether a stream is open.
    package var hasStreams: Bool { !streams.isEmpty }

    var streams: [ObserverStream] { state.withLock { $0.entries.values.compactMap(\.stream) } }

    private func forget(_ id: ObserverStream.ID) {
        let count = state.withLock { state in
            state.entries[id] = nil
            return state.entries.count
        }
        metrics.open(count)
    }

    /// Records the storefront with which the session's next stream begins.
    private func onStorefrontSent(_ session: Session, _ storefront: String) {
        state.withLock { state in
            if state.storefronts.count >= DeliveryLimits.sessionsRememberedMax { state.storefronts.removeAll() }
            state.storefronts[session.identifier] = storefront
        }
    }

    /// Reads the heads with one request per 500 customers, however many streams they have.
    private func readHeads() async {
        let customers = Dictionary(grouping: streams.map { ($0, $0.position) }, by: { $0.0.session.customer })
        var rest = Array(customers.keys)[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(HeadsRequest.customersMax))
            rest = rest.dropFirst(page.count)
            do {
                let reply = try await services.call(
                    PaymentEndpoints.heads, HeadsRequest(customers: page),
                    context: CallContext(deadline: .now + DeliveryLimits.headsInterval))
                for (customer, head) in zip(page, reply.heads) {
                    for (stream, asked) in customers[customer] ?? [] { stream.receive(head: head, askedAt: asked) }
                }
                for (customer, storefront) in zip(page, reply.storefronts) {
                    await tell(customers[customer]?.map(\.0) ?? [], of: customer, storefront: storefront)
                }
            } catch {
                logger.debug("heads could not be read", metadata: ["code": "\(error.code)"])
                for customer in page { for (stream, _) in customers[customer] ?? [] { stream.headsFailed() } }
            }
        }
    }
}

extension DeliveryHub.State {
    fileprivate func admit(_ session: Session, _ promotedPurchases: DeviceLaunch.PromotedPurchases) throws(StoreError) {
        guard !isStopping else { throw .stopping }
        guard entries.count < DeliveryLimits.streamsMax else {
            throw StoreError(
                .serviceUnavailable, "this gateway has \(DeliveryLimits.streamsMax) streams already", retryAfterMs: 1000
            )
        }
        let others = entries.values.filter {
            $0.stream != nil && $0.session.installation == session.installation
                && newest[session.installation]?.supersedes($0.session) != true
        }
        guard others.allSatisfy({ $0.promotedPurchases == promotedPurchases }) else {
            throw StoreError(
                .promotedPurchaseHandlerConflict, "a stream of this installation is open with another promotedPurchases"
            )
        }
        guard others.count < DeliveryLimits.streamsPerInstallationMax else {
            throw StoreError(
                .rateLimited, "this installation has \(others.count) streams open already", retryAfterMs: 1000)
        }
    }

    fileprivate mutating func remember(_ opened: SessionOpened) {
        if let known = newest[opened.installation], known.launch > opened.launch { return }
        if newest.count >= DeliveryLimits.sessionsRememberedMax { newest.removeAll() }
        newest[opened.installation] = opened
    }
}

extension DeliveryHub {
    /// Notifies streams whose customer's storefront has changed. A storefront that cannot be looked up is retried each
    /// second until Catalog is back.
    func tell(_ streams: [ObserverStream], of customer: CustomerReference, storefront countryCode: String) async {
        let outdated = streams.filter { !countryCode.isEmpty && $0.storefront != countryCode }
        guard !outdated.isEmpty else { return }
        do throws(StoreError) {
            let context = CallContext(deadline: .now + DeliveryLimits.headsInterval)
            guard let storefront = try await directories.storefronts.storefront(countryCode, context) else {
                return logger.warning("a storefront is not in the table", metadata: ["storefront": "\(countryCode)"])
            }
            // First, so that an app that reacts immediately sees the prices of the new storefront.
            directories.accounts.forget(customer)
            for stream in outdated { stream.receive(storefront) }
        } catch {
            logger.debug("a storefront could not be looked up", metadata: ["code": "\(error.code)"])
        }
    }
}

/// The metric of live delivery: open streams.
struct DeliveryMetrics: Sendable {
    private let openStreams = Gauge(label: "storebus_streams_open")

    func open(_ count: Int) { openStreams.record(count) }
}

extension DeliveryHub {
    /// Reads the latest intent number of each installation that handles intents. It runs once a second, so a lost hint
    /// delays an intent by a second. One request covers 500 installations with all their streams.
    func readIntentHeads() async {
        let handling = streams.filter(\.handlesIntents).map { ($0, $0.intentPosition) }
        let installations = Dictionary(grouping: handling, by: { $0.0.session.installation })
        var rest = Array(installations.keys)[...]
        while !rest.isEmpty {
            let page = Array(rest.prefix(IntentHeadsRequest.installationsMax))
            rest = rest.dropFirst(page.count)
            do {
                let reply = try await services.call(
                    PromotionEndpoints.intentHeads, IntentHeadsRequest(installations: page.map(\.reference)),
                    context: CallContext(deadline: .now + DeliveryLimits.headsInterval))
                for (installation, head) in zip(page, reply.heads) {
                    for (stream, asked) in installations[installation] ?? [] {
                        stream.receive(intentHead: head, askedAt: asked)
                    }
                }
            } catch {
                logger.debug("heads of intents could not be read", metadata: ["code": "\(error.code)"])
                for installation in page {
                    for (stream, _) in installations[installation] ?? [] { stream.intentHeadsFailed() }
                }
            }
        }
    }
}

/// The event of an app's launch. Other gateways then end older streams of the installation. When it is lost, an older
/// stream only stays open.
///
/// ```json
/// {"installation":{"bundleId":"com.example.app","deviceId":"alice-1"},"sessionIdentifier":"s_…","launch":812}
/// ```
struct SessionOpened: Hashable, Sendable, Codable {
    /// The subject for all installations: gateways are few, and each needs every message.
    static let subject = "sb.evt.gateway.v1.session.opened"

    var installation: AppInstallation
    var sessionIdentifier: String
    var launch: Int64

    init(_ session: Session) {
        installation = session.installation
        sessionIdentifier = session.identifier
        launch = session.launchNumber
    }

    /// Whether `session` is an older one of the same installation.
    func supersedes(_ session: Session) -> Bool {
        installation == session.installation && !sessionIdentifier.isExactly(session.identifier)
            && launch > session.launchNumber
    }
}
