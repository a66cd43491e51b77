import Foundation
import Glibc

/// Bytes sent as they are, for requests no HTTP client would make.
enum RawConnection {
    /// Sends `text` and returns the gateway's bytes. It reads until the gateway closes the connection, or for 20 s
    /// without a first byte, or for a while without another.
    /// - Parameter timeout: Seconds without another byte; more where the gateway closes the connection.
    static func exchange(_ store: GatewayHarness, _ text: String, timeout: Int = 2) async throws -> String {
        let port = store.listeningPort
        return await withCheckedContinuation { continuation in
            // Blocking calls, so on a thread of their own.
            Thread.detachNewThread {
                continuation.resume(returning: blockingExchange(port, Array(text.utf8), timeout))
            }
        }
    }

    /// Sends `text` and never reads; ``release(_:)`` closes it. Its kernel takes little of the answer.
    static func hold(_ store: GatewayHarness, _ text: String) -> Int32 {
        let descriptor = open(store.listeningPort, receiveBuffer: 4096)
        let bytes = Array(text.utf8)
        send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        return descriptor
    }

    /// Linux's POLLRDHUP, which glibc declares for _GNU_SOURCE only.
    private static let hangup: Int16 = 0x2000

    /// Whether the gateway has closed a connection, by which nothing is read.
    static func isClosed(_ descriptor: Int32) -> Bool {
        var state = pollfd(fd: descriptor, events: hangup, revents: 0)
        return poll(&state, 1, 0) > 0
    }

    /// Whether an answer has begun to arrive, which stays unread.
    static func hasAnswer(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    static func release(_ descriptor: Int32) { close(descriptor) }

    private static func blockingExchange(_ port: Int, _ bytes: [UInt8], _ timeout: Int) -> String {
        let descriptor = open(port)
        defer { close(descriptor) }
        guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return "" }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            if answer.isEmpty { wait(descriptor, seconds: timeout) }
            answer += buffer[..<count]
        }
        return String(decoding: answer, as: UTF8.self)
    }

    /// How long the next byte may take.
    private static func wait(_ descriptor: Int32, seconds: Int) {
        var timeout = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    /// A connection to the gateway; sending on one that failed fails too.
    private static func open(_ port: Int, receiveBuffer: CInt? = nil) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<CInt>.size))
        }
        wait(descriptor, seconds: 20)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }
}
