import Glibc
import NIOCore

/// The beginning of Linux's `struct tcp_info`, which glibc declares incompletely. An older kernel leaves the rest zero.
package struct TCPCounts {
    private var words: InlineArray<64, UInt32> = .init(repeating: 0)

    /// `tcpi_unacked`, at byte 24.
    package var unacknowledgedSegments: UInt32 { words[6] }
    /// `tcpi_bytes_acked`, at byte 120.
    var acknowledgedBytes: UInt64 { UInt64(words[30]) | UInt64(words[31]) << 32 }
    /// `tcpi_notsent_bytes`, at byte 144.
    package var unsentBytes: UInt32 { words[36] }

    /// Reads the counts of a connection, on its loop.
    /// - Parameter body: Called with nil for a channel that is not a socket.
    package static func read(of channel: any Channel, _ body: @escaping (TCPCounts?) -> Void) {
        guard let provider = channel as? any SocketOptionProvider else { return body(nil) }
        let counts: EventLoopFuture<TCPCounts> = provider.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        counts.assumeIsolated().whenSuccess(body)
    }
}
