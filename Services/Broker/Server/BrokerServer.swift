import BusProtocol
import EventLoop
import Logging
import ServiceLifecycle

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
                port: configuration.port, owner: PortOwnerLookup.describe(port: configuration.port), flag: "--port")
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

/// Finds the process that listens on a port in `/proc`, for error messages.
enum PortOwnerLookup {
    /// Returns the process, "pid 812 (node)". Nil when it is unknown (another user's process, no `/proc`).
    static func describe(port: Int) -> String? {
        let inodes = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { listeningInodes(in: $0, port: port) }
        guard !inodes.isEmpty else { return nil }
        let wanted = Set(inodes.map { "socket:[\($0)]" })
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for pid in processes where Int(pid) != nil && holds(pid, wanted) {
            let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
            return "pid \(pid)" + (name.map { " (\($0.split(separator: "\n").first ?? ""))" } ?? "")
        }
        return nil
    }

    /// Returns the socket inodes in state LISTEN. A line reads `0: 0100007F:1CFC 00000000:0000 0A … inode`.
    private static func listeningInodes(in path: String, port: Int) -> [String] {
        guard let table = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
        return table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count > 9, fields[3] == "0A", let local = fields[1].split(separator: ":").last,
                Int(local, radix: 16) == port
            else { return nil }
            return String(fields[9])
        }
    }

    private static func holds(_ pid: String, _ sockets: Set<String>) -> Bool {
        let directory = "/proc/\(pid)/fd"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return descriptors.contains { descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(directory)/\(descriptor)")
            return target.map(sockets.contains) ?? false
        }
    }
}
