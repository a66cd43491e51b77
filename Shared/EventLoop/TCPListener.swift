internal import CLibUV
import Glibc

/// Accepts TCP connections on the loop.
///
/// It watches a socket of its own and accepts itself instead of using libuv's listener, because libuv's retries in a
/// closed circle when the process has no descriptor left. This listener then waits a moment, and new connections stay
/// in the kernel's backlog meanwhile.
package final class TCPListener {
    /// The loop it accepts on.
    package let loop: UVLoop
    /// The address it listens on, with the real port when 0 was asked for.
    package let localAddress: SocketAddress
    /// Pauses because the process or the system was out of descriptors or memory.
    package private(set) var acceptPauses = 0
    /// Connections accepted so far.
    package private(set) var accepted: UInt64 = 0

    private let poll: PollHandle
    private let pauseTimer: LoopTimer
    private var socket: CInt
    private var onConnection: ((TCPStream) -> Void)?

    /// Binds and listens. Connections wait in the backlog until `listen(onConnection:)`.
    /// - Parameters:
    ///   - host: A numeric address or "localhost" (127.0.0.1). For other names use the form with `resolving`.
    ///   - port: 0…65535, 0 for any free one.
    /// - Throws: `EADDRINUSE`, `EADDRNOTAVAIL`, `EACCES`, `EINVAL` for a name or a port out of range. The operation
    ///   names host and port.
    package static func bind(
        loop: UVLoop, host: String, port: Int, backlog: CInt = 512
    ) throws(UVError) -> TCPListener {
        loop.preconditionIsolated()
        guard let address = SocketAddress.immediate(host, port).first else {
            throw UVError(code: UVError.invalidArgument, operation: "listen on \(SocketAddress.text(host, port))")
        }
        return try TCPListener(loop: loop, address: address, backlog: backlog)
    }

    /// Binds to the first address of a name, otherwise as `bind(loop:host:port:)`. To be called by an actor pinned to
    /// `loop`.
    package static func bind(
        loop: UVLoop, resolving host: String, port: Int, backlog: CInt = 512
    ) async throws(UVError) -> TCPListener {
        loop.preconditionIsolated()
        let addresses = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<[sockaddr_storage], UVError>, Never>) in
            AddressLookup.start(loop: loop, host: host, port: port) { continuation.resume(returning: $0) }
        }
        // A lookup that succeeds has at least one address.
        return try TCPListener(loop: loop, address: addresses.get()[0], backlog: backlog)
    }

    private init(loop: UVLoop, address: sockaddr_storage, backlog: CInt) throws(UVError) {
        self.loop = loop
        let (socket, name) = try Self.open(address, backlog)
        self.socket = socket
        localAddress = name
        do throws(UVError) {
            poll = try PollHandle(loop: loop, fileDescriptor: socket)
        } catch {
            Glibc.close(socket)
            throw error
        }
        pauseTimer = LoopTimer(loop: loop)
        poll.afterClose = { [self] in releaseSocket() }
    }

    /// Calls `onConnection` with each new stream. Set its callbacks and start reading in there.
    package func listen(onConnection: @escaping (TCPStream) -> Void) throws(UVError) {
        loop.preconditionIsolated()
        self.onConnection = onConnection
        try startAccepting()
    }

    /// Stops listening. The port is free when this returns. Idempotent. Accepted streams live on.
    package func close() {
        loop.preconditionIsolated()
        onConnection = nil
        pauseTimer.close()
        poll.close()
        releaseSocket()
    }

    private func startAccepting() throws(UVError) {
        try poll.start(.readable) { [self] _ in acceptAll() }
    }

    private func acceptAll() {
        for _ in 0..<EventLoopLimits.acceptsPerTurn where socket >= 0 {
            let descriptor = accept4(socket, nil, nil, CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
            if descriptor >= 0 {
                hand(over: descriptor)
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                return
            } else if ![EINTR, ECONNABORTED, EPROTO].contains(errno) {
                // EMFILE, ENFILE, ENOBUFS, ENOMEM: the socket stays readable, so retrying immediately would spin.
                return pause()
            }
        }
    }

    private func hand(over descriptor: CInt) {
        do throws(UVError) {
            let stream = try TCPStream(loop: loop, socket: descriptor)
            accepted += 1
            onConnection?(stream)
        } catch {
            // The loop is closing, or epoll refused the descriptor: the peer sees a closed connection.
            Glibc.close(descriptor)
        }
    }

    private func pause() {
        acceptPauses += 1
        poll.stop()
        pauseTimer.start(after: EventLoopLimits.acceptPause) { [self] in
            // The descriptor was watched before and is still ours, so this cannot fail.
            try? startAccepting()
        }
    }

    private func releaseSocket() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }

    private static func open(
        _ address: sockaddr_storage, _ backlog: CInt
    ) throws(UVError) -> (socket: CInt, name: SocketAddress) {
        let operation = "listen on \(SocketAddress(storage: address))"
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(CInt(address.ss_family), type, 0)
        if descriptor < 0 { throw .fromErrno(errno, operation) }
        var on: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
        let bound = address.withSockaddr { Glibc.bind(descriptor, $0, $1) }
        if bound != 0 || Glibc.listen(descriptor, backlog) != 0 {
            let error = UVError.fromErrno(errno, operation)
            Glibc.close(descriptor)
            throw error
        }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (descriptor, SocketAddress(storage: storage))
    }
}
