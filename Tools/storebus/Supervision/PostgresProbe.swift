import Dispatch
import Glibc

/// Checks that a PostgreSQL listens at an address, with a request before authentication.
enum PostgresProbe {
    /// Timeout for one address.
    private static let timeoutMilliseconds: Int32 = 2000

    /// PostgreSQL's SSLRequest: eight bytes long, code 80877103. It is answered with one byte, `S` or `N`.
    private static let question: [UInt8] = [0, 0, 0, 8, 4, 210, 22, 47]

    /// - Returns: Nil if it responds, or else the reason.
    static func check(_ server: DatabaseAddress.Server) async -> String? {
        // Name lookup and connecting block the thread.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: ask(server)) }
        }
    }

    private static func ask(_ server: DatabaseAddress.Server) -> String? {
        switch server {
        case .socket(let path): return ask(path: path)
        case .address(let host, let port): return ask(host: host, port: port)
        }
    }

    private static func ask(path: String) -> String? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return "the socket's path is too long" }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                exchange(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func ask(host: String, port: String) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let error = getaddrinfo(host, port, &hints, &found)
        guard error == 0 else { return String(cString: gai_strerror(error)) }
        defer { freeaddrinfo(found) }
        var reason: String? = "no address"
        var next = found
        while let one = next {
            guard let address = one.pointee.ai_addr else { break }
            reason = exchange(one.pointee.ai_family, address, one.pointee.ai_addrlen)
            if reason == nil { return nil }
            next = one.pointee.ai_next
        }
        return reason
    }

    private static func exchange(_ family: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> String? {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(family, flags, 0)
        guard descriptor >= 0 else { return FileAccess.systemReason }
        defer { close(descriptor) }
        if connect(descriptor, address, length) != 0 {
            guard errno == EINPROGRESS else { return FileAccess.systemReason }
            guard wait(descriptor, Int16(POLLOUT)) else { return "no answer in time" }
            var error: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
            guard error == 0 else { return FileAccess.reason(error) }
        }
        guard send(descriptor, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else {
            return FileAccess.systemReason
        }
        guard wait(descriptor, Int16(POLLIN)) else { return "it says nothing: is it a PostgreSQL?" }
        var answer: UInt8 = 0
        let count = recv(descriptor, &answer, 1, 0)
        let known = [UInt8(ascii: "S"), UInt8(ascii: "N")]
        return count == 1 && known.contains(answer) ? nil : "the server is not PostgreSQL"
    }

    private static func wait(_ descriptor: Int32, _ events: Int16) -> Bool {
        var request = pollfd(fd: descriptor, events: events, revents: 0)
        while true {
            let count = poll(&request, 1, timeoutMilliseconds)
            if count < 0, errno == EINTR { continue }
            return count == 1
        }
    }
}
