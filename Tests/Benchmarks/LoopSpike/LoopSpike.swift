import EventLoop
import Logging

/// The spike of the event loops: what an HTTP request costs that makes two requests on the bus, depending on where its
/// handler runs. `make spike` builds it and measures; `docs/adr/0002-two-loops-in-the-gateway.md` has the figures.
///
///     LoopSpike broker                      prints its port
///     LoopSpike echo <bus port>             answers on the bus
///     LoopSpike http <bus port> <placement> prints its HTTP port
@main struct LoopSpike {
    static func main() async throws {
        let loop = try UVLoop.start(name: "spike")
        var logger = Logger(label: "spike")
        logger.logLevel = .warning
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "broker":
            try await SpikeBroker.run(loop: loop, logger: logger)
        case "echo":
            try await SpikeEcho.run(busPort: try number(arguments.dropFirst().first), loop: loop, logger: logger)
        case "http":
            guard let placement = arguments.last.flatMap(Placement.init(rawValue:)) else { throw LoopSpikeUsage() }
            let port = try number(arguments.dropFirst().first)
            try await SpikeHTTP(placement: placement, loop: loop, logger: logger).run(busPort: port)
        default:
            throw LoopSpikeUsage()
        }
    }

    private static func number(_ text: String?) throws -> Int {
        guard let text, let number = Int(text) else { throw LoopSpikeUsage() }
        return number
    }

    /// Tells the measuring script where this process can be reached.
    static func report(port: Int) {
        print(port)
        // Standard output is a file there, so nothing would be seen before the end.
        flushStandardOutput()
    }
}

/// What the command line must look like.
struct LoopSpikeUsage: Error, CustomStringConvertible {
    var description: String {
        let placements = Placement.allCases.map(\.rawValue).joined(separator: "|")
        return "usage: LoopSpike broker | echo <bus port> | http <bus port> \(placements)"
    }
}
