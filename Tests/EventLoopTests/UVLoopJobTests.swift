import EventLoop
import Synchronization
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(1))) struct UVLoopJobTests {
    @Test func `jobs of one thread run in the order they were enqueued`() async throws {
        let loop = try UVLoop.start(name: "order")
        let seen = Locked<[Int]>([])
        for number in 0..<1000 { loop.execute { seen.withLock { $0.append(number) } } }
        await loop.close()
        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test func `jobs from the loop's own thread need no wake-up`() async throws {
        try await withLoop { on in
            let loop = on.loop
            // The test itself is a job of the loop, and it is resumed on the loop because it prefers it.
            let (last, wakeUps) = await withTaskExecutorPreference(loop) {
                _ = on
                let before = loop.wakeUpCount
                let last = await withCheckedContinuation { continuation in
                    for number in 0..<1000 {
                        loop.execute { if number == 999 { continuation.resume(returning: number) } }
                    }
                }
                return (last, loop.wakeUpCount - before)
            }
            #expect(last == 999)
            #expect(wakeUps == 0)
        }
    }

    @Test func `a batch from another thread costs one wake-up`() async throws {
        let loop = try UVLoop(name: "batch")
        let count = Atomic<Int>(0)
        for _ in 0..<1000 { loop.execute { count.add(1, ordering: .relaxed) } }
        #expect(loop.wakeUpCount == 1)
        await loop.close()
        #expect(count.load(ordering: .relaxed) == 1000)
    }

    @Test func `four threads enqueue at once and nothing is lost`() async throws {
        let loop = try UVLoop.start(name: "four")
        // Not atomic on purpose: only the loop's serial order makes this right, and ThreadSanitizer watches.
        final class Counter: @unchecked Sendable { var value = 0 }
        let counter = Counter()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<2500 { loop.execute { counter.value += 1 } } }
            }
        }
        await loop.close()
        #expect(counter.value == 10_000)
        #expect(loop.wakeUpCount <= 10_001)
    }

    @Test func `more jobs than a turn takes still leave room for timers`() async throws {
        try await withLoop { on in
            let events = Events<String>()
            let timer = LoopTimer(loop: on.loop)
            // A job that always enqueues itself again until the timer has fired.
            final class Chain: @unchecked Sendable {
                var stop = false
                func link(_ loop: UVLoop) { if !stop { loop.execute { self.link(loop) } } }
            }
            let chain = Chain()
            timer.start(after: .milliseconds(5)) {
                chain.stop = true
                events.add("timer")
            }
            chain.link(on.loop)
            try await events.expect("timer")
            timer.close()
        }
    }

    @Test func `work at the end of a turn runs after all jobs, once`() async throws {
        try await withLoop { on in
            let events = Events<String>()
            let loop = on.loop
            loop.atEndOfTurn {
                events.add("end 1")
                loop.atEndOfTurn { events.add("end 2") }
            }
            loop.execute { events.add("job") }
            try await events.expect("job")
            try await events.expect("end 1")
            try await events.expect("end 2")
        }
    }

    @Test func `a long turn shows in the metrics`() async throws {
        try await withLoop { on in
            let done = Events<Void>()
            let loop = on.loop
            loop.execute {
                let start = ContinuousClock.now
                while ContinuousClock.now - start < .milliseconds(3) {}
                done.add(())
            }
            try await done.next()
            // The turn after the long one.
            let next = LoopTimer(loop: loop)
            next.start(after: .milliseconds(1)) { done.add(()) }
            try await done.next()
            next.close()
            #expect(loop.longestTurnMicroseconds >= 3000)
            #expect(loop.resetLongestTurn() >= 3000)
        }
    }
}
