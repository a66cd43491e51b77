internal import CLibUV

/// Watches a file descriptor it does not own, such as libpq's socket or a pipe.
///
/// The descriptor becomes non-blocking. Close the handle before the descriptor. `close()` stops the polling
/// immediately. One handle per descriptor.
package final class PollHandle: LoopHandle {
    /// The conditions of a descriptor, to wait for or as reported.
    package struct Events: OptionSet, Sendable {
        /// libuv's bits, `UV_READABLE` and others.
        package let rawValue: CInt
        package init(rawValue: CInt) { self.rawValue = rawValue }
        /// Reading will not block (data, end of file or a connection to accept).
        package static let readable = Events(rawValue: CInt(UV_READABLE.rawValue))
        /// Writing will not block.
        package static let writable = Events(rawValue: CInt(UV_WRITABLE.rawValue))
        /// The peer has hung up.
        package static let disconnect = Events(rawValue: CInt(UV_DISCONNECT.rawValue))
    }

    private var body: ((Result<Events, UVError>) -> Void)?

    /// Creates a stopped watcher of `fileDescriptor`.
    /// - Throws: `EPERM` for files that cannot be watched, `EEXIST` when it is watched already, `ECANCELED` when the
    ///   loop is closing.
    package init(loop: UVLoop, fileDescriptor: CInt) throws(UVError) {
        try super.init(loop: loop, type: UV_POLL, operation: "watch descriptor \(fileDescriptor)") { loop, raw in
            uv_poll_init(loop, raw.bindMemory(to: uv_poll_t.self, capacity: 1), fileDescriptor)
        }
    }

    /// Calls `body` in each turn in which one of `events` is the case (level-triggered). Starting again replaces events
    /// and body.
    /// - Throws: The error libuv reports for the descriptor.
    package func start(_ events: Events, _ body: @escaping (Result<Events, UVError>) -> Void) throws(UVError) {
        loop.preconditionIsolated()
        guard !isClosed else { throw UVError(code: UVError.cancelled, operation: "watch descriptor") }
        self.body = body
        try UVError.check(
            uv_poll_start(pointer(as: uv_poll_t.self), events.rawValue) { handle, status, events in
                PollHandle.of(handle!).report(status, events)
            }, "watch descriptor")
    }

    /// Stops watching. It may be started again.
    package func stop() {
        loop.preconditionIsolated()
        guard !isClosed else { return }
        body = nil
        uv_poll_stop(pointer(as: uv_poll_t.self))
    }

    private func report(_ status: CInt, _ events: CInt) {
        let result: Result<Events, UVError> =
            status < 0
            ? .failure(UVError(code: status, operation: "watch descriptor")) : .success(Events(rawValue: events))
        body?(result)
    }

    override func willClose() { body = nil }
}
