import BusProtocol
import EventLoop
import FoundationEssentials
import Logging
import ServiceLifecycle

/// The broker of a process: the core, its sockets and its pages, on one loop.
///
/// ```swift
/// let broker = BrokerServer(configuration: configuration, loop: loop, logger: logger)
/// let address = try await broker.start()
/// …
/// await broker.stop()
/// ```
package actor BrokerServer: ServiceLifecycle.Service {
    /// The paths of the monitoring pages.
    package static let pages = ["/healthz", "/varz", "/connz", "/subsz", "/metrics"]

    /// The loop on which the broker runs, and its executor.
    package nonisolated let loop: UVLoop
    /// The settings, checked by ``start()``.
    package nonisolated let configuration: BrokerConfiguration
    private let logger: Logger
    private let startTime = BrokerServer.wallClock()
    private var transport: BrokerTransport?
    private var lock: FileLock?
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    /// The actual address. Nil before `start`.
    private var address: SocketAddress?

    /// The loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Creates a broker that does not run yet.
    package init(configuration: BrokerConfiguration, loop: UVLoop, logger: Logger) {
        self.configuration = configuration
        self.loop = loop
        self.logger = logger
    }

    /// Starts to listen.
    /// - Returns: The address, with the actual port for port 0.
    /// - Precondition: It is called once.
    package func start() throws(BrokerStartError) -> (host: String, port: Int) {
        precondition(transport == nil, "a broker starts once")
        try configuration.validate()
        lock = try takeLock()
        let transport = try listen()
        transport.onEvents = { [logger] events in for event in events { event.log(to: logger) } }
        transport.onIdle = { [weak self] in self?.assumeIsolated { $0.becameIdle() } }
        transport.core.systemRequests = { [weak self] name, query in
            self?.assumeIsolated { $0.page("/\(name.lowercased())", query: query) }
        }
        do throws(UVError) {
            try transport.start()
        } catch {
            throw .cannotListen(error.description)
        }
        self.transport = transport
        let bound = transport.listener.localAddress
        address = bound
        logger.info(
            "listening",
            metadata: ["host": "\(bound.host)", "port": "\(bound.port)", "tls": "\(configuration.tls != nil)"])
        return (bound.host, bound.port)
    }

    /// Serves until graceful shutdown, then stops.
    package func run() async throws {
        try? await gracefulShutdown()
        await stop()
    }

    /// Stops the broker as on SIGTERM. It accepts no new connections, sends `drain` and `bye` to all clients, and
    /// returns when the last connection is closed. It takes the drain window and two seconds at most.
    package func stop() async {
        guard let transport else { return }
        transport.drain(why: "the broker is stopping")
        while !transport.isIdle { await withCheckedContinuation { idleWaiters.append($0) } }
        transport.close()
        self.transport = nil
        lock?.release()
    }

    /// Cuts every connection, as a crash would, for tests.
    package func kill() {
        transport?.close()
        transport = nil
        lock?.release()
    }

    /// Returns a monitoring page. Nil for an unknown path, or while the broker does not run.
    package func page(_ path: String, query: [String: String]) -> MonitorPage? {
        guard let transport, let address else { return nil }
        let process = ProcessStats(
            host: address.host, port: address.port, startTime: startTime,
            loopLagMicroseconds: transport.loopLagMicroseconds(), tls: configuration.tls)
        return transport.core.page(path, query: query, process, uptime: loop.uptime())
    }

    /// Locks the lock file, if one is configured.
    private func takeLock() throws(BrokerStartError) -> FileLock? {
        guard let path = configuration.lockFile else { return nil }
        do throws(FileLock.Failure) {
            return try FileLock(path: path, holder: "broker")
        } catch {
            switch error {
            case .held(let holder): throw .secondBroker(holder: holder.description, lockFile: path)
            case .unusable(let reason): throw .lockUnusable(path, reason)
            }
        }
    }

    private func listen() throws(BrokerStartError) -> BrokerTransport {
        let core = BrokerCore(
            limits: configuration.limits, identity: BrokerIdentity(version: configuration.version),
            authenticator: configuration.authenticator, seed: UInt64.random(in: 0 ... .max), time: Self.wallClock)
        if configuration.chaos {
            core.chaos = Chaos()
            logger.warning("this broker makes faults on demand", metadata: ["STOREBUS_CHAOS": "true"])
        }
        let tls = try tlsContext()
        do throws(UVError) {
            return try BrokerTransport(
                core: core, loop: loop, host: configuration.host, port: configuration.port, tls: tls)
        } catch {
            guard error.code == UVError.addressInUse else { throw .cannotListen(error.description) }
            throw .portInUse(
                port: configuration.port, owner: .find(port: configuration.port), flag: "--port")
        }
    }

    private func tlsContext() throws(BrokerStartError) -> TLSContext? {
        guard let files = configuration.tls else { return nil }
        do throws(TLSError) {
            return try TLSContext(.server, files)
        } catch {
            throw .tls(error)
        }
    }

    private func becameIdle() {
        let waiters = idleWaiters
        idleWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private static func wallClock() -> Int { Int(Date().timeIntervalSince1970 * 1000) }
}
