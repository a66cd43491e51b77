import Glibc

/// Loads a broker that speaks SBP/1 or NATS. It uses bare sockets on one thread, so that only the server differs.
///
///     BusLoad flow          WIRE PORT PID BODY SUBSCRIBERS SECONDS
///     BusLoad requests      WIRE PORT PID BODY CALLERS SECONDS
///     BusLoad connections   WIRE PORT PID COUNT
///     BusLoad subscriptions WIRE PORT PID COUNT
///
/// WIRE is `sbp`, `nats`, or one of them with `+tls`. PID is the server's process, whose CPU time and memory are read. Each prints one JSON line, or fails when a message
/// was lost or refused. `make bench-bus` runs it beside nats-server.
@main struct BusLoad {
    /// What is published to: 64 subjects of equal length, as a store has them.
    static let subjects = (10..<74).map { "sb.catalog.v1.item\($0).changed" }

    static func main() {
        do throws(LoadError) {
            print(try run(Array(CommandLine.arguments.dropFirst())))
        } catch {
            _ = "error: \(error)\n".withCString { write(2, $0, strlen($0)) }
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws(LoadError) -> String {
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        let words = (arguments.dropFirst().first ?? "").split(separator: "+")
        guard arguments.count >= 5, let wire = words.first.flatMap({ Wire(rawValue: String($0)) }),
            numbers.count == arguments.count - 2
        else {
            throw usage
        }
        if words.count > 1 { BenchConnection.tls = try LinkTLS.context() }
        let (port, server) = (numbers[0], ServerProcess(pid: numbers[1]))
        let memory = Memory(wire: wire, port: port, server: server)
        switch (arguments[0], numbers.count) {
        case ("connections", 3): return try memory.connections(numbers[2])
        case ("subscriptions", 3): return try memory.subscriptions(numbers[2])
        case ("flow", 5):
            return try Flow(wire, port: port, server: server, bodyBytes: numbers[2], fanOut: numbers[3])
                .run(seconds: Double(numbers[4]))
        case ("requests", 5) where (1...250).contains(numbers[3]) && numbers[2] > 0:
            return try Requests(wire, port: port, server: server, bodyBytes: numbers[2], callers: numbers[3])
                .run(seconds: Double(numbers[4]))
        default: throw usage
        }
    }

    private static let usage = LoadError(
        "usage: BusLoad flow|requests sbp[+tls]|nats[+tls] PORT PID BODY COUNT SECONDS "
            + "| BusLoad connections|subscriptions sbp[+tls]|nats[+tls] PORT PID COUNT")
}
