import EventLoop
import NIOCore

/// The connection of one stream, which observes its reader's end.
///
/// Bytes that have left the gateway's buffers may still be in those of the kernel or the reader. A reader that closes
/// its end in good order has read everything: with unread bytes its system would reset the connection instead.
final class StreamConnection: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny

    private struct State {
        var hasLeft = false
        var hasTakenAll = false
    }

    private let channel: any Channel
    private let state = Locked(State())

    init(_ channel: any Channel) { self.channel = channel }

    /// Begins to observe the connection, unless it is already closing.
    func begin() async {
        try? await channel.eventLoop.submit { [self] in
            try channel.pipeline.syncOperations.addHandler(self, position: .first)
        }.get()
    }

    /// Whether the reader closed its end after it had taken every byte.
    var hasTakenAll: Bool { state.withLock { $0.hasTakenAll } }

    /// Whether the reader was still connected when the previous writes were handed to the connection.
    func isRead() async -> Bool {
        // Writes run on the same loop, so this follows them.
        (try? await channel.eventLoop.submit { [self] in !state.withLock { $0.hasLeft } }.get()) ?? false
    }

    func cut() { channel.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { readerLeft(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.fireChannelRead(data) }

    private func readerLeft(_ context: ChannelHandlerContext) {
        let isFlushed = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0
        state.withLock { $0.hasLeft = true }
        guard isFlushed else { return }
        TCPCounts.read(of: context.channel) { [self] counts in
            guard let counts else { return }
            state.withLock { $0.hasTakenAll = counts.unacknowledgedSegments == 0 && counts.unsentBytes == 0 }
        }
    }
}
