import BusProtocol
import EventLoop
import Logging

/// The part of an ``SBPClient`` that lives on the loop. It performs the decisions of ``ClientStateMachine``, and
/// matches arriving messages with their waiters.
package actor SBPConnection: BusConnection {
    package static let peerName = "broker"

    nonisolated let loop: UVLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let configuration: SBPClient.Configuration
    let broadcast: StateBroadcast
    package let core: BusClientCore
    let logger: Logger
    var machine: ClientStateMachine
    var link: SBPLink?
    /// `_INBOX.<id>` of the current connection.
    var inbox = ""
    var subscriptions = SBPSubscriptionTable()
    /// Events that wait for a connection, as frames.
    var buffered: [UInt8] = []
    var bufferedCount = 0
    /// Number of connection attempts. It distinguishes the result of an abandoned attempt from a later one's.
    private var attempt = 0

    /// The number of the ping that follows the subscriptions of a new connection. Flushes have larger numbers.
    static let resubscribedPing = 0

    init(_ configuration: SBPClient.Configuration, loop: UVLoop, broadcast: StateBroadcast, logger: Logger) {
        self.configuration = configuration
        self.loop = loop
        self.broadcast = broadcast
        self.logger = logger
        core = BusClientCore(loop: loop, broadcast: broadcast, logger: logger)
        machine = ClientStateMachine(configuration)
    }

    package static func request(_ message: BusMessage) throws(BusError) -> PubMessage { try message.pub() }

    package static func event(_ message: BusMessage) throws(BusError) -> [UInt8] { try message.frame() }

    package var sids: [Int] { subscriptions.sids }

    package func start() { handle(.start) }

    package func stop() { handle(.stop) }

    /// Feeds the state machine and performs its actions.
    func handle(_ event: ClientStateMachine.Event) {
        for action in machine.handle(event, now: loop.uptime()) { perform(action) }
    }

    private func perform(_ action: ClientStateMachine.Action) {
        switch action {
        case .open: open()
        case .send(let message): write { (output) throws(BusViolation) in message.encode(into: &output) }
        case .becomeReady(let inbox): becomeReady(inbox)
        case .sendPing: write { (output) throws(BusViolation) in ControlFrame.ping(into: &output) }
        case .close(let goodbye):
            link?.close(goodbye: goodbye)
            link = nil
            attempt += 1
        case .fail(let error): core.connectionFailed(error, subscriptions.connectionLost())
        case .wait(let duration): core.wait(duration) { self.handle(.tick) }
        case .end(let reason):
            core.end(reason, events: bufferedCount, subscriptions.removeAll(reason))
            (buffered, bufferedCount) = ([], 0)
        }
    }

    private func open() {
        attempt += 1
        let mine = attempt
        TCPStream.connect(
            loop: loop, host: configuration.url.host, port: configuration.url.port,
            timeout: BusClientLimits.connectTimeout
        ) { result in
            self.connectEnded(result, mine)
        }
    }

    private func connectEnded(_ result: Result<TCPStream, UVError>, _ mine: Int) {
        switch result {
        case .success(let stream) where mine == attempt:
            let link: SBPLink
            do throws(BusError) {
                link = try SBPLink(stream, url: configuration.url)
            } catch {
                stream.close()
                return handle(.lost(error))
            }
            self.link = link
            link.start(
                input: { self.machine.noteInput(now: self.loop.uptime()) },
                handle: { header, body in self.receive(header, body) },
                end: { error in if link === self.link { self.handle(.lost(error)) } })
            handle(.opened)
        case .success(let stream): stream.close()
        case .failure(let error) where mine == attempt: handle(.lost(BusError(.disconnected, "\(error)")))
        case .failure: break
        }
    }

    /// Restores, after signing in, the inbox, the subscriptions and the buffered events, then pings. Frames are handled
    /// in order, so everything this client sends from now on finds all of it in place. For others that is so when the
    /// pong comes.
    private func becomeReady(_ inbox: String) {
        self.inbox = inbox
        guard let pattern = try? SubjectPattern("\(inbox).*") else {
            return handle(.lost(BusError(.protocolViolation, "the broker gave an inbox that is not a subject")))
        }
        let inboxSubscription = SubMessage(sid: BusClientCore.inboxSid, subject: pattern)
        write { (output) throws(BusViolation) in inboxSubscription.encode(into: &output) }
        for sid in subscriptions.sids { sendSubscribe(sid) }
        if !buffered.isEmpty { link?.write(buffered) }
        (buffered, bufferedCount) = ([], 0)
        write { (output) throws(BusViolation) in ControlFrame.ping(t: Self.resubscribedPing, into: &output) }
    }

    /// Writes a frame that cannot be refused, if there is a connection.
    func write(_ encode: (inout [UInt8]) throws(BusViolation) -> Void) {
        do throws(BusViolation) {
            try link?.write(encode)
        } catch {
            logger.error("a frame was not sent", metadata: ["error": "\(error)"])
        }
    }

    func sendSubscribe(_ sid: Int) {
        guard let message = subscriptions.subscribeFrame(sid) else { return }
        write { (output) throws(BusViolation) in message.encode(into: &output) }
    }
}

extension SBPConnection {
    /// Handles one frame of the broker.
    func receive(_ header: Span<UInt8>, _ body: Span<UInt8>) {
        do throws(BusViolation) {
            switch try ServerMessage(header) {
            case .msg(let message): deliver(message, body)
            case .ok(let reply): acknowledged(reply)
            case .ping(let t):
                write { (output) throws(BusViolation) in ControlFrame.pong(echoing: t, into: &output) }
            case .pong(let t): answered(t)
            case .err(let reply): refused(reply)
            case .hello(let hello): handle(.hello(hello))
            case .bye(let why):
                handle(.lost(BusError(.disconnected, "the broker closed the connection: \(why)", origin: .broker)))
            case .drain(let drain):
                logger.info("the broker is about to stop", metadata: ["durationMs": "\(drain.inMilliseconds)"])
            case .unknown: break
            }
        } catch {
            handle(.lost(BusError(.protocolViolation, "the broker broke the protocol: \(error)")))
        }
    }

    private func deliver(_ message: MsgMessage, _ body: Span<UInt8>) {
        let delivery = BusMessage(
            subject: message.subject, reply: message.reply, key: message.key, headers: message.headers,
            status: message.status, body: body.withUnsafeBufferPointer { Array($0) })
        if message.sid == BusClientCore.inboxSid { return core.reply(delivery, inbox: inbox) }
        // An unknown sid is a delivery that crossed an unsubscribe.
        subscriptions.handlerOfDelivery(to: message.sid)?(delivery)
    }

    private func acknowledged(_ reply: OkMessage) {
        if reply.re == BusOp.connect.rawValue { return handle(.signedIn(reply)) }
        guard let sequence = reply.seq else { return }
        subscriptions.resolve(sequence, nil)?.resume()
    }

    private func answered(_ t: [UInt8]?) {
        guard let t, let number = Int(String(decoding: t, as: UTF8.self)) else { return }
        if number == Self.resubscribedPing { return core.connected(to: configuration.url) }
        core.endFlush(number, .success(()))
    }

    private func refused(_ reply: ErrMessage) {
        if reply.fatal { return handle(.refused(reply)) }
        let error = BusError(reply)
        if let sequence = reply.seq, let resolution = subscriptions.resolve(sequence, error) {
            resolution.resume()
            if let pattern = resolution.orphan {
                logger.error(
                    "a subscription was refused after a reconnect",
                    metadata: ["subject": "\(pattern)", "error": "\(error)"])
            }
            return
        }
        // Publishes carry no sequence number, so requests are found by subject: what one may not, none may.
        var isRequest = false
        if reply.re == BusOp.pub.rawValue, let subject = reply.subject {
            isRequest = core.failRequests(to: subject, error)
        }
        if !isRequest {
            logger.warning(
                "the broker refused", metadata: ["subject": "\(reply.subject ?? "")", "error": "\(error)"])
        }
    }
}

extension SBPConnection {
    /// Sends a request. The waiter is resumed in any case: with a reply, an error or at the deadline.
    package func request(_ message: PubMessage, _ token: UInt64, _ waiter: PendingRequests.Waiter, timeout: Duration) {
        guard machine.isReady, let link else { return waiter.fail(core.notConnected) }
        if let error = core.requestsError { return waiter.fail(error) }
        do throws(BusViolation) {
            var message = message
            message.reply = try Subject("\(inbox).\(token)")
            try link.write { (output) throws(BusViolation) in try message.encode(into: &output) }
        } catch {
            return waiter.fail(BusError(error))
        }
        core.add(waiter, token: token, subject: message.subject.text, timeout: timeout)
    }

    package func publish(_ frame: [UInt8]) -> BusError? {
        if machine.isReady, let link {
            link.write(frame)
            return nil
        }
        if broadcast.state == .closed { return core.notConnected }
        guard buffered.count + frame.count <= BusClientLimits.bufferedBytesMax else {
            return BusError(.bufferFull, "1 MiB of events wait for a connection already")
        }
        buffered.append(contentsOf: frame)
        bufferedCount += 1
        return nil
    }

    package func subscribe(
        _ sid: Int, _ pattern: SubjectPattern, _ queue: QueueName?, max: Int?, _ waiter: BusClientCore.Waiter,
        _ handler: @escaping @Sendable (BusMessage) -> Void
    ) {
        if broadcast.state == .closed { return waiter.resume(returning: .failure(core.notConnected)) }
        subscriptions.add(sid, pattern, queue: queue, max: max, waiter: waiter, handler: handler)
        if machine.isReady { sendSubscribe(sid) }
    }

    /// Ends a subscription whose caller was cancelled before the broker answered.
    package func cancelSubscribe(_ sid: Int) {
        guard let waiter = subscriptions.remove(sid) else { return }
        write { (output) throws(BusViolation) in UnsubMessage(sid: sid).encode(into: &output) }
        waiter.resume(returning: .failure(BusError(.cancelled, "the task was cancelled")))
    }

    package func unsubscribe(_ sid: Int, _ continuation: CheckedContinuation<Void, Never>) {
        guard machine.isReady else {
            subscriptions.remove(sid)?.resume(returning: .failure(BusError(.cancelled, "it was unsubscribed")))
            return continuation.resume()
        }
        guard let message = subscriptions.unsubscribeFrame(sid, continuation) else { return continuation.resume() }
        write { (output) throws(BusViolation) in message.encode(into: &output) }
    }

    package func flush(_ number: Int, _ timeout: Duration, _ waiter: BusClientCore.Waiter) {
        guard machine.isReady else { return waiter.resume(returning: .failure(core.notConnected)) }
        core.addFlush(number, waiter)
        write { (output) throws(BusViolation) in ControlFrame.ping(t: number, into: &output) }
    }
}

/// One TCP connection of a client and the frames on it. A client has one at a time. Confined to the loop.
final class SBPLink {
    let stream: TCPStream
    private let url: BusURL
    private var decoder = FrameDecoder(limits: .fromBroker)
    /// Whether the link has ended and hands out no frame any more.
    private var isOver = false
    /// Kept between frames, so that writing one allocates nothing.
    private var output: [UInt8] = []

    /// - Throws: `tlsFailed` when a file for TLS cannot be used.
    init(_ stream: TCPStream, url: BusURL) throws(BusError) {
        self.stream = stream
        self.url = url
        guard let files = url.tls else { return }
        do throws(TLSError) {
            // The files are read for each connection, so that a renewed certificate needs no restart.
            try stream.startTLS(try TLSContext(.client, files), peerName: url.host)
        } catch {
            throw Self.explain(error, url)
        }
    }

    private static func explain(_ failure: TLSError, _ url: BusURL) -> BusError {
        BusError(tls: failure, peer: "broker", address: "\(url)", authorities: url.tls?.authorities)
    }

    /// Starts reading.
    /// - Parameters:
    ///   - input: Called before each read, for measuring silence.
    ///   - handle: Gets each frame. Header and body are valid during the call.
    ///   - end: Called at most once: the connection ended or the broker broke the protocol.
    func start(
        input: @escaping () -> Void, handle: @escaping (Span<UInt8>, Span<UInt8>) -> Void,
        end: @escaping (BusError) -> Void
    ) {
        stream.onRead = { [self] buffer in
            input()
            read(buffer, handle, end)
        }
        stream.onClose = { [self] error in
            guard !isOver else { return }
            isOver = true
            if let failure = stream.tlsFailure { return end(Self.explain(failure, url)) }
            end(BusError(.disconnected, error.map { "\($0)" } ?? "the broker closed the connection"))
        }
        stream.startReading()
    }

    /// Encodes a frame and sends it with the loop turn's other writes.
    func write(_ encode: (inout [UInt8]) throws(BusViolation) -> Void) throws(BusViolation) {
        output.removeAll(keepingCapacity: true)
        try encode(&output)
        stream.write(output)
    }

    /// Sends frames that are encoded already.
    func write(_ frames: [UInt8]) { stream.write(frames) }

    /// Ends the connection. Nothing is handed out after this.
    func close(goodbye: Bool) {
        isOver = true
        guard goodbye else { return stream.close() }
        var frame: [UInt8] = []
        ControlFrame.bye(why: "closed by the client", into: &frame)
        stream.write(frame)
        stream.closeAfterFlush()
    }

    private func read(
        _ buffer: UnsafeRawBufferPointer, _ handle: (Span<UInt8>, Span<UInt8>) -> Void, _ end: (BusError) -> Void
    ) {
        guard !isOver else { return }
        do throws(BusViolation) {
            let bytes = Span<UInt8>(_bytes: buffer.bytes)
            try decoder.decode(bytes) { header, body in
                handle(header, body)
                return isOver ? .stop : .proceed
            }
        } catch {
            isOver = true
            end(BusError(.protocolViolation, "the broker sent an invalid frame: \(error)"))
        }
    }
}
