import BusClient
import EventLoop

/// Asks as fast as answers come, with a number of callers on one connection.
struct Ask {
    static let bodyByteCount = 128

    let bus: SBPClient
    let loop: UVLoop

    /// - Returns: `{"requests":…,"rps":…,"p50us":…,"p99us":…}`
    func run(callers: Int, duration: Duration) async throws -> String {
        let clock = ContinuousClock()
        let start = clock.now
        let latencies = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<callers {
                group.addTask(executorPreference: loop) { try await ask(until: start + duration) }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
        let seconds = Double((clock.now - start).nanoseconds) / 1e9
        func microseconds(_ share: Double) -> Double {
            Double(latencies[Int(share * Double(latencies.count - 1))]) / 1000
        }
        return "{\"requests\":\(latencies.count),\"rps\":\(Double(latencies.count) / seconds),"
            + "\"p50us\":\(microseconds(0.5)),\"p99us\":\(microseconds(0.99))}"
    }

    private func ask(until end: ContinuousClock.Instant) async throws -> [Int64] {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: Self.bodyByteCount)
        var latencies: [Int64] = []
        var before = ContinuousClock.now
        while before < end {
            _ = try await bus.request(BusBench.subject, body: body)
            let after = ContinuousClock.now
            latencies.append((after - before).nanoseconds)
            before = after
        }
        return latencies
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
