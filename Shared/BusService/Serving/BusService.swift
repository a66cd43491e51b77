import BusClient
import BusProtocol
import EventLoop
import Logging
import ServiceLifecycle
import StoreModels

/// A service on the bus: typed handlers, discovery, health, and a graceful stop. One per process.
///
/// ```swift
/// let service = BusService(name: .catalog, version: "0.1.0", bus: bus, logger: logger)
/// service.handle(CatalogEndpoints.getProducts) { request, context in … }
/// service.healthCheck("database") { await database.check() }
/// try await service.run()                  // until graceful shutdown
/// ```
/// Handlers run as tasks on the bus's loop. Requests join queue group `q`, and every instance answers `$SRV` verbs. The
/// client is not closed here: its creator may still need it for parts that end later.
package final class BusService: ServiceLifecycle.Service {
    /// As discovery and logs show this instance.
    package let identity: ServiceIdentity
    /// One sentence, for `$SRV.INFO`.
    let description: String
    package let bus: any BusClient
    package let logger: Logger
    let started = Timestamp.wallClock()
    let health = HealthChecks()
    let inFlight = InFlightRequests()
    /// Keeps the spans of requests, for `$SRV.TRACE`.
    package let spans: SpanKeeper
    private let readiness = Readiness()
    /// Set once the operator has asked for a graceful end.
    let drainRequest = DrainRequest()
    private let undeclared: UndeclaredErrorHook?
    private let registry = Locked(Registry())

    private struct Registry {
        var endpoints: [ServedEndpoint] = []
        var membership: StoreMembership?
        /// Whether `run` has begun, after which nothing may be added.
        var isSealed = false
    }

    /// - Parameters:
    ///   - instance: Random for each process start. Both `$SRV` and logs name the instance by it.
    ///   - description: One sentence, for `$SRV.INFO`.
    ///   - spans: Keeps the spans of requests.
    ///   - undeclared: Gets the errors that an endpoint answers and does not declare, for tests.
    package init(
        name: ServiceName, version: String, bus: any BusClient, logger: Logger,
        instance: String = RandomIdentifier.hex(digits: 24), description: String = "",
        spans: SpanRing = SpanRing(), undeclared: UndeclaredErrorHook? = nil
    ) {
        identity = ServiceIdentity(name: name.rawValue, id: instance, version: version)
        self.description = description
        self.spans = SpanKeeper(service: name.rawValue, instance: instance, ring: spans)
        self.bus = bus
        self.logger = logger
        self.undeclared = undeclared
    }

    /// Registers the handler of an endpoint, before `run`.
    ///
    /// The request is decoded strictly before the handler is called. Its result is encoded and sent. A thrown
    /// `StoreError` becomes the error reply, any other error is logged and becomes `internal`. Requests whose deadline
    /// has passed are answered `deadlineExceeded` without calling the handler. Those over 1024 in flight get
    /// `serviceUnavailable` immediately.
    package func handle<Request, Response>(
        _ endpoint: Endpoint<Request, Response>,
        _ handler: @escaping @Sendable (Request, RequestContext) async throws -> Response
    ) {
        let served = ServedEndpoint(endpoint, undeclared: undeclared, handler)
        registry.withLock { registry in
            precondition(!registry.isSealed, "handle(\(endpoint.name)) was called after run()")
            precondition(
                !registry.endpoints.contains { $0.subject == served.subject }, "\(endpoint.name) has two handlers")
            registry.endpoints.append(served)
        }
    }

    /// Registers a check that `$SRV.HEALTH` and `/healthz` run. It fails after a second.
    package func healthCheck(_ name: String, _ check: @escaping @Sendable () async -> HealthCheck) {
        health.add(name, check)
    }

    /// Sets the identity of the service's database. Call it before `run`. On a bus with another store the service takes
    /// no requests.
    ///
    /// - Parameters:
    ///   - identity: The identity stored in the database now.
    ///   - makesStore: Whether it creates the store when no database on the bus has one.
    ///   - keep: Stores a store identity unless there is one, and returns the stored one.
    package func belongs(
        to identity: StoreIdentity, makesStore: Bool, keep: @escaping @Sendable (String) async throws -> String
    ) {
        let own = StoreMembershipRule.Peer(
            service: self.identity.name, instance: self.identity.id, identity: identity)
        registry.withLock {
            $0.membership = StoreMembership(
                own: own, makesStore: makesStore, bus: bus, logger: logger, keep: keep)
        }
    }

    /// The store and database that discovery announces.
    var storeMetadata: [String: String] { registry.withLock { $0.membership }?.metadata ?? [:] }

    /// Returns when the broker has acknowledged every subscription, or the task is cancelled. Requests are served from
    /// then on.
    package func ready() async { await readiness.wait() }

    /// Runs the health checks. Returns the answer to `$SRV.HEALTH`, also shown elsewhere.
    ///
    /// Discovery answers before the first request is taken and after the last one: then the service has failed.
    package func healthResponse() async -> HealthResponse {
        var (status, checks) = await health.run()
        if !readiness.isOpen {
            status = .fail
            checks["serving"] = .fail("it is starting or stopping, and takes no requests")
        }
        return HealthResponse(identity, status: status, checks: checks)
    }

    /// Serves until graceful shutdown or the operator's request to drain. It then accepts no more requests, finishes
    /// those taken (up to 10 s), flushes their replies, and returns.
    ///
    /// - Throws: `BusError` when a subscription is refused, or the connection ends for good (`authenticationFailed`,
    ///   `replaced`, `closed`), or ``StoreConflict`` when another store, or another database of this service, is on the
    ///   bus.
    package func run() async throws {
        let subscriptions: Subscriptions
        do {
            // Without a broker, subscribing waits indefinitely; a shutdown before that must still return immediately.
            subscriptions = try await cancelWhenGracefulShutdown { try await self.subscribeAll() }
        } catch let error as BusError where error.code == .cancelled {
            return
        }
        logger.info("serving", metadata: ["endpoints": "\(subscriptions.requests.count)"])
        readiness.open()
        let failure = await waitForTheEnd()
        readiness.close()
        await stop(subscriptions)
        if let failure { throw failure }
    }

    private struct Subscriptions {
        var discovery: [any BusSubscription] = []
        var requests: [any BusSubscription] = []
    }

    private func subscribeAll() async throws -> Subscriptions {
        var subscriptions = Subscriptions()
        subscriptions.discovery = try await subscribeDiscovery()
        try await registry.withLock { $0.membership }?.join()
        for endpoint in sealedEndpoints() {
            let subscription = try await bus.subscribe(endpoint.subject, queue: BusServiceLimits.queueGroup) {
                self.receive($0, endpoint)
            }
            subscriptions.requests.append(subscription)
        }
        return subscriptions
    }

    /// The registered endpoints. From the first call on nothing may be added.
    func sealedEndpoints() -> [ServedEndpoint] {
        registry.withLock { registry in
            registry.isSealed = true
            return registry.endpoints
        }
    }

    /// Waits for the end of serving. Returns nil for graceful shutdown, a request to drain or cancellation, the bus's
    /// final error, or the store's conflict.
    private func waitForTheEnd() async -> (any Error)? {
        let bus = bus
        let membership = registry.withLock { $0.membership }
        return await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                try? await gracefulShutdown()
                return nil
            }
            group.addTask { [drainRequest] in
                await drainRequest.wait()
                return nil
            }
            group.addTask {
                for await state in bus.states where state == .closed { break }
                return bus.endReason
            }
            if let membership {
                group.addTask {
                    do {
                        try await membership.watch()
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Stops taking requests, then waits for those in flight. After the barrier of `unsubscribe` every delivered
    /// request is in flight, and none follows.
    private func stop(_ subscriptions: Subscriptions) async {
        await withDiscardingTaskGroup { group in
            for subscription in subscriptions.requests { group.addTask { await subscription.unsubscribe() } }
        }
        let abandoned = await inFlight.drain(within: BusServiceLimits.drainTimeout)
        if abandoned > 0 {
            logger.warning("requests were cancelled, they took too long to finish", metadata: ["count": "\(abandoned)"])
        }
        await withDiscardingTaskGroup { group in
            for subscription in subscriptions.discovery { group.addTask { await subscription.unsubscribe() } }
        }
        // Fails only when the connection is gone, and then the replies cannot be delivered.
        try? await bus.flush(timeout: .seconds(2))
        logger.info("stopped serving")
    }

    /// Starts the handler of a request that has arrived. Runs on the bus's loop, so it only starts the work.
    private func receive(_ message: BusMessage, _ endpoint: ServedEndpoint) {
        let arrival = ContinuousClock.now
        let context = RequestContext(endpoint: endpoint.name, headers: message.headers, logger: logger)
        guard let slot = inFlight.begin(endpoint.subject) else {
            let error = StoreError(.serviceUnavailable, "\(endpoint.name) is overloaded", retryAfterMs: 100)
            return finish(message, endpoint, context, .failure(error), nil, since: arrival)
        }
        // Polls have no spans: they would displace those of requests.
        let span =
            BrokerSubject.isPoll(endpoint.subject)
            ? nil : spans.begin(endpoint.name, .server, context.trace, parent: context.parentSpan)
        // Not a child of anything, because the callback is not async; `inFlight` holds it until it is done.
        let task = Task(executorPreference: bus.loop) {
            let result =
                if let span {
                    await span.during { await endpoint.result(message.body, context) }
                } else {
                    await endpoint.result(message.body, context)
                }
            self.finish(message, endpoint, context, result, span, since: arrival)
            self.inFlight.end(slot, endpoint.subject)
        }
        inFlight.attach(task, to: slot)
    }

    /// Sends the reply and records the request.
    private func finish(
        _ message: BusMessage, _ endpoint: ServedEndpoint, _ context: RequestContext,
        _ result: Result<[UInt8], StoreError>, _ span: RecordedSpan?, since arrival: ContinuousClock.Instant
    ) {
        var failure: StoreError?
        do {
            switch result {
            case .success(let body):
                try bus.respond(to: message, body: body)
            case .failure(let error):
                failure = error
                let (headers, body) = ErrorReply.encode(error)
                try bus.respond(to: message, body: body, headers: headers)
            }
        } catch {
            context.logger.warning("a reply could not be sent", metadata: ["error": "\(error)"])
        }
        endpoint.record(failure, since: arrival)
        span?.end(error: failure?.code.name)
        guard logger.logLevel <= .debug else { return }
        context.logger.debug(
            "answered",
            metadata: [
                "code": "\(failure?.code.name ?? "ok")", "attempt": "\(context.attempt)",
                "durationMs": "\(arrival.duration(to: .now).wholeMilliseconds)",
            ])
    }
}
