import ArgumentParser
import BusClient
import StoreModels

extension BusCommand {
    /// `storebus bus bench`
    struct Bench: BusJoinCommand, TerminalCommand {
        static let configuration = CommandConfiguration(
            "bench", "Measure requests and answers between two connections of this command.",
            """
            storebus bus bench
            storebus bus bench --count 50000 --size 1024 --concurrency 128

            Measures this machine at this moment. To compare with nats-server use 'make bench-bus'.
            """)

        @Option("Requests in all.", "number") var count = 10_000
        @Option("Bytes of each body.", "bytes") var size = 128
        @Option("Requests under way at the same time.", "number") var concurrency = 64
        @OptionGroup var bus: BusJoinOptions
        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard (1...10_000_000).contains(count) else { throw ValidationError("--count is 1 to 10000000") }
            guard (0...1_000_000).contains(size) else { throw ValidationError("--size is 0 to 1000000") }
            guard (1...10_000).contains(concurrency) else { throw ValidationError("--concurrency is 1 to 10000") }
        }

        func run() async throws {
            let bench = BusBenchRun(count: count, size: size, concurrency: concurrency, timeout: replyTimeout)
            // Both ends have a connection of their own; a request within one connection would skip the broker.
            try await join { answers, context throws(CLIError) in
                let result = try await join { asks, _ throws(CLIError) in
                    try await context.progress.during("\(count) requests") { () throws(CLIError) in
                        try await bench.run(asks: asks, answers: answers)
                    }
                }
                context.print(result.report(bench))
            }
        }
    }
}

/// Measurements of requests and their responses.
struct BusBenchRun: Sendable {
    let count: Int
    let size: Int
    let concurrency: Int
    let timeout: Duration

    struct Result: Sendable {
        /// Round-trip times of the answered requests, the shortest first.
        var times: [Duration]
        var failed: Int
        var whole: Duration
    }

    func run(asks: any BusClient, answers: any BusClient) async throws(CLIError) -> Result {
        let subject = "bench.\(UInt64.random(in: 0 ... .max))"
        let echo = try await callingBus { () throws(BusError) in
            try await answers.subscribe(subject, queue: "q") { message in
                try? answers.respond(to: message, body: message.body)
            }
        }
        let began = ContinuousClock.now
        let lanes = min(concurrency, count)
        let times = await withTaskGroup(of: [Duration].self) { group in
            for lane in 0..<lanes {
                let share = count / lanes + (lane < count % lanes ? 1 : 0)
                group.addTask { await lap(asks, subject, share) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        let whole = ContinuousClock.now - began
        await echo.unsubscribe()
        return Result(times: times.sorted(), failed: count - times.count, whole: whole)
    }

    /// Sends requests one after the other.
    private func lap(_ bus: any BusClient, _ subject: String, _ share: Int) async -> [Duration] {
        let body = [UInt8](repeating: 0x78, count: size)
        var times: [Duration] = []
        times.reserveCapacity(share)
        for _ in 0..<share {
            let began = ContinuousClock.now
            if (try? await bus.request(subject, body: body, timeout: timeout)) != nil {
                times.append(ContinuousClock.now - began)
            }
        }
        return times
    }
}

extension BusBenchRun.Result {
    func report(_ run: BusBenchRun) -> CommandResult {
        let rate = BusFormat.rate(times.count, in: whole)
        let points = [("p50Ms", 50), ("p99Ms", 99), ("maxMs", 100)].map { ($0, BusFormat.milliseconds(percentile($1))) }
        var fields: FieldList = [
            "requests": "\(run.count)", "failed": "\(failed)", "sizeBytes": "\(run.size)",
            "concurrency": "\(run.concurrency)", "requestsPerSecond": rate,
        ]
        var members: [String: JSONValue] = [
            "requests": .integer(run.count), "failed": .integer(failed), "sizeBytes": .integer(run.size),
            "concurrency": .integer(run.concurrency), "requestsPerSecond": .number(rate),
        ]
        for (name, value) in points {
            fields.add(name, value)
            members[name] = .number(value)
        }
        return CommandResult(fields, data: .object(members))
    }

    private func percentile(_ percent: Int) -> Duration {
        guard !times.isEmpty else { return .zero }
        return times[min(times.count - 1, max(0, (times.count * percent + 99) / 100 - 1))]
    }
}
