import EventLoop
import ServiceLifecycle

/// The monitoring port: a GET-only HTTP/1.1 server on the process's loop. It serves `/healthz`, `/metrics` and the
/// process's other pages. It asks for no credentials: beyond loopback it is for networks of one's own.
///
/// ```swift
/// environment.monitor.route("/varz") { request in .json(await broker.varz()) }
/// ```
/// One request per connection, 64 connections at a time (one more closes the oldest, so idle ones keep no scraper out),
/// five seconds for a request. Page functions run on the loop.
package actor MonitorServer: ServiceLifecycle.Service {
    /// Answers one request. It runs on the loop, so it must not block.
    package typealias Page = @Sendable (MonitorRequest) async -> MonitorResponse

    /// Maximum number of connections. Scrapers and people with curl need fewer, so more is a mistake.
    static let connectionsMax = 64
    /// From accepting a connection to the end of its answer.
    static let requestTimeout: Duration = .seconds(5)

    nonisolated package let loop: UVLoop
    nonisolated package var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    nonisolated private let pages = Locked<[String: Page]>([:])

    private var listener: TCPListener?
    private var connections: [ObjectIdentifier: MonitorConnection] = [:]
    /// The connections in the order of their beginning, including ended ones.
    private var order: [ObjectIdentifier] = []

    /// Creates a server on a loop. ``start(host:port:)`` opens the port.
    package init(loop: UVLoop) { self.loop = loop }

    /// Adds a page, or replaces it. It may be called at any time.
    nonisolated package func route(_ path: String, _ page: @escaping Page) {
        pages.withLock { $0[path] = page }
    }

    /// Listens on an address.
    /// - Parameter port: 0 for any free one.
    /// - Returns: The port, the real one for 0.
    /// - Throws: `unavailable` when the port is in use, naming it and `--monitor-port`.
    @discardableResult
    package func start(host: String = "127.0.0.1", port: Int) throws(StartupError) -> Int {
        do throws(UVError) {
            let listener = try TCPListener.bind(loop: loop, host: host, port: port)
            self.listener = listener
            try listener.listen { stream in self.accept(stream) }
            return listener.localAddress.port
        } catch {
            throw StartupError(listening: error, host: host, port: port, flag: "--monitor-port")
        }
    }

    /// Serves until graceful shutdown, then closes the port and every connection.
    package func run() async throws {
        try? await gracefulShutdown()
        stop()
    }

    /// The port it listens on. 0 before `start` and after `stop`.
    package var port: Int { listener?.localAddress.port ?? 0 }

    /// Closes the port and every connection. Idempotent.
    package func stop() {
        listener?.close()
        listener = nil
        for connection in connections.values { connection.close() }
        connections = [:]
    }

    private func accept(_ stream: TCPStream) {
        order.removeAll { connections[$0] == nil }
        if order.count >= Self.connectionsMax { connections.removeValue(forKey: order.removeFirst())?.close() }
        let connection = MonitorConnection(stream, timeout: Self.requestTimeout)
        let key = ObjectIdentifier(connection)
        connections[key] = connection
        order.append(key)
        connection.onEnd = { self.connections[key] = nil }
        connection.start { request in self.answer(request, key) }
    }

    private func answer(_ request: MonitorRequest, _ key: ObjectIdentifier) {
        guard let page = pages.withLock({ $0[request.path] }) else {
            let paths = pages.withLock { $0.keys.sorted() }.joined(separator: " ")
            connections[key]?.send(.text("no such page; there are \(paths)\n", status: 404), to: request)
            return
        }
        // A callback of the loop cannot wait; the connection's timeout bounds the task's use.
        Task(executorPreference: loop) {
            let response = await page(request)
            await self.send(response, to: request, on: key)
        }
    }

    private func send(_ response: MonitorResponse, to request: MonitorRequest, on key: ObjectIdentifier) {
        connections[key]?.send(response, to: request)
    }
}

/// One connection of the monitoring port: a request, a response, the end. Confined to the loop.
final class MonitorConnection {
    /// Called once, after the connection has closed.
    var onEnd: (() -> Void)?
    private let stream: TCPStream
    private let timer: LoopTimer
    private let timeout: Duration
    private var parser = MonitorRequestParser()
    private var isAnswered = false

    init(_ stream: TCPStream, timeout: Duration) {
        self.stream = stream
        self.timeout = timeout
        timer = LoopTimer(loop: stream.loop)
    }

    /// Reads the request and hands it over.
    func start(_ handle: @escaping (MonitorRequest) -> Void) {
        stream.onRead = { [self] buffer in take(buffer, handle) }
        stream.onClose = { [self] _ in
            timer.close()
            onEnd?()
            onEnd = nil
        }
        timer.start(after: timeout) { [self] in
            if isAnswered { stream.close() } else { refuse(408, "no request within \(timeout)") }
        }
        stream.startReading()
    }

    /// Answers and closes once the answer is out.
    func send(_ response: MonitorResponse, to request: MonitorRequest) {
        finish(response.encoded(isHead: request.isHead))
    }

    func close() { stream.close() }

    private func take(_ buffer: UnsafeRawBufferPointer, _ handle: (MonitorRequest) -> Void) {
        // Bytes after the request are ignored.
        guard !isAnswered else { return }
        switch parser.take(buffer) {
        case .incomplete: break
        case .request(let request):
            isAnswered = true
            handle(request)
        case .refused(let status, let reason): refuse(status, reason)
        }
    }

    private func refuse(_ status: Int, _ reason: String) {
        isAnswered = true
        finish(MonitorResponse.text("\(reason)\n", status: status).encoded(isHead: false))
    }

    private func finish(_ bytes: [UInt8]) {
        stream.write(bytes)
        stream.closeAfterFlush()
    }
}
