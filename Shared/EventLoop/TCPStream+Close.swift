internal import CLibUV

extension TCPStream {
    /// Ends the connection with a reset instead of a FIN. The peer is notified immediately, and nothing lingers in the
    /// kernel.
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
