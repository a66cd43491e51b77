import EventLoop

/// A server on a free port of 127.0.0.1 that answers each connection as the test says, byte for byte.
final class RawServer: @unchecked Sendable {
    // Why unchecked: what is not a constant or behind a lock is touched on the loop only.

    /// What it does once a request has come.
    enum Answer: Sendable {
        case text(String)
        case bytes([UInt8])
        /// The text, then the end of the connection.
        case textAndClose(String)
        /// The first text, then the second again and again, as fast as it is read.
        case endless(String, String)
        /// The first text, then a byte every ten milliseconds.
        case drip(String)
        case nothing
        case close
        case reset
    }

    let port: Int
    private let loop: UVLoop
    private let listener: TCPListener
    private let waitsForRequest: Bool
    private let answer: @Sendable (Int) -> Answer
    private var timers: [LoopTimer] = []
    private let heard = Locked<[String]>([])
    private let open = Locked((connections: 0, ended: 0))

    /// The requests so far, with what had come of their bodies.
    var requests: [String] { heard.withLock { $0 } }
    /// The connections so far, and how many the client has ended.
    var connections: (all: Int, ended: Int) { open.withLock { ($0.connections, $0.ended) } }

    /// - Parameters:
    ///   - waitsForRequest: Whether it answers a request, or as soon as it is connected to.
    ///   - answer: Called with the number of the connection, from 0.
    static func start(
        waitsForRequest: Bool = true, _ answer: @escaping @Sendable (Int) -> Answer
    ) async throws -> RawServer {
        let loop = try UVLoop.start(name: "raw-server")
        return await withCheckedContinuation { continuation in
            loop.execute {
                do throws(UVError) {
                    let server = RawServer(
                        loop, try TCPListener.bind(loop: loop, host: "127.0.0.1", port: 0), waitsForRequest, answer)
                    try server.listener.listen { server.take($0) }
                    continuation.resume(returning: server)
                } catch {
                    fatalError("\(error)")
                }
            }
        }
    }

    private init(
        _ loop: UVLoop, _ listener: TCPListener, _ waitsForRequest: Bool, _ answer: @escaping @Sendable (Int) -> Answer
    ) {
        self.loop = loop
        self.listener = listener
        self.waitsForRequest = waitsForRequest
        self.answer = answer
        port = listener.localAddress.port
    }

    func stop() async { await loop.close() }

    private func take(_ stream: TCPStream) {
        let number = open.withLock { open in
            defer { open.connections += 1 }
            return open.connections
        }
        let request = Locked("")
        stream.onRead = { [self] bytes in
            let text = request.withLock { request in
                request += String(decoding: bytes, as: UTF8.self)
                return request
            }
            guard waitsForRequest, text.contains("\r\n\r\n"), text.hasSuffix("}") else { return }
            heard.withLock { $0.append(text) }
            say(answer(number), to: stream)
        }
        stream.onClose = { [self] _ in open.withLock { $0.ended += 1 } }
        stream.startReading()
        if !waitsForRequest { say(answer(number), to: stream) }
    }

    private func say(_ answer: Answer, to stream: TCPStream) {
        switch answer {
        case .text(let text): stream.write(Array(text.utf8))
        case .bytes(let bytes): stream.write(bytes)
        case .textAndClose(let text):
            stream.write(Array(text.utf8))
            stream.closeAfterFlush()
        case .endless(let first, let more):
            let piece = Array(String(repeating: more, count: 1 + 16_384 / more.utf8.count).utf8)
            stream.write(Array(first.utf8) + piece)
            stream.onDrain = { stream.write(piece) }
        case .drip(let first):
            stream.write(Array(first.utf8))
            let timer = LoopTimer(loop: loop)
            timer.start(after: .milliseconds(10), repeating: .milliseconds(10)) { stream.write([0x61]) }
            timers.append(timer)
        case .nothing: break
        case .close: stream.close()
        case .reset: stream.reset()
        }
    }
}
