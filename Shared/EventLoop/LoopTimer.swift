internal import CLibUV

/// A timer on the loop, in milliseconds. It has one body at a time. Starting it again replaces the old one.
///
/// It never fires early, and later when the turn before it was long. On a loop that is closing or closed it never
/// fires.
package final class LoopTimer: LoopHandle {
    private var body: (() -> Void)?

    /// Creates a stopped timer.
    package convenience init(loop: UVLoop) {
        do throws(UVError) {
            try self.init(registering: loop)
        } catch {
            self.init(closedOn: loop)
        }
    }

    private init(registering loop: UVLoop) throws(UVError) {
        try super.init(loop: loop, type: UV_TIMER, operation: "create timer") { loop, raw in
            uv_timer_init(loop, raw.bindMemory(to: uv_timer_t.self, capacity: 1))
        }
    }

    private override init(closedOn loop: UVLoop) { super.init(closedOn: loop) }

    /// Calls `body` after `after`, then every `repeating` (rounded up to a millisecond). Nil calls it once.
    package func start(after: Duration, repeating: Duration? = nil, _ body: @escaping () -> Void) {
        loop.preconditionIsolated()
        guard !isClosed else { return }
        self.body = body
        // The loop's clock does not advance during a turn; without this a long turn would shorten the timer.
        uv_update_time(loop.uv)
        let period = repeating.map { max(1, $0.timerMilliseconds) } ?? 0
        // One more millisecond, since the loop's clock is cut off at whole ones.
        let delay = after > .zero ? after.timerMilliseconds + 1 : 0
        uv_timer_start(pointer(as: uv_timer_t.self), { LoopTimer.of($0!).fire() }, delay, period)
    }

    /// Disarms it. It may be started again.
    package func stop() {
        loop.preconditionIsolated()
        guard !isClosed else { return }
        body = nil
        uv_timer_stop(pointer(as: uv_timer_t.self))
    }

    /// Whether it is armed and has not yet fired, or repeats.
    package var isActive: Bool { !isClosed && uv_is_active(memory) != 0 }

    private func fire() {
        let body = body
        if !isActive { self.body = nil }
        body?()
    }

    override func willClose() { body = nil }
}
