import Broker
import EventLoop
import Logging

/// The real broker on any free port.
enum SpikeBroker {
    static func run(loop: UVLoop, logger: Logger) async throws {
        let server = BrokerServer(
            configuration: BrokerConfiguration(host: "127.0.0.1", port: 0, version: "spike"), loop: loop, logger: logger
        )
        LoopSpike.report(port: try await server.start().port)
        try await loop.sleep(for: .seconds(3600))
    }
}
