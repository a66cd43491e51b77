import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(1))) struct UVLoopSleepTests {
    @Test func `sleep lasts at least its duration`() async throws {
        let loop = try UVLoop.start(name: "sleep")
        let start = ContinuousClock.now
        try await loop.sleep(for: .milliseconds(15))
        #expect(ContinuousClock.now - start >= .milliseconds(15))
        await loop.close()
    }

    @Test func `a cancelled sleep ends at once`() async throws {
        let loop = try UVLoop.start(name: "cancel")
        let task = Task { try await loop.sleep(for: .seconds(3600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await loop.close()
    }

    @Test func `sleepers wake when the loop closes`() async throws {
        let loop = try UVLoop.start(name: "sleepers")
        let tasks = (0..<10).map { _ in Task { try await loop.sleep(for: .seconds(3600)) } }
        await loop.close()
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test func `uptime goes forward on and off the loop`() async throws {
        let loop = try UVLoop.start(name: "uptime")
        let before = loop.uptime()
        try await loop.sleep(for: .milliseconds(5))
        let inside = await LoopActor(loop).run { $0.loop.uptime() }
        // Inside it is cut off at whole milliseconds.
        #expect(inside > before)
        #expect(loop.uptime() >= inside)
        await loop.close()
    }
}
