import Glibc

/// Sockets of a run's own on loopback, which never block and which no child gets.
enum LoopbackSocket {
    private static let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    private static let backlog: Int32 = 256

    /// Listens on a free port.
    /// - Throws: `serviceFailed` with the system's reason.
    static func listen(for what: String) throws(CLIError) -> (descriptor: Int32, port: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | flags, 0)
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening =
            listener >= 0
            && withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(listener, address, length) == 0 && Glibc.listen(listener, backlog) == 0
                        && getsockname(listener, address, &length) == 0
                }
            }
        guard isListening else {
            let reason = FileAccess.systemReason
            if listener >= 0 { close(listener) }
            throw CLIError(.serviceFailed, "no \(what) can listen: \(reason)")
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Begins a connection. The socket can be written to once it is connected.
    /// - Parameter receives: Unread bytes that the system keeps, or nil for its usual number.
    static func connect(to port: Int, receives: Int32? = nil) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | flags, 0)
        guard descriptor >= 0 else { return nil }
        if var receives {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receives, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = address(port: port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result == 0 || errno == EINPROGRESS { return descriptor }
        close(descriptor)
        return nil
    }

    /// Takes the next connection of a listener.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        makeOwn(descriptor)
        return descriptor
    }

    /// Makes a descriptor one that never blocks and that no child gets.
    static func makeOwn(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        return address
    }
}

/// A pipe that wakes a thread in `poll`, and the requests to the thread.
final class WakingPipe: Sendable {
    let read: Int32
    private let write: Int32

    /// - Throws: `serviceFailed` with the system's reason.
    init() throws(CLIError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw CLIError(.serviceFailed, "no pipe can be made: \(FileAccess.systemReason)")
        }
        for end in ends { LoopbackSocket.makeOwn(end) }
        (read, write) = (ends[0], ends[1])
    }

    deinit {
        close(read)
        close(write)
    }

    func wake() {
        var byte: UInt8 = 1
        _ = Glibc.write(write, &byte, 1)
    }
}
