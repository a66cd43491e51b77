import BusService
import NIOCore
import NIOHTTP1
import StoreHTTP
import StoreModels

/// Begins or refuses the requests of one connection, one after the other, on the HTTP thread. It closes the connection
/// of a client that sends too slowly or does not read.
///
/// ``ConnectionTurns`` decides, and ``SocketGate`` holds the bytes that the client sends out of turn.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// A period in which a client has to send, or to take, some bytes.
    private struct Window {
        let start: NIODeadline
        let bytes: UInt64
        /// Bytes in the gateway's buffers, where the system does not count the bytes taken.
        var buffered = 0
    }

    private let admission: Admission
    private let limits: ConnectionLimits
    private let gate: SocketGate
    private var turns = ConnectionTurns()
    private var context: ChannelHandlerContext?
    /// The place in the pipeline behind which responses are bytes.
    private var encoder: ChannelHandlerContext?
    private var isAdvancing = false
    private var isStopping = false
    /// Whether the request in turn is the last one of the connection.
    private var isLast = false
    private var lastResponse: NIODeadline
    private var isWatching = false
    private var arrival: Window?
    private var reading: Window?
    /// The bytes that the gateway's memory counts for this connection.
    private var counted = (arriving: 0, unread: 0)

    init(_ admission: Admission, _ gate: SocketGate) {
        self.admission = admission
        limits = admission.limits
        self.gate = gate
        lastResponse = admission.now()
    }

    // MARK: From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        // Behind an offer of another protocol the parser reads nothing more, so the request is the connection's last.
        if case .head(var head) = part, head.headers.contains(name: "Upgrade") {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            part = .head(head)
        }
        take(.part(part), context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { take(.failure(error), context) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            if turns.phase == .closing { return context.close(promise: nil) }
            take(.inputEnd, context)
        case is ChannelShouldQuiesceEvent: stop(context)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        count(.arriving, gate.heldBytes + (turns.phase == .arriving ? gate.arrivingBytes : 0), context)
        if isClientAwaited { watch(context) }
    }

    private func take(_ item: ConnectionTurns.Item, _ context: ChannelHandlerContext) {
        switch turns.receive(item, traits: { admission.traits(of: $0) }) {
        case .none: break
        case .begin(let request): begin(request, context)
        case .rejectHost(let head):
            turns.refused(closes: true)
            write(.invalidHost, to: head, context)
        case .pass(let item): pass(item, context)
        }
    }

    private func begin(_ request: ConnectionTurns.Request, _ context: ChannelHandlerContext) {
        let now = admission.now()
        gate.arrivingBytes = 0
        switch admission.decide(request.traits.urgency, now: now) {
        case .refused(let pause):
            // What is shorter costs more than it spares.
            let pauses = pause >= .milliseconds(10)
            turns.refused(pauses: pauses)
            if pauses {
                context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [weak self] in self?.endPause() }
            }
            write(.overloaded(pause), to: request.head, context)
        case .admitted(let hasPermit):
            turns.admitted(hasPermit: hasPermit)
            var head = request.head
            isLast = !head.isKeepAlive
            Arrival.stamp(&head, now, isWhole: request.isWhole)
            pass(.part(.head(head)), context)
            if let body = request.body { pass(.part(.body(body)), context) }
            if request.isWhole { pass(.part(.end(nil)), context) }
        }
        // An error in the body comes behind what led to it.
        while let item = turns.next() { take(item, context) }
    }

    private func pass(_ item: ConnectionTurns.Item, _ context: ChannelHandlerContext) {
        switch item {
        case .part(let part): context.fireChannelRead(wrapInboundOut(part))
        case .failure(let error): context.fireErrorCaught(error)
        case .inputEnd: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }

    private func endPause() {
        guard let context else { return }
        turns.pauseEnded()
        advance(context)
    }

    /// Goes on with the bytes that the client sent while another request was in turn.
    private func advance(_ context: ChannelHandlerContext) {
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        while let item = turns.next() { take(item, context) }
        gate.resume()
    }

    /// Whether the gate gives the parser its bytes.
    var isReading: Bool { turns.isReading }
    /// Whether the socket is read when the gate has nothing.
    var readsSocket: Bool { turns.phase != .paused }
    /// Whether the client's bytes are dropped.
    var drops: Bool { turns.phase == .closing }
    /// Maximum number of bytes behind a request in turn.
    var behindBytesMax: Int { limits.behindBytesMax }
    /// Number of bytes that the parser gets at once.
    var pieceMax: Int { max(turns.bodyRest, limits.parsedBytesMax) }
    /// Whether the bytes that come belong to no request that has begun.
    var isArriving: Bool { turns.phase == .arriving }

    /// Ends the connection after the request in turn, of a client that sent too much behind it.
    func tooMuchBehind() {
        admission.closed(.behind)
        if turns.closeAfterTurn() { context?.close(promise: nil) }
    }

    // MARK: To the client

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            if isLast || isStopping { head.headers.replaceOrAdd(name: "Connection", value: "close") }
            if turns.responseBegan(closes: !head.isKeepAlive) { admission.release() }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            turns.responseEnded()
            let left = promise ?? context.eventLoop.makePromise()
            left.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.responseLeft() }
            context.write(data, promise: left)
        default: context.write(data, promise: promise)
        }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if turns.isSending { countUnread(context) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            _ = turns.closeAfterTurn()
            linger(context)
        }
        context.close(mode: mode, promise: promise)
    }

    /// Writes a response behind the encoder, as bytes: at ten times the peak most of a gateway's work are refusals.
    private func write(_ response: EdgeResponse, to head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let trace = TraceContext.next(after: head.headers.first(name: "traceparent")).traceID
        let bytes = response.bytes(
            trace, hasBody: head.method != .HEAD, closes: response.closes || !head.isKeepAlive || isStopping,
            context.channel.allocator)
        if isStopping { _ = turns.closeAfterTurn() }
        let left = context.eventLoop.makePromise(of: Void.self)
        left.futureResult.assumeIsolated().whenComplete { [weak self] _ in self?.responseLeft() }
        encoder?.writeAndFlush(NIOAny(IOData.byteBuffer(bytes)), promise: left)
        if turns.isSending { countUnread(context) }
    }

    private func responseLeft() {
        guard let context else { return }
        lastResponse = admission.now()
        turns.responseLeft()
        reading = nil
        count(.unread, 0, context)
        if turns.phase == .closing { close(context: context, mode: .output, promise: nil) } else { advance(context) }
    }

    /// Gives the client a moment to read the response and to close the connection.
    private func linger(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: limits.lingerMax) { [weak self] in
            guard let self, turns.phase == .closing else { return }
            self.context?.close(promise: nil)
        }
    }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        gate.connection = self
        encoder = try? context.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
        watchIdle(context, in: limits.idleMax)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        encoder = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        if turns.takePermit() { admission.release() }
        if counted.arriving + counted.unread > 0 { admission.memory.forget(context.channel) }
        // A response that fails from here on begins no pipelined request: its place would not be given back.
        self.context = nil
        context.fireChannelInactive()
    }

    /// Ends the connection when the gateway stops: at once, or after the response to the request in turn.
    private func stop(_ context: ChannelHandlerContext) {
        isStopping = true
        reading = nil
        if turns.closeAfterTurn() { return context.close(promise: nil) }
        if turns.isSending { countUnread(context) }
    }

    /// Closes the connection when it has been idle for too long. One task a connection waits for it, however many
    /// requests come.
    private func watchIdle(_ context: ChannelHandlerContext, in time: TimeAmount) {
        context.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
            guard let self, let context = self.context else { return }
            let rest = lastResponse + limits.idleMax - admission.now()
            let isIdle = turns.phase == .arriving && turns.arriving == nil
            guard isIdle, rest <= .zero else { return watchIdle(context, in: isIdle ? rest : limits.idleMax) }
            context.close(promise: nil)
        }
    }

    // MARK: Slow clients

    /// Whether the gateway waits for the rest of a request.
    private var isClientAwaited: Bool { turns.isAwaitingRest || turns.phase == .arriving && gate.arrivingBytes > 0 }

    private func count(_ kind: ConnectionMemory.Kind, _ bytes: Int, _ context: ChannelHandlerContext) {
        switch kind {
        case .arriving:
            guard bytes != counted.arriving else { return }
            counted.arriving = bytes
        case .unread:
            guard bytes != counted.unread else { return }
            counted.unread = bytes
        }
        admission.closed(.memory, admission.memory.set(kind, of: context.channel, to: bytes))
    }

    private func countUnread(_ context: ChannelHandlerContext) {
        let bytes = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        count(.unread, bytes, context)
        if bytes > 0 { watch(context) } else { reading = nil }
    }

    /// Looks at the connection in a second, and again while it is slow.
    private func watch(_ context: ChannelHandlerContext) {
        guard !isWatching else { return }
        isWatching = true
        if arrival == nil, isClientAwaited { arrival = Window(start: admission.now(), bytes: gate.receivedBytes) }
        context.eventLoop.assumeIsolated().scheduleTask(in: limits.watchInterval) { [weak self] in
            self?.look()
        }
    }

    private func look() {
        isWatching = false
        guard let context, context.channel.isActive else { return }
        let now = admission.now()
        checkArrival(now, context)
        if turns.isSending { countUnread(context) }
        guard counted.unread > 0 else {
            if isClientAwaited { watch(context) }
            return
        }
        TCPCounts.read(of: context.channel) { [weak self] counts in
            guard let self else { return }
            checkReading(now, counts?.acknowledgedBytes ?? 0)
        }
        watch(context)
    }

    private func checkArrival(_ now: NIODeadline, _ context: ChannelHandlerContext) {
        // While the gateway does not read, the client cannot send.
        guard isClientAwaited, gate.isSocketRead else { return arrival = nil }
        guard let window = arrival else {
            return arrival = Window(start: now, bytes: gate.receivedBytes)
        }
        guard now - window.start >= limits.arrivalWindow else { return }
        let hasHead = turns.isAwaitingRest
        if hasHead, gate.receivedBytes - window.bytes >= UInt64(limits.arrivalBytesMin) {
            return arrival = Window(start: now, bytes: gate.receivedBytes)
        }
        admission.closed(.late)
        guard let head = turns.arriving?.head else { return context.close(promise: nil) }
        turns.refused(closes: true)
        write(.late, to: head, context)
    }

    private func checkReading(_ now: NIODeadline, _ acknowledged: UInt64) {
        guard let context, counted.unread > 0 else { return }
        let next = Window(start: now, bytes: acknowledged, buffered: counted.unread)
        guard let window = reading else { return reading = next }
        let (time, least) =
            isStopping
            ? (limits.unreadStopMax, 1) : (limits.unreadWindow, limits.unreadBytesMin)
        guard now - window.start >= time else { return }
        let taken = max(Int(clamping: acknowledged &- window.bytes), window.buffered - counted.unread)
        if taken >= least { return reading = next }
        admission.closed(.unread)
        context.close(promise: nil)
    }
}

/// Holds the bytes that a client sends while another of its requests is in turn. It is in front of the HTTP parser.
///
/// The socket is read no further then. A connection with nothing behind its request is read on: so the end of the
/// connection is seen, and a client that sends one request at a time costs nothing more.
final class SocketGate: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    fileprivate weak var connection: ConnectionHandler?
    private var context: ChannelHandlerContext?
    private var held = CircularBuffer<ByteBuffer>()
    private(set) var heldBytes = 0
    /// All bytes that the client has sent.
    private(set) var receivedBytes: UInt64 = 0
    /// Bytes that have come of a request that has not begun.
    fileprivate(set) var arrivingBytes = 0
    /// Whether the socket is read as soon as bytes come.
    private(set) var isSocketRead = false
    private var isDelivering = false
    private var isReadDue = false
    private var isInputClosed = false
    private var isOverfull = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        receivedBytes += UInt64(bytes.readableBytes)
        isSocketRead = false
        guard let connection, !connection.drops, !isOverfull else { return }
        if held.isEmpty, !isDelivering, connection.isReading, bytes.readableBytes <= connection.pieceMax {
            // The usual case: one request, which fits.
            return give(bytes, connection, context)
        }
        held.append(bytes)
        heldBytes += bytes.readableBytes
        deliver(context)
        guard heldBytes > connection.behindBytesMax else { return }
        (isOverfull, heldBytes) = (true, 0)
        held.removeAll()
        connection.tooMuchBehind()
    }

    private func give(_ bytes: ByteBuffer, _ connection: ConnectionHandler, _ context: ChannelHandlerContext) {
        if connection.isArriving { arrivingBytes += bytes.readableBytes }
        context.fireChannelRead(wrapInboundOut(bytes))
    }

    /// Gives the parser the bytes that it may have.
    private func deliver(_ context: ChannelHandlerContext) {
        guard !isDelivering, let connection else { return }
        isDelivering = true
        defer { isDelivering = false }
        while connection.isReading, var bytes = held.popFirst() {
            let piece = bytes.readSlice(length: min(bytes.readableBytes, connection.pieceMax)) ?? bytes
            if bytes.readableBytes > 0 { held.prepend(bytes) }
            heldBytes -= piece.readableBytes
            give(piece, connection, context)
        }
    }

    /// Goes on when the next request is in turn.
    fileprivate func resume() {
        guard let context, !isDelivering else { return }
        deliver(context)
        // What went on is seen by the handlers only now.
        context.fireChannelReadComplete()
        guard held.isEmpty else { return }
        if isInputClosed {
            isInputClosed = false
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if isReadDue, connection?.readsSocket == true {
            isReadDue = false
            readSocket(context)
        }
    }

    func read(context: ChannelHandlerContext) {
        if held.isEmpty, connection?.readsSocket == true { readSocket(context) } else { isReadDue = true }
    }

    private func readSocket(_ context: ChannelHandlerContext) {
        isSocketRead = true
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event, !held.isEmpty { return isInputClosed = true }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
}

/// Adds a ``ConnectionHandler`` where requests have been parsed and not yet been converted, with its gate in front of the
/// parser, and removes itself. Hummingbird adds handlers of the gateway only behind its conversion.
final class ConnectionInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    private let admission: Admission

    init(_ admission: Admission) { self.admission = admission }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            // One read of the socket is held at most.
            try context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let gate = SocketGate()
            try pipeline.addHandler(gate, position: .before(decoder))
            try pipeline.addHandler(ConnectionHandler(admission, gate), position: .after(decoder))
        } catch {
            preconditionFailure("the pipeline has no HTTP decoder: \(error)")
        }
        pipeline.removeHandler(self, promise: nil)
    }
}
