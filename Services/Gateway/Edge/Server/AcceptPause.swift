import EventLoop
import Glibc
import Logging
import NIOCore

/// Pauses accepting when the process or the system has no file descriptor left.
///
/// Without a pause the listening socket stays readable and registered, so each turn of the loop would fail to accept
/// again. During the pause new connections wait in the kernel. The handler belongs at the front of the listening
/// channel's pipeline.
final class AcceptPause: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private let logger: Logger
    private let onPause: () -> Void
    private var isPaused = false
    private var isReadWanted = false
    private var lastLogged: NIODeadline?

    /// - Parameter onPause: Called at the beginning of each pause.
    init(logger: Logger, onPause: @escaping () -> Void) {
        self.logger = logger
        self.onPause = onPause
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode) {
            pause(context, error)
        }
        context.fireErrorCaught(error)
    }

    func read(context: ChannelHandlerContext) {
        if isPaused { isReadWanted = true } else { context.read() }
    }

    private func pause(_ context: ChannelHandlerContext, _ error: IOError) {
        guard !isPaused else { return }
        isPaused = true
        onPause()
        log(error)
        // Only this removes the socket from the loop's set while a read is in progress.
        setAutoRead(false, context)
        let box = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(EventLoopLimits.acceptPause)) {
            let (handler, context) = box.value
            handler.resume(context)
        }
    }

    private func resume(_ context: ChannelHandlerContext) {
        isPaused = false
        setAutoRead(true, context)
        guard isReadWanted else { return }
        isReadWanted = false
        context.read()
    }

    private func setAutoRead(_ value: Bool, _ context: ChannelHandlerContext) {
        // Fails on a closing channel, which accepts nothing anyway.
        try? context.channel.syncOptions?.setOption(.autoRead, value: value)
    }

    /// Logs at most one line a minute.
    private func log(_ error: IOError) {
        if let lastLogged, NIODeadline.now() - lastLogged < .minutes(1) { return }
        lastLogged = .now()
        logger.warning(
            "the gateway accepts no connection: it has no file descriptor left; raise the limit (ulimit -n)",
            metadata: ["error": "\(error)"])
    }
}
