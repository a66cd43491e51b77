import BusClient
import EventLoop
import Logging

/// A service on the bus that answers with what it was sent.
enum SpikeEcho {
    static let subject = "sb.spike.v1.echo.get"

    static func client(_ name: String, busPort: Int, loop: UVLoop, logger: Logger) async throws -> SBPClient {
        let bus = SBPClient(
            configuration: .init(url: BusURL(port: busPort), name: name), loop: loop, logger: logger)
        bus.start()
        for await state in bus.states where state == .connected { break }
        return bus
    }

    static func run(busPort: Int, loop: UVLoop, logger: Logger) async throws {
        let bus = try await client("spike-echo", busPort: busPort, loop: loop, logger: logger)
        _ = try await bus.subscribe(subject, queue: "q") { message in
            do {
                try bus.respond(to: message, body: message.body)
            } catch {
                logger.error("no answer: \(error)")
            }
        }
        LoopSpike.report(port: busPort)
        try await loop.sleep(for: .seconds(3600))
    }
}
