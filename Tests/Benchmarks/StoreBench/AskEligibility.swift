import EventLoop
import StoreModels

/// Asks for eligibility as fast as replies come, with several callers on one connection.
struct AskEligibility: Sendable {
    let store: StoreClient
    let customer: String
    /// nil: all of the app's subscriptions.
    let products: [String]?

    /// - Returns: `{"requests":…,"rps":…,"p50us":…,"p99us":…,"answers":…}`, the last one of a single reply.
    func run(callers: Int, duration: Duration) async throws -> String {
        let clock = ContinuousClock()
        let answers = try await ask()
        let start = clock.now
        let latencies = try await withThrowingTaskGroup(of: [Duration].self) { group in
            for _ in 0..<callers {
                group.addTask(executorPreference: store.loop) { try await ask(until: start + duration) }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted()
        }
        let seconds = start.duration(to: clock.now) / .seconds(1)
        func microseconds(_ share: Double) -> Double {
            latencies[Int(share * Double(latencies.count - 1))] / .microseconds(1)
        }
        return "{\"requests\":\(latencies.count),\"rps\":\(Double(latencies.count) / seconds),"
            + "\"p50us\":\(microseconds(0.5)),\"p99us\":\(microseconds(0.99)),\"answers\":\(answers)}"
    }

    private func ask(until end: ContinuousClock.Instant) async throws -> [Duration] {
        var latencies: [Duration] = []
        var before = ContinuousClock.now
        while before < end {
            _ = try await ask()
            let after = ContinuousClock.now
            latencies.append(before.duration(to: after))
            before = after
        }
        return latencies
    }

    /// - Returns: how many subscriptions the answer is about.
    /// - Throws: ``Unanswered`` for an answer that knows nothing: it would be a fast one.
    private func ask() async throws -> Int {
        let reply = try await store.eligibility(
            EligibilityRequest(
                bundleId: store.bundleId, customerIdentifier: customer, storefront: "USA", productIdentifiers: products)
        )
        guard !reply.eligibility.isEmpty, reply.degraded.isEmpty,
            reply.eligibility.allSatisfy({ $0.eligibility != .unknown })
        else { throw Unanswered() }
        return reply.eligibility.count
    }
}

/// An answer of the store's that tells nothing.
struct Unanswered: Error, CustomStringConvertible {
    var description: String { "an answer about eligibility was empty, or said 'unknown'" }
}
