import BusService
import NIOCore
import NIOHTTP1
import StoreHTTP
import StoreModels

/// Refuses requests of one connection on the HTTP thread, before anything is done for them, and stamps those that go on
/// with the time of their arrival.
final class AdmissionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let admission: Admission
    /// The requests without a complete response, and whether each has a place.
    private var underway = CircularBuffer<Bool>()
    /// The request being refused. Its body is dropped; the response follows its end.
    private var refused: HTTPRequestHead?

    init(_ admission: Admission) { self.admission = admission }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(var head):
            let now = admission.now()
            switch admission.decide(head, mustGoOn: !underway.isEmpty, now: now) {
            case .refused: refused = head
            case .admitted(let hasPlace):
                underway.append(hasPlace)
                Arrival.stamp(&head, now)
                context.fireChannelRead(wrapInboundOut(.head(head)))
            }
        case .body:
            if refused == nil { context.fireChannelRead(data) }
        case .end:
            guard let head = refused else { return context.fireChannelRead(data) }
            refused = nil
            respond(to: head, context)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), let hasPlace = underway.popFirst(), hasPlace { admission.giveBack() }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        admission.giveBack(underway.count { $0 })
        underway.removeAll()
        context.fireChannelInactive()
    }

    private func respond(to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        var headers = Refusal.headers
        if !request.isKeepAlive { headers.add(name: "Connection", value: "close") }
        let trace = TraceContext.next(after: request.headers.first(name: "traceparent")).traceID
        let head = HTTPResponseHead(version: .http1_1, status: .serviceUnavailable, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(Refusal.body(trace)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if !request.isKeepAlive { context.close(promise: nil) }
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

/// The response of refused requests, encoded once but for the trace.
private enum Refusal {
    private static let placeholder = String(repeating: "0", count: 32)
    private static let parts = {
        let error = StoreError(.serviceUnavailable, "the gateway is overloaded", retryAfterMs: 1000)
        let problem = Problem(error, status: 503, title: "Service Unavailable", traceID: placeholder)
        // Encoding strings, numbers and booleans cannot fail.
        let text = String(decoding: (try? StoreJSON.encode(problem)) ?? [], as: UTF8.self)
        let trace = text.firstRange(of: placeholder) ?? text.endIndex..<text.endIndex
        return (before: Array(text[..<trace.lowerBound].utf8), after: Array(text[trace.upperBound...].utf8))
    }()

    static let headers = HTTPHeaders([
        ("Content-Type", "application/problem+json"), ("Cache-Control", "no-store"), ("Retry-After", "1"),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Length", "\(parts.before.count + placeholder.utf8.count + parts.after.count)"),
    ])

    static func body(_ traceID: String) -> ByteBuffer {
        var body = ByteBuffer()
        body.reserveCapacity(parts.before.count + parts.after.count + placeholder.utf8.count)
        body.writeBytes(parts.before)
        body.writeString(traceID)
        body.writeBytes(parts.after)
        return body
    }
}
