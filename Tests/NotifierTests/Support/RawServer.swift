import EventLoop
import NIOCore
import NIOPosix

/// A server on a free port of 127.0.0.1 that answers each connection as the test says, byte for byte.
final class RawServer: Sendable {
    /// What it does once the end of a request's head has come.
    enum Answer: Sendable {
        case text(String)
        /// The text, then the end of the connection.
        case textAndClose(String)
        /// Text without an end, as fast as it is read.
        case endless(String)
        case nothing
        case close
    }

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel
    private let heard = Locked<[String]>([])
    let port: Int

    /// The requests so far, with what had come of their bodies.
    var requests: [String] { heard.withLock { $0 } }

    /// - Parameter answer: Called with the number of the connection, from 0.
    init(_ answer: @escaping @Sendable (Int) -> Answer) async throws {
        let count = Locked(0)
        let heard = heard
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = count.withLock { count in
                        defer { count += 1 }
                        return count
                    }
                    try channel.pipeline.syncOperations.addHandler(Handler(answer(number), heard))
                }
            }.bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async throws {
        try await channel.close()
        try await group.shutdownGracefully()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: Answer
        private let heard: Locked<[String]>
        private var request = ""

        init(_ answer: Answer, _ heard: Locked<[String]>) {
            self.answer = answer
            self.heard = heard
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            request += String(buffer: unwrapInboundIn(data))
            guard request.contains("\r\n\r\n"), request.hasSuffix("}") else { return }
            heard.withLock { $0.append(request) }
            switch answer {
            case .text(let text): write(text, context)
            case .textAndClose(let text):
                write(text, context)
                context.close(promise: nil)
            case .endless(let text):
                write(text, context)
                pour(context)
            case .nothing: break
            case .close: context.close(promise: nil)
            }
        }

        private func write(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }

        private func pour(_ context: ChannelHandlerContext) {
            let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(repeating: 0x61, count: 65_536))).whenSuccess {
                let (handler, context) = box.value
                handler.pour(context)
            }
        }
    }
}
