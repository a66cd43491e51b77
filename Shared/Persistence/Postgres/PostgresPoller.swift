internal import CPostgres
internal import EventLoop

/// Waits for a socket of libpq's. Each step of connecting may use another socket.
///
/// Everything is called on the loop.
final class PostgresPoller {
    private let loop: UVLoop
    private var handle: PollHandle?
    private var descriptor: CInt = -1
    private var events: PollHandle.Events = []

    init(loop: UVLoop) { self.loop = loop }

    /// Calls `body` whenever one of `events` happens on the connection's socket. A later call replaces events and body.
    /// One with the same events and socket has no effect. An error counts as an event, which libpq then identifies.
    /// - Throws: The error libuv reports for the descriptor.
    func wait(
        for events: PollHandle.Events, of connection: OpaquePointer, _ body: @escaping (PollHandle.Events) -> Void
    ) throws(UVError) {
        let socket = PQsocket(connection)
        if handle == nil || socket != descriptor {
            stop()
            handle = try PollHandle(loop: loop, fileDescriptor: socket)
            descriptor = socket
        } else if self.events == events {
            return
        }
        self.events = events
        try handle?.start(events) { result in
            switch result {
            case .success(let events): body(events)
            case .failure: body(.readable)
            }
        }
    }

    /// Stops watching the socket. Called before libpq may close it.
    func stop() {
        handle?.close()
        handle = nil
        events = []
        descriptor = -1
    }
}
