import BusProtocol
import EventLoop

/// A broker that says what the test tells it to, and keeps what clients say.
actor ScriptedBroker {
    nonisolated let loop: UVLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// What a client sent.
    enum Received: Sendable {
        case connect(ConnectMessage)
        case sub(SubMessage)
        case unsub(UnsubMessage)
        case pub(subject: String, reply: String?)
        case ping(String)
        case pong(String)
        case bye
    }

    private var listener: TCPListener?
    private var stream: TCPStream?
    private var decoder = FrameDecoder(limits: .connected)
    /// Connections so far; each gets another inbox, `_INBOX.c<number>`.
    private(set) var connections = 0
    private(set) var received: [Received] = []
    /// Whether a new connection is greeted.
    private var greets = true
    private var answersSubs = true

    init(loop: UVLoop) { self.loop = loop }

    func start() throws -> Int {
        let listener = try TCPListener.bind(loop: loop, host: "127.0.0.1", port: 0)
        self.listener = listener
        try listener.listen { stream in self.accept(stream) }
        return listener.localAddress.port
    }

    func stop() {
        listener?.close()
        stream?.close()
    }

    func refuseSubs() { answersSubs = false }
    func forget() { received = [] }

    /// Sends raw bytes to the newest connection.
    func send(_ bytes: [UInt8]) { stream?.write(bytes) }

    /// Sends a frame with a header as written here.
    func send(header: String, body: [UInt8] = []) {
        var frame = [0] + bigEndian(header.utf8.count, 3) + bigEndian(body.count, 4)
        frame += Array(header.utf8) + body
        stream?.write(frame)
    }

    private func bigEndian(_ number: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: number >> (8 * (bytes - 1 - $0))) }
    }

    private func accept(_ stream: TCPStream) {
        connections += 1
        self.stream = stream
        decoder = FrameDecoder(limits: .connected)
        stream.onRead = { buffer in if stream === self.stream { self.read(buffer) } }
        stream.startReading()
        var hello: [UInt8] = []
        HelloMessage(id: "s", name: "scripted", ver: "1", cid: connections, auth: ["none"], time: 0).encode(
            into: &hello)
        stream.write(hello)
    }

    private func read(_ buffer: UnsafeRawBufferPointer) {
        var frames: [[UInt8]] = []
        try? decoder.decode(Span<UInt8>(_bytes: buffer.bytes)) { header, _ in
            frames.append(header.withUnsafeBufferPointer { Array($0) })
            return .proceed
        }
        for frame in frames { handle(frame) }
    }

    private func handle(_ frame: [UInt8]) {
        guard let header = try? FrameHeader(scanning: frame.span),
            let message = try? ClientMessage(header, in: frame.span, bodyCount: 0)
        else { return }
        switch message {
        case .connect(let connect):
            received.append(.connect(connect))
            reply(OkMessage(re: .connect, user: "u", inbox: "_INBOX.c\(connections)", pingMilliseconds: 2000))
        case .sub(let sub):
            received.append(.sub(sub))
            if let sequence = sub.seq, answersSubs { reply(OkMessage(re: .sub, seq: sequence)) }
        case .unsub(let unsub):
            received.append(.unsub(unsub))
            if let sequence = unsub.seq { reply(OkMessage(re: .unsub, seq: sequence)) }
        case .pub(let pub):
            let bytes = frame.span
            received.append(
                .pub(subject: bytes.extracting(pub.subject).text, reply: pub.reply.map { bytes.extracting($0).text }))
        case .ping(let t):
            received.append(.ping(String(decoding: t ?? [], as: UTF8.self)))
            var pong: [UInt8] = []
            ControlFrame.pong(echoing: t, into: &pong)
            stream?.write(pong)
        case .pong: received.append(.pong(String(decoding: header.t(in: frame), as: UTF8.self)))
        case .bye: received.append(.bye)
        }
    }

    private func reply(_ ok: OkMessage) {
        var frame: [UInt8] = []
        ok.encode(into: &frame)
        stream?.write(frame)
    }
}

extension FrameHeader {
    /// The raw bytes of `t`, without the quotes of a string.
    fileprivate func t(in frame: [UInt8]) -> [UInt8] { Array(frame[self[.t].range]) }
}
