import BusClient
import EventLoop
import Hummingbird
import Logging
import NIOCore
import NIOPosix

/// Hummingbird on one NIO thread, with one route.
struct SpikeHTTP {
    let placement: Placement
    let loop: UVLoop
    let logger: Logger

    func run(busPort: Int) async throws {
        let bus = try await SpikeEcho.client("spike-http", busPort: busPort, loop: loop, logger: logger)
        let router = Router()
        router.get("/") { _, _ in try await respond(bus) }
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0), serverName: nil),
            onServerRunning: { channel in LoopSpike.report(port: channel.localAddress?.port ?? 0) },
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1)), logger: logger)
        if placement.wholeServerOnLoop {
            try await withTaskExecutorPreference(loop) { try await application.run() }
        } else {
            try await application.run()
        }
    }

    private func respond(_ bus: SBPClient) async throws -> ByteBuffer {
        switch placement {
        case .floor, .loopFloor:
            return ByteBuffer(string: Self.body + Self.body)
        case .loop, .global:
            return try await askTwice(bus)
        case .handler:
            return try await withTaskExecutorPreference(loop) { try await askTwice(bus) }
        }
    }

    /// The shape of a gateway's handler: two independent questions at once, one answer made of both.
    private func askTwice(_ bus: SBPClient) async throws -> ByteBuffer {
        async let first = bus.request(SpikeEcho.subject, body: Array(Self.body.utf8))
        async let second = bus.request(SpikeEcho.subject, body: Array(Self.body.utf8))
        var answer = ByteBuffer(bytes: try await first.body)
        answer.writeBytes(try await second.body)
        return answer
    }

    private static let body = #"{"productIdentifier":"com.example.monthly","price":"4.99","locale":"en_US"}"#
}
