import StorebusTesting
import Testing

@testable import BusClient

@Suite struct DeadlineQueueTests {
    @Test func `tokens come out in the order of their deadlines, added in any order`() {
        var random = SplitMix64.seeded()
        var queue = DeadlineQueue()
        let deadlines = (0..<500).map { _ in Int.random(in: 0..<1000, using: &random) }
        for (token, deadline) in deadlines.enumerated() { queue.add(UInt64(token), deadline: .milliseconds(deadline)) }
        var out: [Int] = []
        while let token = queue.popExpired(now: .seconds(10)) { out.append(deadlines[Int(token)]) }
        #expect(out == deadlines.sorted())
    }

    @Test func `nothing comes out before its time`() {
        var queue = DeadlineQueue()
        queue.add(1, deadline: .milliseconds(10))
        queue.add(2, deadline: .milliseconds(5))
        #expect(queue.earliest == .milliseconds(5))
        #expect(queue.popExpired(now: .milliseconds(4)) == nil)
        #expect(queue.popExpired(now: .milliseconds(5)) == 2)
        #expect(queue.popExpired(now: .milliseconds(9)) == nil)
    }

    @Test func `entries of answered requests are dropped once they are the majority`() {
        var queue = DeadlineQueue()
        for token in 0..<1000 { queue.add(UInt64(token), deadline: .seconds(token)) }
        queue.compact(live: 10) { $0 % 100 == 0 }
        #expect(queue.count == 10)
        #expect(queue.popExpired(now: .zero) == 0)
        #expect(queue.earliest == .seconds(100))
    }
}
