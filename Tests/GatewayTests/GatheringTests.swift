import StorebusTesting
import Testing

@testable import Gateway

/// Goal: questions that leave together leave after they were asked, none is lost or sent twice, and a lost answer keeps
/// no caller back.
@Suite struct GatheringTests {
    private let start = ContinuousClock.now
    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `two leave alone, the others leave together when one is back`() {
        var gathering = Gathering<Int>(flightMax: 32)
        let first = gathering.leaveAlone(at: at(0))
        #expect(first != nil)
        #expect(gathering.leaveAlone(at: at(1)) != nil)
        #expect(gathering.leaveAlone(at: at(2)) == nil)
        for question in 3...5 { #expect(leaving(gathering.arrive(question, at: at(2))) == nil) }
        #expect(gathering.end(first ?? 0, at: at(3))?.questions == [3, 4, 5])
        #expect(gathering.leaveAlone(at: at(4)) == nil)
    }

    @Test func `no caller overtakes those who wait, and a flight has its bound`() {
        var gathering = Gathering<Int>(flightMax: 2)
        let flights = [gathering.leaveAlone(at: at(0)), gathering.leaveAlone(at: at(0))].compactMap(\.self)
        for question in 1...3 { _ = gathering.arrive(question, at: at(1)) }
        let next = gathering.end(flights[0], at: at(2))
        #expect(next?.questions == [1, 2])
        #expect(gathering.leaveAlone(at: at(2)) == nil)
        #expect(gathering.end(flights[1], at: at(3))?.questions == [3])
    }

    @Test func `a flight that takes long keeps no caller back`() {
        var gathering = Gathering<Int>(flightMax: 32)
        _ = (gathering.leaveAlone(at: at(0)), gathering.leaveAlone(at: at(0)))
        #expect(leaving(gathering.arrive(1, at: at(24))) == nil)
        #expect(leaving(gathering.arrive(2, at: at(25))) == [1, 2])
    }

    @Test func `a caller without an answer leaves when it is late, also when no other caller asks`() {
        var gathering = Gathering<Int>(flightMax: 2)
        _ = (gathering.leaveAlone(at: at(0)), gathering.leaveAlone(at: at(1)))
        #expect(isFirst(gathering.arrive(1, at: at(5))) == true)
        for question in 2...3 { #expect(isFirst(gathering.arrive(question, at: at(5))) == false) }
        let early = gathering.look(at: at(24))
        #expect(early.flight == nil && early.goesOn)
        let late = gathering.look(at: at(30))
        #expect(late.flight?.questions == [1, 2] && late.goesOn)
        let last = gathering.look(at: at(31))
        #expect(last.flight?.questions == [3] && !last.goesOn)
        // Two are under way that are not late.
        #expect(isFirst(gathering.arrive(4, at: at(32))) == true)
    }

    /// Whether the arrival waits as the first, which has to be watched; nil when it does not wait.
    private func isFirst(_ arrival: Gathering<Int>.Arrival) -> Bool? {
        if case .waits(let watching) = arrival { watching } else { nil }
    }

    @Test func `what waits is bounded`() {
        var gathering = Gathering<Int>(flightMax: 32)
        _ = (gathering.leaveAlone(at: at(0)), gathering.leaveAlone(at: at(0)))
        for question in 0..<Gathering<Int>.waitingMax { _ = gathering.arrive(question, at: at(0)) }
        guard case .refused = gathering.arrive(-1, at: at(0)) else {
            Issue.record("one more was taken")
            return
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `in any order of arrivals and answers each question leaves once, in order`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var gathering = Gathering<Int>(flightMax: 4)
        var underWay: [Int] = []
        var left: [Int] = []
        var asked = 0
        func leave(_ flight: Gathering<Int>.Flight?) {
            guard let flight else { return }
            underWay.append(flight.number)
            left += flight.questions
        }
        for step in 0..<2_000 {
            let now = start + .microseconds(step * 300)
            if Bool.random(using: &random) {
                asked += 1
                if let number = gathering.leaveAlone(at: now) {
                    underWay.append(number)
                    left.append(asked)
                } else if case .leaves(let flight) = gathering.arrive(asked, at: now) {
                    leave(flight)
                }
            } else if !underWay.isEmpty {
                leave(gathering.end(underWay.remove(at: Int.random(in: 0..<underWay.count, using: &random)), at: now))
            }
        }
        while !underWay.isEmpty { leave(gathering.end(underWay.removeFirst(), at: at(10_000))) }
        #expect(left == Array(1...asked), "seed \(seed)")
        #expect(gathering.isIdle, "seed \(seed)")
    }

    private func leaving(_ arrival: Gathering<Int>.Arrival) -> [Int]? {
        if case .leaves(let flight) = arrival { flight.questions } else { nil }
    }
}
