internal import CLibUV

extension TCPStream {
    /// The state of the output side.
    enum OutputState {
        /// Bytes are taken.
        case open
        /// `finishWriting` was called: pending output is sent, then FIN. Reading continues.
        case finishing
        /// `closeAfterFlush`: as above, and the stream closes then. Input is thrown away.
        case closing
    }

    /// Appends `bytes` to the output. They leave together with everything else written in this turn. Ignored once the
    /// output was finished or the stream closed, which `onClose` reports.
    package func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write(contentsOf: $0) }
    }

    /// As `write(_:)`, but the buffer is copied.
    package func write(contentsOf buffer: UnsafeRawBufferPointer) {
        loop.preconditionIsolated()
        guard !isClosed, outputState == .open, !buffer.isEmpty else { return }
        if pendingBytes == 0 { progressTime = loop.uptime() }
        if let tls { tls.write(buffer) } else { gathering.append(buffer) }
        bytesWritten += UInt64(buffer.count)
        flushAtEndOfTurn()
    }

    /// Writes as `write(contentsOf:)`, for owners that collect a turn's output themselves. They call it once a turn.
    /// The kernel takes as much as it can straight from the buffer, and only the rest is copied. With TLS it is
    /// `write`.
    package func writeNow(contentsOf buffer: UnsafeRawBufferPointer) {
        loop.preconditionIsolated()
        guard !isClosed, outputState == .open, !buffer.isEmpty else { return }
        guard tls == nil, gathering.isEmpty, !writeInProgress else { return write(contentsOf: buffer) }
        guard let taken = tryWrite(UnsafeMutableRawBufferPointer(mutating: buffer)) else { return }
        bytesWritten += UInt64(taken)
        if taken < buffer.count { write(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[taken...])) }
    }

    /// Bytes written here that the kernel has not taken yet.
    package var pendingBytes: Int {
        if isClosed { return 0 }
        let waiting = gathering.count + (tls?.waitingBytes ?? 0)
        return waiting + (writeInProgress ? uv_stream_get_write_queue_size(stream) : 0)
    }

    /// The uptime of the kernel's last progress with output, or of the wait's beginning. Progress is checked here and
    /// when a write ends, so ask regularly: a peer has stalled when this is old and `pendingBytes` above 0.
    package var lastWriteProgress: Duration {
        loop.preconditionIsolated()
        if !isClosed, writeInProgress {
            let left = uv_stream_get_write_queue_size(stream)
            if left != progressMark {
                progressMark = left
                progressTime = loop.uptime()
            }
        }
        return progressTime
    }

    /// Sends the pending output, then FIN. Reading continues, as the connection is half-closed.
    package func finishWriting() {
        loop.preconditionIsolated()
        guard !isClosed, outputState == .open else { return }
        outputState = .finishing
        flushAtEndOfTurn()
    }

    /// Sends the pending output, then FIN, waits for the peer's end and closes. After `within` at the latest it closes
    /// anyway, and output that the peer has not taken by then is lost. Input is thrown away meanwhile. A second call
    /// changes nothing.
    package func closeAfterFlush(within: Duration = EventLoopLimits.linger) {
        loop.preconditionIsolated()
        guard !isClosed, outputState != .closing else { return }
        outputState = .closing
        let timer = LoopTimer(loop: loop)
        lingerTimer = timer
        timer.start(after: within) { [unowned self] in beginClosing() }
        if finSent { awaitPeerEnd() } else { flushAtEndOfTurn() }
    }

    func flushAtEndOfTurn() {
        if isInFlushList { return }
        isInFlushList = true
        loop.handlesWithOutput.append(self)
    }

    /// Writes as much as the kernel takes now, once per turn at most. The rest waits in one write request.
    func flush() {
        isInFlushList = false
        guard !isClosed, !writeInProgress else { return }
        if let tls { gatherRecords(tls) }
        guard !gathering.isEmpty else { return finishIfWanted() }
        guard let written = tryWrite(gathering.bytes) else { return }
        if written == gathering.count {
            gathering.clear()
            writtenAll()
        } else {
            writeRest(from: written)
        }
    }

    /// Writes as much as the kernel takes now and returns its size. Nil if the connection is broken, and is being
    /// closed.
    private func tryWrite(_ bytes: UnsafeMutableRawBufferPointer) -> Int? {
        var piece = buffer(bytes)
        let taken = uv_try_write(stream, &piece, 1)
        if taken < 0, taken != UV_EAGAIN.rawValue {
            close(because: UVError(code: taken, operation: "write to \(remoteAddress)"))
            return nil
        }
        if taken > 0 { progressTime = loop.uptime() }
        return max(0, Int(taken))
    }

    private func writeRest(from offset: Int) {
        swap(&gathering, &writing)
        writeInProgress = true
        let rest = UnsafeMutableRawBufferPointer(rebasing: writing.bytes[offset...])
        progressMark = rest.count
        let result = uv_write(writeRequest, stream, [buffer(rest)], 1) { request, status in
            TCPStream.of(request!.pointee.handle).wrote(status)
        }
        if result < 0 {
            writeInProgress = false
            close(because: UVError(code: result, operation: "write to \(remoteAddress)"))
        }
    }

    private func wrote(_ status: CInt) {
        writeInProgress = false
        writing.clear()
        guard !isClosed else { return }
        if status < 0 { return close(because: UVError(code: status, operation: "write to \(remoteAddress)")) }
        progressTime = loop.uptime()
        if gathering.isEmpty { writtenAll() } else { flushAtEndOfTurn() }
    }

    private func writtenAll() {
        if let tls, tls.waitingBytes > 0 || tls.hasOutput {
            // Plaintext before the end of the handshake waits for the peer.
            if tls.hasOutput { flushAtEndOfTurn() }
            return
        }
        onDrain?()
        // The owner may have written more just now; then the end waits for that.
        if !isClosed, !isInFlushList { finishIfWanted() }
    }

    private func finishIfWanted() {
        guard outputState != .open, !finSent else { return }
        finSent = true
        let result = uv_shutdown(shutdownRequest, stream) { request, status in
            TCPStream.of(request!.pointee.handle).sentEnd(status)
        }
        if result < 0 { sentEnd(result) }
    }

    private func sentEnd(_ status: CInt) {
        guard !isClosed, outputState == .closing else { return }
        if status < 0 { beginClosing() } else { awaitPeerEnd() }
    }

    /// Closes the stream when the peer's FIN has come after this side's.
    func awaitPeerEnd() {
        guard finSent else { return }
        if peerEnded { beginClosing() } else { startReading() }
    }

    private func buffer(_ bytes: UnsafeMutableRawBufferPointer) -> uv_buf_t {
        // At most 2 GiB in one call, far above every limit of the writers.
        let count = UInt32(min(bytes.count, Int(Int32.max)))
        return uv_buf_init(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count)
    }
}
