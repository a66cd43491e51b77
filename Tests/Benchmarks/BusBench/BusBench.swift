import BusClient
import EventLoop
import FoundationEssentials
import Logging

/// Two clients of a running broker, to measure what a request over the bus costs.
///
///     BusBench echo <bus port> <token file>                          answers; prints a line when it does
///     BusBench ask  <bus port> <token file> <callers> <seconds>      prints one JSON line
///
/// `make bench` runs it beside the same pair of another bus.
@main struct BusBench {
    static let subject = "sb.bench.v1.echo.get"

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 3, let port = Int(arguments[1]) else { throw BusBenchUsage() }
        let loop = try UVLoop.start(name: "bench")
        let bus = try await connect(port: port, tokenFile: arguments[2], name: arguments[0], loop: loop)
        switch (arguments[0], arguments.count) {
        case ("echo", 3):
            try await Echo(bus: bus, loop: loop).run()
        case ("ask", 5):
            guard let callers = Int(arguments[3]), let seconds = Int(arguments[4]), callers > 0 else {
                throw BusBenchUsage()
            }
            print(try await Ask(bus: bus, loop: loop).run(callers: callers, duration: .seconds(seconds)))
        default: throw BusBenchUsage()
        }
        await bus.close()
        await loop.close()
    }

    private static func connect(
        port: Int, tokenFile: String, name: String, loop: UVLoop
    ) async throws -> SBPClient {
        let token = try String(contentsOfFile: tokenFile, encoding: .utf8).filter { !$0.isWhitespace }
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        let bus = SBPClient(
            configuration: .init(url: BusURL(port: port, token: token), name: "bench-\(name)"), loop: loop,
            logger: logger)
        bus.start()
        try await bus.waitUntilConnected(timeout: .seconds(5))
        return bus
    }
}

/// What the command line must look like.
struct BusBenchUsage: Error, CustomStringConvertible {
    var description: String { "usage: BusBench echo PORT TOKENFILE | BusBench ask PORT TOKENFILE CALLERS SECONDS" }
}
