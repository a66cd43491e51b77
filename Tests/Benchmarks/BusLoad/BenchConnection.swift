import Glibc

/// One connection with a server: a bare socket, never blocking.
final class BenchConnection {
    let wire: Wire
    let socket: CInt
    /// Prefix of what may be subscribed to for replies.
    private(set) var inbox = ""
    private var incoming: Incoming
    private var greeting = ""
    private var session: LinkTLS?
    /// For connections with TLS; nil for bare ones. Set before the first, on the only thread.
    nonisolated(unsafe) static var tls: OpaquePointer?

    /// Connects, signs in and waits until the server has said so.
    init(_ wire: Wire, port: Int, name: String) throws(LoadError) {
        self.wire = wire
        incoming = Incoming(wire)
        socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw LoadError("cannot connect to port \(port)") }
        var on: CInt = 1
        setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
        if let tls = Self.tls { session = try LinkTLS(tls, socket, skipsLine: wire.greetsBeforeTLS) }
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        try signIn(name)
    }

    deinit { close(socket) }

    private func signIn(_ name: String) throws(LoadError) {
        // The greeting comes first; what follows it may be sent at once.
        if session == nil || !wire.greetsBeforeTLS { try awaitInput() }
        try send(wire.connect(name: name))
        try sync()
        inbox = "_INBOX.\(name)"
        // SBP's broker chooses the inbox: {"op":"ok",…,"inbox":"_INBOX.…",…}
        let bytes = Array(greeting.utf8)
        let mark = Array(#""inbox":""#.utf8)
        if let at = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) {
            inbox = String(decoding: bytes[(at + mark.count)...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
        }
        greeting = ""
    }

    /// Waits until the server has handled everything sent so far.
    func sync() throws(LoadError) {
        try send(wire.ping)
        var answered = false
        while !answered {
            try awaitInput()
            try receive { _, _ in
            } pong: {
                answered = true
            }
        }
    }

    /// Sends all of it, waiting for the server where it must.
    func send(_ bytes: [UInt8]) throws(LoadError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { try? sendSome(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
            guard let count else { throw LoadError("the server closed the connection") }
            sent += count
            if count == 0 { _ = try wait(for: [self], output: true) }
        }
    }

    /// Sends what the kernel takes at once.
    func sendSome(_ bytes: UnsafeRawBufferPointer) throws(LoadError) -> Int {
        if let session { return try session.send(bytes) }
        let count = Glibc.send(socket, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        if count >= 0 { return count }
        guard errno == EAGAIN else { throw LoadError("the server closed the connection") }
        return 0
    }

    /// Reads once and hands out every message that is whole now.
    func receive(
        _ message: (_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Void, pong: () -> Void = {}
    ) throws(LoadError) {
        let count = incoming.fill { [session, socket] room in
            session?.receive(room) ?? recv(socket, room.baseAddress, room.count, 0)
        }
        guard count > 0 || (count < 0 && errno == EAGAIN) else { throw LoadError("the server closed the connection") }
        while let event = incoming.next() {
            switch event {
            case .message(let head, let body): message(head, body)
            case .ping: try send(wire.pong)
            case .pong: pong()
            case .other(let text): greeting += Incoming.text(text)
            case .refusal(let text): throw LoadError("the server refused: \(text)")
            }
        }
    }

    private func awaitInput() throws(LoadError) { _ = try wait(for: [self]) }
}

/// Waits until a connection has input and returns those that have.
/// - Parameter output: Whether room for output on the first connection ends the wait too.
func wait(for links: [BenchConnection], output: Bool = false) throws(LoadError) -> [BenchConnection] {
    var polls = links.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
    if output { polls[0].events |= Int16(POLLOUT) }
    guard poll(&polls, nfds_t(polls.count), 5000) > 0 else { throw LoadError("nothing arrived for five seconds") }
    return zip(links, polls).filter { $1.revents & ~Int16(POLLOUT) != 0 }.map(\.0)
}

/// Why there is no figure.
struct LoadError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
