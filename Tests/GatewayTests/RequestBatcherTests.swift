import StorebusTesting
import Testing

@testable import AppAPI

/// Goal: questions that leave together leave after they were asked, none is lost or sent twice, and a lost answer keeps
/// no caller back.
@Suite struct RequestBatcherTests {
    private let start = ContinuousClock.now
    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `two leave alone, the others leave together when one is back`() {
        var batcher = RequestBatcher<Int>(batchMax: 32)
        let first = batcher.beginAlone(at: at(0))
        #expect(first != nil)
        #expect(batcher.beginAlone(at: at(1)) != nil)
        #expect(batcher.beginAlone(at: at(2)) == nil)
        for question in 3...5 { #expect(leaving(batcher.enqueue(question, at: at(2))) == nil) }
        #expect(batcher.end(first ?? 0, at: at(3))?.questions == [3, 4, 5])
        #expect(batcher.beginAlone(at: at(4)) == nil)
    }

    @Test func `no caller overtakes those who wait, and a batch has its bound`() {
        var batcher = RequestBatcher<Int>(batchMax: 2)
        let batches = [batcher.beginAlone(at: at(0)), batcher.beginAlone(at: at(0))].compactMap(\.self)
        for question in 1...3 { _ = batcher.enqueue(question, at: at(1)) }
        let next = batcher.end(batches[0], at: at(2))
        #expect(next?.questions == [1, 2])
        #expect(batcher.beginAlone(at: at(2)) == nil)
        #expect(batcher.end(batches[1], at: at(3)) == nil)
        #expect(batcher.end(next?.number ?? 0, at: at(4))?.questions == [3])
    }

    @Test func `one batch is in flight at a time, and takes what arrives before it leaves`() throws {
        var batcher = RequestBatcher<Int>(batchMax: 4)
        let alone = [batcher.beginAlone(at: at(0)), batcher.beginAlone(at: at(0))].compactMap(\.self)
        for question in 1...2 { _ = batcher.enqueue(question, at: at(1)) }
        let next = batcher.end(alone[0], at: at(2))
        let batch = try #require(next)
        for question in 3...5 { #expect(leaving(batcher.enqueue(question, at: at(2))) == nil) }
        let full = batcher.fill(batch)
        #expect(full.questions == [1, 2, 3, 4] && full.number == batch.number)
        #expect(batcher.end(alone[1], at: at(3)) == nil)
        #expect(batcher.end(full.number, at: at(4))?.questions == [5])
    }

    @Test func `a question that waited alone leaves beside another that did`() throws {
        var batcher = RequestBatcher<Int>(batchMax: 4)
        let alone = [batcher.beginAlone(at: at(0)), batcher.beginAlone(at: at(0))].compactMap(\.self)
        _ = batcher.enqueue(1, at: at(1))
        let next = batcher.end(alone[0], at: at(2))
        let single = try #require(next)
        #expect(batcher.end(alone[1], at: at(2)) == nil)
        #expect(batcher.beginAlone(at: at(2)) != nil)
        _ = batcher.enqueue(2, at: at(3))
        #expect(batcher.fill(single).questions == [1, 2])
    }

    @Test func `a batch that takes long keeps no caller back`() {
        var batcher = RequestBatcher<Int>(batchMax: 32)
        _ = (batcher.beginAlone(at: at(0)), batcher.beginAlone(at: at(0)))
        #expect(leaving(batcher.enqueue(1, at: at(24))) == nil)
        #expect(leaving(batcher.enqueue(2, at: at(25))) == [1, 2])
    }

    @Test func `a caller without an answer leaves when it is late, also when no other caller asks`() {
        var batcher = RequestBatcher<Int>(batchMax: 2)
        _ = (batcher.beginAlone(at: at(0)), batcher.beginAlone(at: at(1)))
        #expect(isFirst(batcher.enqueue(1, at: at(5))) == true)
        for question in 2...3 { #expect(isFirst(batcher.enqueue(question, at: at(5))) == false) }
        let early = batcher.flushIfLate(at: at(24))
        #expect(early.batch == nil && early.keepsWatching)
        let late = batcher.flushIfLate(at: at(30))
        #expect(late.batch?.questions == [1, 2] && late.keepsWatching)
        let second = batcher.flushIfLate(at: at(54))
        #expect(second.batch == nil && second.keepsWatching)
        let last = batcher.flushIfLate(at: at(55))
        #expect(last.batch?.questions == [3] && !last.keepsWatching)
    }

    /// Whether the question waits as the first, which has to be watched; nil when it does not wait.
    private func isFirst(_ result: RequestBatcher<Int>.EnqueueResult) -> Bool? {
        if case .waits(let watching) = result { watching } else { nil }
    }

    @Test func `what waits is bounded`() {
        var batcher = RequestBatcher<Int>(batchMax: 32)
        _ = (batcher.beginAlone(at: at(0)), batcher.beginAlone(at: at(0)))
        for question in 0..<RequestBatcher<Int>.waitingMax { _ = batcher.enqueue(question, at: at(0)) }
        guard case .refused = batcher.enqueue(-1, at: at(0)) else {
            Issue.record("one more was taken")
            return
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `in any order of arrivals and answers each question leaves once, in order`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var batcher = RequestBatcher<Int>(batchMax: 4)
        var inFlight: [Int] = []
        var left: [Int] = []
        var asked = 0
        func leave(_ batch: RequestBatcher<Int>.Batch?) {
            guard let batch = batch.map({ batcher.fill($0) }) else { return }
            inFlight.append(batch.number)
            left += batch.questions
        }
        for step in 0..<2_000 {
            let now = start + .microseconds(step * 300)
            if Bool.random(using: &random) {
                asked += 1
                if let number = batcher.beginAlone(at: now) {
                    inFlight.append(number)
                    left.append(asked)
                } else if case .sends(let batch) = batcher.enqueue(asked, at: now) {
                    leave(batch)
                }
            } else if !inFlight.isEmpty {
                leave(batcher.end(inFlight.remove(at: Int.random(in: 0..<inFlight.count, using: &random)), at: now))
            }
        }
        while !inFlight.isEmpty { leave(batcher.end(inFlight.removeFirst(), at: at(10_000))) }
        #expect(left == Array(1...asked), "seed \(seed)")
        #expect(batcher.isIdle, "seed \(seed)")
    }

    private func leaving(_ result: RequestBatcher<Int>.EnqueueResult) -> [Int]? {
        if case .sends(let batch) = result { batch.questions } else { nil }
    }
}
