import NIOCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The connection of one stream: whether its reader gets on, and how the reader left.
///
/// What has left the gateway's buffers may still lie in the kernel's, or in the reader's. But a reader that closes its
/// end in good order has taken everything: with bytes unread its system would have reset the connection instead.
final class StreamConnection: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny

    private struct State {
        var hasLeft = false
        var hasTakenAll = false
    }

    private let channel: any Channel
    private let state = Mutex(State())

    init(_ channel: any Channel) { self.channel = channel }

    /// Listens to the connection from now on. One that is closing by now is never asked.
    func begin() async {
        try? await channel.eventLoop.submit { [self] in
            try channel.pipeline.syncOperations.addHandler(self, position: .first)
        }.get()
    }

    /// The reader closed its end after it had taken every byte before.
    var hasTakenAll: Bool { state.withLock { $0.hasTakenAll } }

    /// Whether the reader was still there when the writes so far were handed to the connection.
    func isRead() async -> Bool {
        // Writes go to the same loop, so this comes behind them.
        (try? await channel.eventLoop.submit { [self] in !state.withLock { $0.hasLeft } }.get()) ?? false
    }

    func cut() { channel.close(promise: nil) }

    /// Tells `body` a number that changes whenever the reader's system takes a byte.
    func progress(_ body: @escaping @Sendable (UInt64) -> Void) {
        channel.eventLoop.execute { [channel] in
            // Both, because the system's count is missing in older kernels.
            let buffered = UInt64(clamping: (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0)
            guard let provider = channel as? any SocketOptionProvider else { return body(buffered) }
            let info: EventLoopFuture<TCPCounts> = provider.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
            info.whenSuccess { body($0.acknowledgedBytes &* 0x1_0000_0001 &+ buffered) }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { readerLeft(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.fireChannelRead(data) }

    private func readerLeft(_ context: ChannelHandlerContext) {
        let isFlushed = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0
        state.withLock { $0.hasLeft = true }
        guard isFlushed, let provider = context.channel as? any SocketOptionProvider else { return }
        let info: EventLoopFuture<TCPCounts> = provider.unsafeGetSocketOption(level: .tcp, name: .tcp_info)
        info.whenSuccess { [self] counts in
            state.withLock { $0.hasTakenAll = counts.unacknowledgedSegments == 0 && counts.unsentBytes == 0 }
        }
    }
}

/// The beginning of Linux's `struct tcp_info`, of which glibc declares less than the kernel fills in. A kernel that knows
/// less leaves the rest zero.
private struct TCPCounts {
    private var words: InlineArray<64, UInt32> = .init(repeating: 0)

    /// `tcpi_unacked`, at byte 24.
    var unacknowledgedSegments: UInt32 { words[6] }
    /// `tcpi_bytes_acked`, at byte 120.
    var acknowledgedBytes: UInt64 { UInt64(words[30]) | UInt64(words[31]) << 32 }
    /// `tcpi_notsent_bytes`, at byte 144.
    var unsentBytes: UInt32 { words[36] }
}
