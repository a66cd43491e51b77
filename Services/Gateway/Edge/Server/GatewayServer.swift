import EventLoop
import Hummingbird
import HummingbirdCore
import Logging
import Metrics
import NIOCore
import NIOPosix
import Operations
import ServiceLifecycle

/// The HTTP server: one NIO thread in front of the gateway's responder.
package struct GatewayServer: Service {
    /// Maximum number of simultaneous connections, if the process has enough descriptors. More wait in the kernel.
    static let connectionsMax = DeliveryLimits.streamsMax + 4096
    /// Connections that wait in the kernel to be accepted, at most net.core.somaxconn. A client's request on one that
    /// finds no room there is dropped by the kernel and repeated after one second, three and seven.
    private static let backlog = 4096
    /// Connections accepted in one turn of the HTTP thread. NIO takes one, and under load a turn has hundreds of requests:
    /// new clients waited for seconds.
    private static let acceptsMax: UInt = 256

    let responder: GatewayResponder
    let host: String
    /// The port. 0 selects any free one.
    let port: Int
    /// The TLS context for HTTPS. Nil for HTTP.
    var tls: TLSContext?
    let placement: LoopPlacement
    let admission: Admission
    let logger: Logger
    /// Called with the port once connections are accepted. An error stops the server.
    let onListening: @Sendable (Int) async throws -> Void

    /// - Parameters:
    ///   - port: 0 for any free one.
    ///   - tls: The TLS context for HTTPS. Nil for HTTP.
    ///   - onListening: Called with the port once connections are accepted. An error stops the server.
    package init(
        responder: GatewayResponder, host: String, port: Int, tls: TLSContext? = nil, placement: LoopPlacement,
        admission: Admission, logger: Logger, onListening: @escaping @Sendable (Int) async throws -> Void
    ) {
        self.responder = responder
        self.host = host
        self.port = port
        self.tls = tls
        self.placement = placement
        self.admission = admission
        self.logger = logger
        self.onListening = onListening
    }

    /// Serves until the graceful shutdown: then it accepts no more connections, finishes the requests, and returns.
    /// - Throws: ``StartupError`` when it cannot listen on the port.
    package func run() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let listening = Listening(onListening)
        do {
            let application = application(group, listening)
            try await placement.run { try await application.run() }
        } catch let error as IOError {
            throw StartupError(.unavailable, message(error))
        }
        try await group.shutdownGracefully()
        if let failure = listening.failure { throw failure }
    }

    private func application(_ group: MultiThreadedEventLoopGroup, _ listening: Listening) -> Application<
        GatewayResponder
    > {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let logger = quiet
        let pauses = Counter(label: "storebus_http_accept_pauses_total")
        var responder = responder
        responder.isSecure = tls != nil
        return Application(
            responder: responder,
            server: connections,
            configuration: .init(
                address: .hostname(host, port: port), serverName: nil, backlog: Self.backlog,
                availableConnectionsDelegate: .maximum(
                    DescriptorLimit.connections(of: Self.connectionsMax), logger: logger)),
            onServerRunning: { channel in
                // A channel that closes meanwhile rejects the handler, and accepts nothing.
                try? await channel.setOption(.maxMessagesPerRead, value: Self.acceptsMax).get()
                try? await channel.eventLoop.submit { [logger] in
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptPause(logger: logger) { pauses.increment() }, position: .first)
                }.get()
                await listening.began(channel)
            },
            eventLoopGroupProvider: .shared(group), logger: logger)
    }

    /// How an accepted connection is set up.
    private var connections: HTTPServerBuilder {
        HTTPServerBuilder { [admission, tls, logger] responder in
            let plain = HTTP1Channel(
                responder: responder,
                configuration: .init(additionalChannelHandlers: [ConnectionInstaller(admission)]))
            guard let tls else { return plain }
            return HTTPSChannel(base: plain, tls: tls, lingerMax: admission.limits.lingerMax, logger: logger)
        }
    }

    /// The setting that chooses the port.
    private var option: String { tls == nil ? "--port" : "STOREBUS_HTTPS_PORT" }

    private func message(_ error: IOError) -> String {
        switch error.errnoCode {
        case EADDRINUSE:
            "\(host):\(port) is in use by another process; stop that one, or choose another port with \(option)"
        case EACCES: "no permission to listen on \(host):\(port); choose a port above 1023 with \(option)"
        case EADDRNOTAVAIL: "\(host) is not an address of this machine; correct --host"
        default: "cannot listen on \(host):\(port): \(error)"
        }
    }
}

/// Reports that the server listens, and keeps the report's error, which Hummingbird's callback cannot throw.
final class Listening: Sendable {
    private let tell: @Sendable (Int) async throws -> Void
    private let caught = Locked<(any Error)?>(nil)

    init(_ tell: @escaping @Sendable (Int) async throws -> Void) {
        self.tell = tell
    }

    var failure: (any Error)? { caught.withLock { $0 } }

    /// Reports the port, and stops the server when that fails.
    func began(_ channel: any Channel) async {
        do {
            try await tell(channel.localAddress?.port ?? 0)
        } catch {
            caught.withLock { $0 = error }
            channel.close(promise: nil)
        }
    }
}

/// Decides on which thread handlers run.
///
/// The gateway has two loops (ADR 0002): NIO's, one thread that reads and writes sockets, and libuv's, which has the
/// bus. The server runs with the libuv loop as its task executor preference, which structured tasks inherit: every
/// connection, handler and stream runs on the bus's thread. So a request costs one hop in and one out, its requests on
/// the bus cost none, and nothing runs on the global pool.
///
/// Without a loop the same code runs on Swift's global pool, and each request on the bus crosses threads twice.
package struct LoopPlacement: Sendable {
    /// The bus connection's loop. Nil for the global pool.
    let loop: UVLoop?

    /// - Parameter loop: The bus connection's loop. Nil for the global pool.
    package init(loop: UVLoop?) { self.loop = loop }

    func run<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        guard let loop else { return try await operation() }
        return try await withTaskExecutorPreference(loop, operation: operation)
    }
}
