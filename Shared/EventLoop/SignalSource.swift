internal import CLibUV
import Glibc

/// Calls back on the loop for each signal of one number. While it is started the signal's default action is off.
///
/// A process has one owner of each signal: two sources of the same number are both called.
package final class SignalSource: LoopHandle {
    private var body: (() -> Void)?

    /// Creates a stopped source.
    /// - Throws: `ECANCELED` when the loop is closing, or the kernel's refusal of the pipe libuv needs.
    package init(loop: UVLoop) throws(UVError) {
        try super.init(loop: loop, type: UV_SIGNAL, operation: "create signal source") { loop, raw in
            uv_signal_init(loop, raw.bindMemory(to: uv_signal_t.self, capacity: 1))
        }
    }

    /// Calls `body` whenever the process gets signal `number`, such as `SIGTERM`.
    /// - Throws: `EINVAL` for signals that cannot be caught.
    package func start(_ number: CInt, _ body: @escaping () -> Void) throws(UVError) {
        loop.preconditionIsolated()
        guard !isClosed else { throw UVError(code: UVError.cancelled, operation: "catch signal \(number)") }
        self.body = body
        try UVError.check(
            uv_signal_start(pointer(as: uv_signal_t.self), { handle, _ in SignalSource.of(handle!).fire() }, number),
            "catch signal \(number)")
    }

    /// Stops listening and restores the signal's default action. It may be started again.
    package func stop() {
        loop.preconditionIsolated()
        guard !isClosed else { return }
        body = nil
        uv_signal_stop(pointer(as: uv_signal_t.self))
    }

    private func fire() { body?() }

    override func willClose() { body = nil }
}

/// Ignores SIGPIPE for the whole process. Writing to a closed connection is then an error and does not end the process.
/// Making a `UVLoop` calls it, since libuv's writes raise the signal. Tools without a loop call it themselves.
package func ignoreBrokenPipe() {
    signal(SIGPIPE, SIG_IGN)
}
