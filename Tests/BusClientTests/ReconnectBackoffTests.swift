import StorebusTesting
import Testing

@testable import BusClient

@Suite struct ReconnectBackoffTests {
    @Test func `the first attempt is free, then the bound doubles from 100 ms to 1 s`() {
        var backoff = ReconnectBackoff(random: SplitMix64.seeded())
        #expect(backoff.next() == .zero)
        let bounds: [Duration] = [
            .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .seconds(1), .seconds(1),
        ]
        for bound in bounds {
            #expect(backoff.bound(backoff.attempts) == bound)
            #expect(backoff.next() <= bound)
        }
    }

    @Test func `the jitter is full: waits spread over the whole range`() {
        let waits = (0..<200).map { seed in
            var backoff = ReconnectBackoff(random: SplitMix64(seed: UInt64(seed)))
            for _ in 0..<10 { _ = backoff.next() }
            return backoff.next()
        }
        #expect(waits.contains { $0 < .milliseconds(200) })
        #expect(waits.contains { $0 > .milliseconds(800) })
    }

    @Test func `one seed gives one sequence, and a reset starts over`() {
        var first = ReconnectBackoff(random: SplitMix64(seed: 3))
        var second = ReconnectBackoff(random: SplitMix64(seed: 3))
        for _ in 0..<10 { #expect(first.next() == second.next()) }
        first.reset()
        #expect(first.next() == .zero)
    }
}
