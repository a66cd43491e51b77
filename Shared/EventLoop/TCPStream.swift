internal import CLibUV
import Glibc

/// A TCP connection on the loop. Everything is called on the loop's thread, the callbacks too.
///
/// Set the callbacks, then `startReading()`. After `close()`, `reset()`, an error or the peer's end, `onClose` is
/// called exactly once, from the loop and never from within the call that caused it. No other callback follows it, and
/// the closures are dropped, so they may hold the stream's owner strongly. `TCP_NODELAY` is always on, since output is
/// collected per turn already.
package final class TCPStream: LoopHandle {
    /// Input. The buffer belongs to the loop and is only valid during the call.
    package var onRead: ((UnsafeRawBufferPointer) -> Void)?
    /// Called when the peer has ended its output. Without a handler the stream flushes its output and closes. Set it to
    /// continue writing (half-closed). Then the owner closes the stream.
    package var onEnd: (() -> Void)?
    /// Called at the end, with the error that broke the connection. Nil after a clean end of the peer or a close of the
    /// owner's. `ECANCELED` if the loop was closed.
    package var onClose: ((UVError?) -> Void)?
    /// Called when `pendingBytes` has fallen to 0 from above.
    package var onDrain: (() -> Void)?

    /// The peer, as the kernel reported it when the connection was made.
    package internal(set) var remoteAddress = SocketAddress(host: "unknown", port: 0)
    /// This side's address.
    package internal(set) var localAddress = SocketAddress(host: "unknown", port: 0)
    /// Bytes received so far.
    package private(set) var bytesRead: UInt64 = 0
    /// Bytes taken by `write` so far.
    package internal(set) var bytesWritten: UInt64 = 0

    /// Nil on a plain connection. The rules are in TCPStream+TLS.
    var tls: TLSSession?

    // Output; the rules are in TCPStream+Output.
    var gathering = OutputBuffer()
    var writing = OutputBuffer()
    var writeInProgress = false
    var isInFlushList = false
    var outputState = OutputState.open
    var progressMark = 0
    var progressTime = Duration.zero
    let writeRequest = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
    let shutdownRequest = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    let connectRequest = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    var onConnected: ((CInt) -> Void)?

    var finSent = false
    var peerEnded = false
    var closeError: UVError?
    var lingerTimer: LoopTimer?
    private var isReading = false
    /// Reads in a row that filled the buffer.
    private var readsInARow = 0

    /// Creates a stream without a connection.
    init(loop: UVLoop) throws(UVError) {
        try super.init(loop: loop, type: UV_TCP, operation: "create stream") { loop, raw in
            uv_tcp_init(loop, raw.bindMemory(to: uv_tcp_t.self, capacity: 1))
        }
    }

    /// Takes over an accepted or connected socket.
    convenience init(loop: UVLoop, socket: CInt) throws(UVError) {
        try self.init(loop: loop)
        let result = uv_tcp_open(tcp, socket)
        if result < 0 {
            beginClosing()
            throw UVError(code: result, operation: "open socket")
        }
        connected()
    }

    deinit {
        // The close callback was the requests' last possible use; it has run before the loop let go of this object.
        writeRequest.deallocate()
        shutdownRequest.deallocate()
        connectRequest.deallocate()
    }

    var tcp: UnsafeMutablePointer<uv_tcp_t> { pointer(as: uv_tcp_t.self) }
    var stream: UnsafeMutablePointer<uv_stream_t> { pointer(as: uv_stream_t.self) }

    /// Starts or continues calling `onRead`. A failure ends the stream.
    package func startReading() {
        loop.preconditionIsolated()
        guard !isClosed, !isReading, !peerEnded else { return }
        let result = uv_read_start(
            stream,
            { handle, _, buffer in TCPStream.of(handle!).provide(buffer!) },
            { handle, count, _ in TCPStream.of(handle!).received(count) })
        if result < 0 { return close(because: UVError(code: result, operation: "read")) }
        isReading = true
    }

    /// Stops reading: the kernel's buffer fills up and the peer has to wait. It also hides the peer's end.
    package func stopReading() {
        loop.preconditionIsolated()
        guard !isClosed, isReading else { return }
        isReading = false
        uv_read_stop(stream)
    }

    /// Sets how long written bytes may stay unacknowledged (`TCP_USER_TIMEOUT`). 30 s unless set.
    package func setUserTimeout(milliseconds: UInt32) {
        loop.preconditionIsolated()
        guard !isClosed else { return }
        var descriptor: uv_os_fd_t = -1
        guard uv_fileno(memory, &descriptor) == 0 else { return }
        var value = milliseconds
        setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &value, socklen_t(MemoryLayout<UInt32>.size))
    }

    /// Sets the options and reads the addresses of a new connection.
    func connected() {
        uv_tcp_nodelay(tcp, 1)
        setUserTimeout(milliseconds: UInt32(EventLoopLimits.userTimeout.timerMilliseconds))
        localAddress = socketName(uv_tcp_getsockname) ?? localAddress
        remoteAddress = socketName(uv_tcp_getpeername) ?? remoteAddress
        progressTime = loop.uptime()
    }

    private func provide(_ buffer: UnsafeMutablePointer<uv_buf_t>) {
        let memory = loop.readBuffer
        if readsInARow == EventLoopLimits.readsPerTurn {
            // Without a buffer libuv stops reading for this turn, and reports `ENOBUFS`.
            buffer.pointee = uv_buf_init(nil, 0)
            return
        }
        buffer.pointee = uv_buf_init(memory.baseAddress!.assumingMemoryBound(to: CChar.self), UInt32(memory.count))
    }

    private func received(_ count: Int) {
        readsInARow = count == loop.readBuffer.count ? readsInARow + 1 : 0
        if count > 0 {
            bytesRead += UInt64(count)
            if let tls { return receivedRecords(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]), tls) }
            // After closeAfterFlush input is thrown away, so that the kernel does not answer it with a reset.
            if outputState != .closing { onRead?(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count])) }
        } else if count == Int(UV_EOF.rawValue) {
            ended()
        } else if count < 0, count != Int(UV_ENOBUFS.rawValue) {
            close(because: UVError(code: CInt(count), operation: "read from \(remoteAddress)"))
        }
    }

    func ended() {
        isReading = false
        peerEnded = true
        uv_read_stop(stream)
        if outputState == .closing {
            awaitPeerEnd()
        } else if let onEnd {
            onEnd()
        } else {
            closeAfterFlush()
        }
    }

    override func loopCloses() {
        close(because: UVError(code: UVError.cancelled, operation: "connection with \(remoteAddress)"))
    }

    override func willClose() {
        lingerTimer?.close()
        lingerTimer = nil
    }

    override func didClose() {
        let handler = onClose
        (onRead, onEnd, onClose, onDrain) = (nil, nil, nil, nil)
        handler?(closeError)
    }

    private typealias NameCall = (
        UnsafePointer<uv_tcp_t>?, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<CInt>?
    ) -> CInt

    private func socketName(_ call: NameCall) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = CInt(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(tcp, $0, &length) }
        }
        return result == 0 ? SocketAddress(storage: storage) : nil
    }
}

extension TCPStream {
    /// Ends the connection with a reset instead of a FIN. The peer is notified immediately, and no output lingers in
    /// the kernel.
    package func reset() {
        loop.preconditionIsolated()
        beginClosing { [tcp] _, callback in
            // Refused when a FIN is under way already; then an ordinary close does it.
            if uv_tcp_close_reset(tcp, callback) != 0 { uv_close(memory, callback) }
        }
    }

    func close(because error: UVError) {
        if closeError == nil { closeError = error }
        beginClosing()
    }
}

/// Carries a loop-confined value through a continuation.
///
/// Unchecked, because a continuation may in general resume anywhere. Here the resumer is on the loop and the waiter is
/// an actor pinned to it (checked with `preconditionIsolated`), so the value never leaves the thread.
struct LoopConfined<Value>: @unchecked Sendable {
    let value: Value
}

extension TCPStream {
    /// Speaks TLS from the next byte on. To be called before the first write and the first read.
    ///
    /// `onRead` and `write` are about plaintext then. Output from before the end of the handshake waits for it, and
    /// counts as pending. The handshake needs no deadline of its own, because that of a connection's first message
    /// includes it.
    ///
    /// - Parameters:
    ///   - peerName: On a client the name or address for which the server's certificate must be.
    ///   - plainAnswer: A server's answer in the clear to a client without TLS. Such a client sends other bytes, or has
    ///     sent none when the server closes.
    /// - Throws: `failed` if memory is short.
    package func startTLS(_ context: TLSContext, peerName: String = "", plainAnswer: [UInt8] = []) throws(TLSError) {
        loop.preconditionIsolated()
        precondition(tls == nil && bytesRead == 0 && bytesWritten == 0, "TLS begins with the first byte")
        tls = try TLSSession(context, peerName: peerName, plainAnswer: plainAnswer)
        flushAtEndOfTurn()
    }

    /// The reason why TLS failed, for `onClose`. Nil without TLS, and for a connection that ended otherwise.
    package var tlsFailure: TLSError? { tls?.failure }

    /// Hands on the plaintext of `records`. It lies in the loop's buffer too, because OpenSSL has taken the records.
    func receivedRecords(_ records: UnsafeRawBufferPointer, _ tls: TLSSession) {
        if outputState == .closing { return }
        do throws(TLSError) {
            try tls.receive(records)
            while !isClosed, outputState != .closing {
                let count = try tls.read(into: loop.readBuffer)
                if count == 0 { break }
                onRead?(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
            }
        } catch {
            return failed(error)
        }
        if isClosed { return }
        if tls.hasOutput { flushAtEndOfTurn() }
        if tls.peerHasFinished, !peerEnded { ended() }
    }

    /// Moves the waiting records into the output.
    func gatherRecords(_ tls: TLSSession) {
        do throws(TLSError) {
            try tls.seal()
        } catch {
            failed(error)
        }
        if outputState != .open { tls.finish() }
        tls.takeRecords { gathering.append($0) }
    }

    /// Closes the connection after the alert that tells the peer why.
    private func failed(_ error: TLSError) {
        if isClosed { return }
        if closeError == nil {
            closeError = UVError(code: UV_EPROTO.rawValue, operation: "TLS with \(remoteAddress): \(error)")
        }
        closeAfterFlush()
    }
}
