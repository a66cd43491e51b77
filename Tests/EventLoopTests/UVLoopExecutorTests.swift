import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(1))) struct UVLoopExecutorTests {
    @Test func `an actor pinned to the loop runs on its thread`() async throws {
        let loop = try UVLoop.start(name: "pinned")
        let counter = PinnedCounter(loop)
        #expect(await counter.increment() == 1)
        #expect(await counter.isOnLoop)
        #expect(!loop.isCurrent)
        await loop.close()
    }

    @Test func `a thousand hops to the loop and back arrive in order`() async throws {
        let loop = try UVLoop.start(name: "hops")
        let counter = PinnedCounter(loop)
        for expected in 1...1000 { #expect(await counter.increment() == expected) }
        await loop.close()
    }

    @Test func `two actors on one loop call each other without a wake-up`() async throws {
        let loop = try UVLoop.start(name: "pair")
        let other = PinnedCounter(loop)
        let wakeUps = await LoopActor(loop).run { on in
            let before = on.loop.wakeUpCount
            for _ in 0..<100 { _ = await other.increment() }
            return on.loop.wakeUpCount - before
        }
        #expect(wakeUps == 0)
        await loop.close()
    }

    @Test func `nonisolated work with the loop as preferred executor runs on it without hops`() async throws {
        let loop = try UVLoop.start(name: "preference")
        let counter = PinnedCounter(loop)
        let (before, after) = await withTaskExecutorPreference(loop) {
            await Self.concurrentWork(counter, loop)
        }
        #expect(before == after)
        await loop.close()
    }

    @concurrent private static func concurrentWork(_ counter: PinnedCounter, _ loop: UVLoop) async -> (Int, Int) {
        #expect(loop.isCurrent)
        let before = loop.wakeUpCount
        for _ in 0..<10 { _ = await counter.increment() }
        await withTaskGroup { group in
            for _ in 0..<2 { group.addTask { _ = await counter.increment() } }
        }
        return (before, loop.wakeUpCount)
    }

    @Test func `a task goes on after a call that returns, before what was enqueued meanwhile`() async throws {
        let loop = try UVLoop.start(name: "order")
        let order = await withTaskExecutorPreference(loop) { await Self.order(on: loop) }
        #expect(order == ["task", "work"])
        await loop.close()
    }

    @concurrent private static func order(on loop: UVLoop) async -> [String] {
        let order = Locked<[String]>([])
        loop.execute { order.withLock { $0.append("work") } }
        await callNothing()
        order.withLock { $0.append("task") }
        await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
        return order.withLock { $0 }
    }

    @concurrent private static func callNothing() async {}

    @Test func `continuations and streams of a task that prefers the loop resume without a wake-up`() async throws {
        let loop = try UVLoop.start(name: "resume")
        let waiter = PinnedWaiter(loop)
        let wakeUps = await Task(executorPreference: loop) { await waiter.wakeUpsOfAwaiting() }.value
        #expect(wakeUps == 0)
        await loop.close()
    }

    @Test func `a task can prefer the loop from the start`() async throws {
        let loop = try UVLoop.start(name: "task")
        let onLoop = await Task(executorPreference: loop) { loop.isCurrent }.value
        #expect(onLoop)
        await loop.close()
    }

    @Test func `isolation is known on the loop, also in plain callbacks`() async throws {
        let loop = try UVLoop.start(name: "isolation")
        let counter = PinnedCounter(loop)
        #expect(loop.isolation.isIsolatingCurrentContext() == false)
        let value = await withCheckedContinuation { continuation in
            loop.execute {
                continuation.resume(returning: counter.assumeIsolated { $0.value })
            }
        }
        #expect(value == 0)
        await loop.close()
    }

    @Test func `assuming isolation off the loop stops the process`() async throws {
        await #expect(processExitsWith: .failure) {
            let loop = try UVLoop.start(name: "wrong")
            assume(PinnedCounter(loop))
        }
    }

    @Test func `using a handle off the loop stops the process`() async throws {
        await #expect(processExitsWith: .failure) {
            let loop = try UVLoop.start(name: "wrong")
            _ = LoopTimer(loop: loop)
        }
    }
}

/// Synchronous, since `assumeIsolated` is meant for such code only.
private func assume(_ counter: PinnedCounter) {
    counter.assumeIsolated { _ in }
}

/// The smallest actor on a loop.
actor PinnedCounter {
    private let loop: UVLoop
    private(set) var value = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ loop: UVLoop) { self.loop = loop }

    var isOnLoop: Bool { loop.isCurrent }

    func increment() -> Int {
        loop.preconditionIsolated()
        value += 1
        return value
    }
}

/// Awaits what the same loop resumes.
actor PinnedWaiter {
    private let loop: UVLoop

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ loop: UVLoop) { self.loop = loop }

    func wakeUpsOfAwaiting() async -> Int {
        let before = loop.wakeUpCount
        let (stream, feed) = AsyncStream.makeStream(of: Int.self)
        var iterator = stream.makeAsyncIterator()
        for number in 0..<10 {
            await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
            loop.execute { feed.yield(number) }
            _ = await iterator.next(isolation: self)
        }
        return loop.wakeUpCount - before
    }
}
