import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(1))) struct LoopTimerTests {
    @Test func `timers fire in the order of their times, not of their start`() async throws {
        try await withLoop { on in
            let events = Events<Int>()
            let timers = [30, 10, 20].map { delay in
                let timer = LoopTimer(loop: on.loop)
                timer.start(after: .milliseconds(delay)) { events.add(delay) }
                return timer
            }
            for expected in [10, 20, 30] { try await events.expect(expected) }
            for timer in timers { timer.close() }
        }
    }

    @Test func `a timer never fires early, not even after a long turn`() async throws {
        try await withLoop { on in
            let fired = Events<ContinuousClock.Instant>()
            let timer = LoopTimer(loop: on.loop)
            let begin = ContinuousClock.now
            while ContinuousClock.now - begin < .milliseconds(20) {}
            let start = ContinuousClock.now
            timer.start(after: .milliseconds(10)) { fired.add(.now) }
            let end = try await fired.next()
            #expect(end - start >= .milliseconds(10))
            timer.close()
        }
    }

    @Test func `a repeating timer fires until it is stopped, and starts again`() async throws {
        try await withLoop { on in
            let fired = Events<String>()
            let timer = LoopTimer(loop: on.loop)
            timer.start(after: .milliseconds(1), repeating: .milliseconds(1)) { fired.add("tick") }
            for _ in 0..<5 { try await fired.expect("tick") }
            timer.stop()
            #expect(!timer.isActive)
            timer.start(after: .milliseconds(1)) { fired.add("once") }
            while try await fired.next() == "tick" {}
            #expect(!timer.isActive)
            timer.close()
        }
    }

    @Test func `a stopped or closed timer stays silent`() async throws {
        try await withLoop { on in
            let events = Events<String>()
            let (stopped, closed, later) = (
                LoopTimer(loop: on.loop), LoopTimer(loop: on.loop), LoopTimer(loop: on.loop)
            )
            stopped.start(after: .milliseconds(1)) { events.add("stopped") }
            closed.start(after: .milliseconds(1)) { events.add("closed") }
            later.start(after: .milliseconds(20)) { events.add("later") }
            stopped.stop()
            closed.close()
            closed.close()
            closed.start(after: .zero) { events.add("closed") }
            try await events.expect("later")
            later.close()
            stopped.close()
        }
    }

    @Test func `a timer may close itself while it fires`() async throws {
        try await withLoop { on in
            let events = Events<Int>()
            let timer = LoopTimer(loop: on.loop)
            timer.start(after: .zero, repeating: .milliseconds(1)) {
                timer.close()
                events.add(1)
            }
            try await events.expect(1)
        }
    }

    @Test func `an object dropped without close lives until it is closed by the loop`() async throws {
        try await withLoop { on in
            let fired = Events<Void>()
            LoopTimer(loop: on.loop).start(after: .milliseconds(1)) { fired.add(()) }
            try await fired.next()
        }
    }

    @Test(
        arguments: [
            (Duration.zero, 0), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.microseconds(1500), 2),
            (.seconds(2), 2000),
            (.seconds(-5), 0), (.milliseconds(-1), 0),
        ] as [(Duration, UInt64)])
    func `durations are rounded up to milliseconds`(duration: Duration, milliseconds: UInt64) {
        #expect(duration.timerMilliseconds == milliseconds)
    }

    @Test func `a huge duration does not overflow`() {
        #expect(Duration.seconds(Int64.max).timerMilliseconds == (1 << 40) * 1000)
    }
}
