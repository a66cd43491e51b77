internal import EventLoop

/// A server on a free port of 127.0.0.1 that answers with the test's exact bytes.
package final class RawServer: @unchecked Sendable {
    // Why unchecked: what is not a constant or behind a lock is touched on the loop only.

    /// The server's action once a request has come.
    package enum Behavior: Sendable {
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

    package let port: Int
    private let loop: UVLoop
    private let listener: TCPListener
    private let waitsForRequest: Bool
    private let answer: @Sendable (Int) -> Behavior
    private var timers: [LoopTimer] = []
    private let heard = Locked<[String]>([])
    private let open = Locked((connections: 0, ended: 0))

    /// The requests so far, with their bodies.
    package var requests: [String] { heard.withLock { $0 } }
    /// The connections so far, and how many the client has ended.
    package var connections: (all: Int, ended: Int) { open.withLock { ($0.connections, $0.ended) } }

    /// - Parameters:
    ///   - waitsForRequest: Whether it answers a request, or as soon as it is connected to.
    ///   - answer: Called with the number of the request, from 0, or without requests with that of the connection.
    package static func start(
        waitsForRequest: Bool = true, _ answer: @escaping @Sendable (Int) -> Behavior
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
        _ loop: UVLoop, _ listener: TCPListener, _ waitsForRequest: Bool,
        _ answer: @escaping @Sendable (Int) -> Behavior
    ) {
        self.loop = loop
        self.listener = listener
        self.waitsForRequest = waitsForRequest
        self.answer = answer
        port = listener.localAddress.port
    }

    package func stop() async { await loop.close() }

    private func take(_ stream: TCPStream) {
        let number = open.withLock { open in
            defer { open.connections += 1 }
            return open.connections
        }
        // A test's reader may have its turn late.
        stream.setUserTimeout(milliseconds: 0)
        var waiting: [UInt8] = []
        stream.onRead = { [self] bytes in
            waiting += bytes
            while waitsForRequest, let request = Self.request(in: waiting) {
                waiting.removeFirst(request.utf8.count)
                let number = heard.withLock { heard in
                    heard.append(request)
                    return heard.count - 1
                }
                say(answer(number), to: stream)
            }
        }
        stream.onClose = { [self] _ in open.withLock { $0.ended += 1 } }
        stream.startReading()
        if !waitsForRequest { say(answer(number), to: stream) }
    }

    /// The first whole request.
    private static func request(in bytes: [UInt8]) -> String? {
        guard let head = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).lowercased().split(separator: "\r\n")
        let length = lines.compactMap { line in
            line.hasPrefix("content-length: ") ? Int(line.dropFirst(16)) : nil
        }
        let count = head.upperBound + (length.first ?? 0)
        return bytes.count < count ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    private func say(_ answer: Behavior, to stream: TCPStream) {
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
