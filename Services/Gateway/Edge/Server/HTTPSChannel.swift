import BusService
import EventLoop
import HummingbirdCore
import Logging
import NIOCore

/// A connection of HTTP/1.1 inside of TLS, as Hummingbird sets it up (ADR 0066).
struct HTTPSChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let tls: TLSContext
    /// How long a client whose TLS failed may take to read why.
    let lingerMax: TimeAmount
    /// For failures of TLS. Hummingbird's own logger says nothing below warnings.
    let logger: Logger

    func setup(channel: any Channel, logger quiet: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                TLSHandler(tls, lingerMax: lingerMax, logger: logger))
        }.flatMap { base.setup(channel: channel, logger: quiet) }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// TLS of one connection, at the front of its pipeline. The handlers behind it see plaintext.
///
/// It keeps nothing back. Flushed bytes are in records at once, so the channel's bounds and writability count them, and
/// input is decrypted at once, at most one read of the socket.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Sent in the clear to a client that does not speak TLS, which is one of HTTP as a rule.
    private static let plainAnswer = Array(
        EdgeResponse.plainHTTP.bytes(
            TraceContext.next(after: nil).traceID, hasBody: true, closes: true, ByteBufferAllocator()
        ).readableBytesView)

    private let session: TLSSession
    private let lingerMax: TimeAmount
    private let logger: Logger
    /// The promise of bytes that were written and are in no record. Those of further writes follow it.
    private var written: EventLoopPromise<Void>?
    /// Why nothing is written any more.
    private var refusal: (any Error)?
    private var hasInputEnded = false

    /// - Throws: `failed` when memory is short.
    init(_ context: TLSContext, lingerMax: TimeAmount, logger: Logger) throws(TLSError) {
        session = try TLSSession(context, plainAnswer: Self.plainAnswer)
        self.lingerMax = lingerMax
        self.logger = logger
    }

    // MARK: From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard session.failure == nil else { return }
        let records = unwrapInboundIn(data)
        var plaintext = context.channel.allocator.buffer(capacity: records.readableBytes)
        do throws(TLSError) {
            try records.withUnsafeReadableBytes { bytes throws(TLSError) in try session.receive(bytes) }
            repeat {
                try plaintext.writeWithUnsafeMutableBytes(minimumWritableBytes: 1) { space throws(TLSError) in
                    try session.read(into: space)
                }
                // A buffer that is full may have been too small.
            } while plaintext.writableBytes == 0
            try send(context)
        } catch {
            return fail(error, context)
        }
        if plaintext.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plaintext)) }
        if session.peerHasFinished { endInput(context) }
    }

    /// The connection's end without TLS's own is an end, too: HTTP knows whether the request is whole.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { return endInput(context) }
        context.fireUserInboundEventTriggered(event)
    }

    private func endInput(_ context: ChannelHandlerContext) {
        guard !hasInputEnded else { return }
        hasInputEnded = true
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    func channelInactive(context: ChannelHandlerContext) {
        refuse(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    // MARK: To the client

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if let refusal {
            promise?.fail(refusal)
            return
        }
        unwrapOutboundIn(data).withUnsafeReadableBytes { session.write($0) }
        written.setOrCascade(to: promise)
    }

    func flush(context: ChannelHandlerContext) {
        guard refusal == nil else { return }
        do throws(TLSError) { try send(context) } catch { fail(error, context) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode != .input, refusal == nil {
            // First of all, because what is written at last may lead to another close.
            refusal = ChannelError.outputClosed
            // A failure ends the output as well, without saying so.
            try? send(context, isLast: true)
            refuse(ChannelError.outputClosed)
        }
        context.close(mode: mode, promise: promise)
    }

    /// Sends the records that wait, and those of everything written. Nothing written goes before the end of the
    /// handshake.
    private func send(_ context: ChannelHandlerContext, isLast: Bool = false) throws(TLSError) {
        var records = context.channel.allocator.buffer(capacity: 0)
        while session.hasOutput {
            try session.seal()
            session.takeRecords { records.writeBytes($0) }
        }
        var promise: EventLoopPromise<Void>?
        if session.isEstablished {
            swap(&promise, &written)
            if isLast {
                session.finish()
                session.takeRecords { records.writeBytes($0) }
            }
        }
        // Without a byte to send the promise still waits for those before.
        guard records.readableBytes > 0 || promise != nil else { return }
        context.writeAndFlush(wrapOutboundOut(records), promise: promise)
    }

    // MARK: Failures

    /// Ends the connection, after the alert or the answer to a client without TLS. It may take a moment to read that.
    private func fail(_ error: TLSError, _ context: ChannelHandlerContext) {
        let client = context.channel.remoteAddress.map { "\($0)" } ?? "unknown"
        logger.debug("TLS failed", metadata: ["client": "\(client)", "error": "\(error)"])
        refuse(error)
        var last = context.channel.allocator.buffer(capacity: 0)
        session.takeRecords { last.writeBytes($0) }
        if last.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(last), promise: nil) }
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: lingerMax) { channel.close(promise: nil) }
    }

    private func refuse(_ error: any Error) {
        if refusal == nil { refusal = error }
        let promise = written
        written = nil
        promise?.fail(error)
    }
}
