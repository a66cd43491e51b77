internal import CLibUV

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
