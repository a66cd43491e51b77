import BusService
import NIOCore
import NIOHTTP1
import StoreHTTP
import StoreModels

/// Refuses requests of one connection on the HTTP thread, before anything is done for them, and stamps those that go on
/// with the time of their arrival.
///
/// After a refusal the connection is not read until the time in `Retry-After`: its next request waits in the kernel.
final class AdmissionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let admission: Admission
    /// The requests without a complete response, and whether each has a place.
    private var underway = CircularBuffer<Bool>()
    /// The request being refused. Its body is dropped; the response follows its end.
    private var refused: (head: HTTPRequestHead, pause: TimeAmount)?
    /// The request being read, kept until its end has come too or nothing more has.
    private var begun: (head: HTTPRequestHead, arrivedAt: NIODeadline, body: NIOAny?)?
    private var pausing: Scheduled<Void>?
    /// Whether the channel wanted to read during the pause.
    private var isReadDue = false
    /// The place in the pipeline behind which responses are bytes.
    private var encoder: ChannelHandlerContext?

    init(_ admission: Admission) { self.admission = admission }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            let now = admission.now()
            switch admission.decide(head, mustGoOn: !underway.isEmpty, now: now) {
            case .refused(let pause): refused = (head, pause)
            case .admitted(let hasPlace):
                underway.append(hasPlace)
                begun = (head, now, nil)
            }
        case .body:
            if refused != nil { return }
            if begun != nil, begun?.body == nil {
                begun?.body = data
            } else {
                passOn(context)
                context.fireChannelRead(data)
            }
        case .end:
            if let (head, pause) = refused {
                refused = nil
                return respond(to: head, pause, context)
            }
            passOn(context, isWhole: true)
            context.fireChannelRead(data)
        }
    }

    /// Passes on what was kept of the request being read.
    private func passOn(_ context: ChannelHandlerContext, isWhole: Bool = false) {
        guard let request = begun else { return }
        begun = nil
        var head = request.head
        Arrival.stamp(&head, request.arrivedAt, isWhole: isWhole)
        context.fireChannelRead(wrapInboundOut(.head(head)))
        if let body = request.body { context.fireChannelRead(body) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        passOn(context)
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        passOn(context)
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        passOn(context)
        context.fireUserInboundEventTriggered(event)
    }

    func read(context: ChannelHandlerContext) {
        if pausing == nil { context.read() } else { isReadDue = true }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), let hasPlace = underway.popFirst(), hasPlace { admission.giveBack() }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        passOn(context)
        admission.giveBack(underway.count { $0 })
        underway.removeAll()
        endPause()
        context.fireChannelInactive()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        encoder = nil
        endPause()
    }

    /// Writes the response behind the encoder, as bytes: at ten times the peak most of a gateway's work are refusals.
    private func respond(to request: HTTPRequestHead, _ pause: TimeAmount, _ context: ChannelHandlerContext) {
        let trace = TraceContext.next(after: request.headers.first(name: "traceparent")).traceID
        let response = Refusal.response(
            trace, after: pause, hasBody: request.method != .HEAD, closes: !request.isKeepAlive,
            context.channel.allocator)
        encoder?.writeAndFlush(NIOAny(IOData.byteBuffer(response)), promise: nil)
        guard request.isKeepAlive else { return context.close(promise: nil) }
        // What is shorter costs more than it spares.
        guard pause >= .milliseconds(10) else { return }
        endPause()
        pausing = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
            // Cancelling the task that runs would search for it among those of all connections.
            pausing = nil
            if isReadDue { context.read() }
            isReadDue = false
        }
    }

    private func endPause() {
        pausing?.cancel()
        pausing = nil
    }
}

/// Adds an ``AdmissionHandler`` where requests have been parsed and not yet been converted, and removes itself.
/// Hummingbird adds handlers of the gateway only behind its conversion.
final class AdmissionInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    private let admission: Admission

    init(_ admission: Admission) { self.admission = admission }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(AdmissionHandler(admission), position: .after(decoder))
        } catch {
            preconditionFailure("the pipeline has no HTTP decoder: \(error)")
        }
        pipeline.removeHandler(self, promise: nil)
    }
}

/// The responses of refused requests, encoded once but for the trace.
private enum Refusal {
    private struct Encoded {
        static let traceDigits = 32

        let head: [UInt8]
        let beforeTrace: [UInt8]
        let afterTrace: [UInt8]

        init(seconds: Int) {
            let placeholder = String(repeating: "0", count: Self.traceDigits)
            let error = StoreError(.serviceUnavailable, "the gateway is overloaded", retryAfterMs: seconds * 1000)
            let problem = Problem(error, status: 503, title: "Service Unavailable", traceID: placeholder)
            // Encoding strings, numbers and booleans cannot fail.
            let text = String(decoding: (try? StoreJSON.encode(problem)) ?? [], as: UTF8.self)
            let trace = text.firstRange(of: placeholder) ?? text.endIndex..<text.endIndex
            beforeTrace = Array(text[..<trace.lowerBound].utf8)
            afterTrace = Array(text[trace.upperBound...].utf8)
            head = Array(
                """
                HTTP/1.1 503 Service Unavailable\r
                Content-Type: application/problem+json\r
                Cache-Control: no-store\r
                Retry-After: \(seconds)\r
                X-Content-Type-Options: nosniff\r
                Content-Length: \(beforeTrace.count + Self.traceDigits + afterTrace.count)\r

                """.utf8)
        }
    }

    private static let encoded = (1...Int(RefusalPace.pauseMax.nanoseconds / 1_000_000_000)).map(Encoded.init(seconds:))

    /// - Parameter pause: The time to come again, in `Retry-After` rounded up to seconds, at least one.
    static func response(
        _ traceID: String, after pause: TimeAmount, hasBody: Bool, closes: Bool, _ allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        let encoded = encoded[min(encoded.count - 1, Int(max(0, pause.nanoseconds - 1) / 1_000_000_000))]
        var response = allocator.buffer(capacity: 512)
        response.writeBytes(encoded.head)
        if closes { response.writeStaticString("Connection: close\r\n") }
        response.writeStaticString("\r\n")
        if hasBody {
            response.writeBytes(encoded.beforeTrace)
            response.writeString(traceID)
            response.writeBytes(encoded.afterTrace)
        }
        return response
    }
}
