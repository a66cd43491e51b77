import Glibc
import Synchronization
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(1))) struct UVLoopCloseTests {
    @Test func `writing to a closed pipe is an error once broken pipes are ignored`() {
        ignoreBrokenPipe()
        var ends: [CInt] = [-1, -1]
        #expect(pipe(&ends) == 0)
        Glibc.close(ends[0])
        var byte: UInt8 = 1
        #expect(Glibc.write(ends[1], &byte, 1) == -1)
        #expect(errno == EPIPE)
        Glibc.close(ends[1])
    }

    @Test func `closing twice, also at once, returns both times`() async throws {
        let loop = try UVLoop.start(name: "twice")
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { await loop.close() } }
        }
        await loop.close()
    }

    @Test func `a loop that never ran closes`() async throws {
        let loop = try UVLoop(name: "never")
        await loop.close()
        loop.run()  // Nothing left to run: returns at once.
    }

    @Test func `a loop that never ran can be dropped`() throws {
        _ = try UVLoop(name: "dropped")
    }

    @Test func `closing ends the handles left open and notifies their owners`() async throws {
        let ends = Events<UVError?>()
        let loop = try UVLoop.start(name: "handles")
        try await LoopActor(loop).run { on in
            let pair = try await StreamPair.make(on: on)
            pair.client.onClose = { ends.add($0) }
            pair.server.onClose = { ends.add($0) }
            pair.server.startReading()
            LoopTimer(loop: on.loop).start(after: .seconds(3600)) { Issue.record("fired") }
        }
        await loop.close()
        for _ in 0..<2 {
            let error = try await ends.next()
            #expect(error?.code == UVError.cancelled)
        }
    }

    @Test func `an actor finishes its work after its loop has closed`() async throws {
        let loop = try UVLoop.start(name: "late")
        let counter = PinnedCounter(loop)
        #expect(await counter.increment() == 1)
        await loop.close()
        // PinnedCounter checks the isolation itself.
        for expected in 2...100 { #expect(await counter.increment() == expected) }
    }

    @Test func `an actor may close its own loop and goes on`() async throws {
        let loop = try UVLoop.start(name: "own")
        let stillIsolated = await LoopActor(loop).run { on in
            await on.loop.close()
            return on.loop.isCurrent
        }
        #expect(stillIsolated)
    }

    @Test func `late jobs run one at a time, and none is lost across the end`() async throws {
        let loop = try UVLoop.start(name: "across")
        final class Counter: @unchecked Sendable { var value = 0 }
        // Plain memory: ThreadSanitizer would see two jobs at once.
        let counter = Counter()
        let (tasks, perTask) = (4, 2500)
        await withTaskGroup { group in
            for _ in 0..<tasks {
                group.addTask { for _ in 0..<perTask { loop.execute { counter.value += 1 } } }
            }
            group.addTask { await loop.close() }
        }
        let total = await LoopActor(loop).run { _ in counter.value }
        #expect(total == tasks * perTask)
    }

    @Test func `a closed loop refuses handles and sleep`() async throws {
        let loop = try UVLoop.start(name: "refuses")
        await loop.close()
        await LoopActor(loop).run { on in
            #expect(throws: UVError.self) { try TCPListener.bind(loop: on.loop, host: "127.0.0.1", port: 0) }
            let timer = LoopTimer(loop: on.loop)
            timer.start(after: .zero) { Issue.record("fired") }
            #expect(timer.isClosed)
            await #expect(throws: UVError.self) {
                _ = try await TCPStream.connect(loop: on.loop, host: "127.0.0.1", port: 1, timeout: .seconds(1))
            }
        }
        await #expect(throws: CancellationError.self) { try await loop.sleep(for: .seconds(3600)) }
    }

    @Test func `the thread that calls run is the loop until it closes`() async throws {
        let loop = try UVLoop(name: "mine")
        let wasCurrent = Atomic(false)
        loop.execute {
            wasCurrent.store(loop.isCurrent, ordering: .relaxed)
            // No task awaits it: run() returning is the sign.
            Task { await loop.close() }
        }
        loop.run()
        let onLoop = wasCurrent.load(ordering: .relaxed)
        #expect(onLoop)
        #expect(!loop.isCurrent)
    }
}
