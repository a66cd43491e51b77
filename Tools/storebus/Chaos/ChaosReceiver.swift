import Chaos
import Dispatch
import EventLoop
import Glibc

/// A small HTTP server of the run's own on loopback. The store sends the notifications of the run's apps to it.
///
/// Each connection carries one request. Its answer is a list of timed steps, so that it can be late, end the
/// connection, or stall and drip as broken servers do.
final class ChaosReceiver: Sendable {
    /// A posted request.
    struct Request: Hashable, Sendable {
        var path: String
        var body: [UInt8]
    }

    /// The answer to one request.
    struct Reply: Hashable, Sendable {
        /// Bytes to be sent so long after the step before.
        struct Step: Hashable, Sendable {
            var after: Duration
            var bytes: [UInt8]
        }

        var steps: [Step]
        /// Whether the connection stays open behind the last step, until the other end closes it.
        var isHeld = false

        /// An answer without a body.
        static func status(_ status: String, after: Duration = .zero, headers: String = "") -> Reply {
            let text = "HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\(headers)\r\n"
            return Reply(steps: [Step(after: after, bytes: Array(text.utf8))])
        }

        /// The connection's end without an answer.
        static let hangUp = Reply(steps: [])
    }

    let port: Int
    private let isStopped = Locked(false)
    private let waking: WakingPipe

    /// Listens on a free port and serves from now on, in a thread of its own.
    /// - Parameter answer: Takes a request and returns the answer.
    /// - Throws: `serviceFailed` with the system's reason.
    init(answer: @escaping @Sendable (Request) -> Reply) throws(CLIError) {
        waking = try WakingPipe()
        let listener: Int32
        (listener, port) = try LoopbackSocket.listen(for: "receiving server")
        DispatchQueue(label: "storebus.receiver.\(port)").async { [isStopped, waking] in
            var loop = ReceiverLoop(listener: listener, waking: waking.read, answer: answer)
            while !isStopped.withLock({ $0 }) { loop.turn() }
            loop.close()
        }
    }

    /// Ends every connection and stops listening.
    func stop() {
        isStopped.withLock { $0 = true }
        waking.wake()
    }
}

/// The bytes of one request as they come.
struct PostedBytes {
    private var bytes: [UInt8] = []
    private static let end = Array("\r\n\r\n".utf8)

    /// Bytes of a request with its body at most.
    static let byteCountMax = 1024 * 1024

    /// Takes bytes as they arrive.
    /// - Returns: The request once it is whole. `isBroken` is true for bytes that can never become a request.
    mutating func take(_ more: ArraySlice<UInt8>) -> (request: ChaosReceiver.Request?, isBroken: Bool) {
        bytes += more
        guard let head = Self.headEnd(bytes) else { return (nil, bytes.count > Self.byteCountMax) }
        let lines = String(decoding: bytes[..<head], as: UTF8.self).split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        let length = lines.dropFirst().lazy.compactMap { line -> Int? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { return nil }
            return Int(parts[1].filter { $0 != " " })
        }.first
        guard words.count == 3, let length, (0...Self.byteCountMax).contains(length) else { return (nil, true) }
        guard bytes.count >= head + Self.end.count + length else { return (nil, false) }
        let body = Array(bytes[(head + Self.end.count)...].prefix(length))
        return (ChaosReceiver.Request(path: String(words[1]), body: body), false)
    }

    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= end.count else { return nil }
        return (0...bytes.count - end.count).first { bytes[$0..<$0 + end.count].elementsEqual(end) }
    }
}

/// The connections of a receiver, and their handling when they are ready.
private struct ReceiverLoop {
    private struct Connection {
        var descriptor: Int32
        var posted = PostedBytes()
        /// The rest of the answer. Nil before the request is whole.
        var reply: ChaosReceiver.Reply?
        /// The beginning of the next step.
        var due = ContinuousClock.now
        var output: [UInt8] = []
        var isDone = false
    }

    let listener: Int32
    let waking: Int32
    let answer: @Sendable (ChaosReceiver.Request) -> ChaosReceiver.Reply
    private var connections: [Connection] = []
    private var chunk = [UInt8](repeating: 0, count: 64 * 1024)

    /// Maximum number of connections. Others wait until one ends.
    private static let connectionsMax = 256

    init(listener: Int32, waking: Int32, answer: @escaping @Sendable (ChaosReceiver.Request) -> ChaosReceiver.Reply) {
        self.listener = listener
        self.waking = waking
        self.answer = answer
    }

    mutating func turn() {
        let accepts = connections.count < Self.connectionsMax
        var polled = [
            pollfd(fd: accepts ? listener : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: waking, events: Int16(POLLIN), revents: 0),
        ]
        for one in connections {
            // A connection that has sent its request is watched for its end.
            polled.append(
                pollfd(
                    fd: one.descriptor, events: Int16(POLLIN) | (one.output.isEmpty ? 0 : Int16(POLLOUT)), revents: 0))
        }
        guard poll(&polled, nfds_t(polled.count), timeout) >= 0 else { return }
        if polled[1].revents != 0 { _ = read(waking, &chunk, chunk.count) }
        for index in connections.indices {
            if polled[2 + index].revents & ~Int16(POLLOUT) != 0 { receive(index) }
            advance(index)
        }
        for one in connections where one.isDone { Glibc.close(one.descriptor) }
        connections.removeAll(where: \.isDone)
        if polled[0].revents != 0 {
            while connections.count < Self.connectionsMax, let descriptor = LoopbackSocket.accept(listener) {
                connections.append(Connection(descriptor: descriptor))
            }
        }
    }

    mutating func close() {
        for one in connections { Glibc.close(one.descriptor) }
        connections = []
        Glibc.close(listener)
    }

    /// Milliseconds until a step is due, or -1 if no step waits.
    private var timeout: Int32 {
        let due = connections.filter { $0.output.isEmpty && $0.reply?.steps.isEmpty == false }.map(\.due).min()
        return due.map { Int32(clamping: max(0, (ContinuousClock.now.duration(to: $0)).milliseconds + 1)) } ?? -1
    }

    private mutating func receive(_ index: Int) {
        let count = read(connections[index].descriptor, &chunk, chunk.count)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN && errno != EINTR { connections[index].isDone = true }
            return
        }
        guard connections[index].reply == nil else { return }
        let (request, isBroken) = connections[index].posted.take(chunk[..<count])
        if isBroken { connections[index].isDone = true }
        guard let request else { return }
        let reply = answer(request)
        connections[index].reply = reply
        connections[index].due = .now + (reply.steps.first?.after ?? .zero)
    }

    /// Sends the due steps, and ends a connection that has sent all.
    private mutating func advance(_ index: Int) {
        guard !connections[index].isDone, var reply = connections[index].reply else { return }
        while true {
            if connections[index].output.isEmpty {
                guard let step = reply.steps.first else { break }
                guard connections[index].due <= .now else { break }
                connections[index].output = step.bytes
                reply.steps.removeFirst()
                connections[index].due = .now + (reply.steps.first?.after ?? .zero)
            }
            let output = connections[index].output
            let count = send(connections[index].descriptor, output, output.count, Int32(MSG_NOSIGNAL))
            if count > 0 {
                connections[index].output.removeFirst(count)
            } else if errno == EAGAIN || errno == EINTR {
                break
            } else {
                connections[index].isDone = true
                break
            }
        }
        connections[index].reply = reply
        if reply.steps.isEmpty, connections[index].output.isEmpty, !reply.isHeld { connections[index].isDone = true }
    }
}
